// What pressure openings send back, from the state before a step. Anti-bounce-back, closed so that developed flow,
// steady or not, passes unchanged and the pressure holds half-way to the opening:
//   f_j(t+1) + f_i*(t) = 2 e+_i(rho, u) + (2 - omega+) n+_i - omega- n-_i + S-_i - (e-_i(t+1) - e-_i(t))
// with i into the opening, j = -i; n+ and n- the even and odd non-equilibrium parts, S- the odd part of the force.
// u and n+ are the node's own; n- and the change of e- are those of the node next to it, which developed flow shares and
// which plain anti-bounce-back would set to zero; rho = (2 rho_opening + rho_next) / 3 is linear through the half-way
// point. The change of e- is known after the step only: openings.wgsl adds it.
// After Ginzburg, Verhaeghe and d'Humieres, Commun. Comput. Phys. 3 (2008) 427, and, for n- from within, Guo, Zheng and
// Shi, Chin. Phys. 11 (2002) 366. One invocation an (opening, node) entry.
#include "prelude.wgsl"
#include "main.wgsl"

fn work_on(k: u32) {
    let entry = entries[k];
    if (entry.pressure == 0u) {
        return;
    }
    let at_opening = schedule[span.row * ROW + 3u + entry.opening];

    var rho = at_opening;
#for p in pairs
    var odd${p.k} = real(0.0);
#endfor
    if (entry.inward != entry.node) {
        let n = entry.inward;
#include "gather.wgsl"
#include "pairs.wgsl"
#include "moments_of_pairs.wgsl"
#include "rates.wgsl"
        rho = (real(2.0) * at_opening + drho) / real(3.0);
#for a in axes
        wanted[SLOTS * k + ${2 * (pairs | length) + a.index}u] = u${a.name};
#endfor
#for p in pairs
        let cu${p.k} = ${p.c_dot_u};
        odd${p.k} = omega_minus * (W${p.shell} * real(3.0) * cu${p.k} - real(0.5) * difference${p.k});
#if force
        let cF${p.k} = ${p.c_dot_f};
        odd${p.k} += (real(1.0) - real(0.5) * omega_minus) * W${p.shell} * real(3.0) * cF${p.k};
#endif
#endfor
    }

    let n = entry.node;
#include "gather.wgsl"
#include "pairs.wgsl"
#include "moments_of_pairs.wgsl"
#include "rates.wgsl"
    let uu = real(1.5) * (${squares});
#for p in pairs
    let cu${p.k} = ${p.c_dot_u};
    let square${p.k} = real(4.5) * cu${p.k} * cu${p.k} - uu;
    let even${p.k} = real(0.5) * sum${p.k} - W${p.shell} * (drho + square${p.k});
    let both${p.k} = real(2.0) * W${p.shell} * (rho + square${p.k}) + (real(2.0) - omega_plus) * even${p.k};
    wanted[SLOTS * k + ${p.i}u - 1u] = both${p.k} + odd${p.k};
    wanted[SLOTS * k + ${p.j}u - 1u] = both${p.k} - odd${p.k};
#endfor
}
