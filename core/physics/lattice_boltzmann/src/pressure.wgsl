// What pressure openings take from the state before a step, pair by pair: of the pair's even and odd parts
//   A_i = 2 q_i + (2 - omega+) s_i         q: the part of e+ that is quadratic in u
//   B_i = omega- n-_i - S-_i
// with n- the odd non-equilibrium part, S- the odd part of the force, and s the shear in the even one n+: half of what the two
// diagonals of a plane differ by, 0 along axes. That is all of n+ that flow along the opening has. What else n+ holds, stretching
// and modes of the lattice, would feed on itself at high Reynolds numbers. openings.wgsl makes what comes back of them. One
// invocation an (opening, node) entry.
#include "prelude.wgsl"
#{% with access = "read" %}
#include "state.wgsl"
#{% endwith %}
#include "forces.wgsl"
#include "contrast.wgsl"
#include "entry.wgsl"
var<storage, read> entries: array<Entry>;
var<storage, read_write> before: array<real>;
#include "main.wgsl"

fn work_on(k: u32) {
    let entry = entries[k];
    if (entry.pressure == 0u) {
        return;
    }
    let n = entry.node;
#include "gather.wgsl"
#include "pairs.wgsl"
#include "moments_of_pairs.wgsl"
#include "rates.wgsl"
    let uu = real(1.5) * (${squares});
#for p in pairs
    let cu${p.k} = ${p.c_dot_u};
    let q${p.k} = W${p.shell} * (real(4.5) * cu${p.k} * cu${p.k} - uu);
    let even${p.k} = real(0.5) * sum${p.k} - W${p.shell} * drho - q${p.k};
    let odd${p.k} = real(0.5) * difference${p.k} - W${p.shell} * real(3.0) * cu${p.k};
#if force
    let cF${p.k} = ${p.c_dot_f};
    before[SLOTS * k + ${2 * p.k - 1}u] = omega_minus * odd${p.k}
        - (real(1.0) - real(0.5) * omega_minus) * W${p.shell} * real(3.0) * cF${p.k};
#else
    before[SLOTS * k + ${2 * p.k - 1}u] = omega_minus * odd${p.k};
#endif
#endfor
#for p in pairs
    let shear${p.k} = real(0.5) * (even${p.k} - even${p.mirror});
    before[SLOTS * k + ${2 * p.k - 2}u] = real(2.0) * q${p.k} + (real(2.0) - omega_plus) * shear${p.k};
#endfor
}
