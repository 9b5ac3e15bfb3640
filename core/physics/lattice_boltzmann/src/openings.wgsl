// Openings and moving walls: mends, in place, the populations that a plain half-way bounce-back sent back.
// One invocation an (opening, node) entry; direction i leads into the opening, j = -i out of it.
//
// Velocity and moving wall (Ladd, J. Fluid Mech. 271 (1994) 285):
//   f_j = f_i* + 6 w_j c_j . u_w
//
// Pressure, by anti-bounce-back (Ginzburg, Verhaeghe and d'Humieres, Commun. Comput. Phys. 3 (2008) 427):
//   f_j(t+1) + f_i*(t) = 2 w_i rho + (A_i(x) + A_i(x')) / 2 + (B_i(x') - B_i(x)) / 2
// with rho that of the opening, which so holds half-way along the link, and A and B of pressure.wgsl at the node x and at
// x', the node beside it along the opening that lies on the other side of the link: x' = x for links straight out.
// Where the flow varies along the opening alone, the streaming of f_i* from x to x' and of f_j* back gives this equation
// but for terms of the order of the Mach number squared, so that developed flow passes unchanged. With x' = x it is the plain closure, which makes diagonal
// links err by the change of shear stress over half a spacing.
#include "prelude.wgsl"
#{% with access = "read_write" %}
#include "state.wgsl"
#{% endwith %}
#include "entry.wgsl"
var<storage, read> schedule: array<${number}>;
var<storage, read> entries: array<Entry>;
var<storage, read> shape: array<real>;
var<storage, read> before: array<real>;
var<storage, read> beside: array<u32>;
var<storage, read_write> ledger: array<u32>;
#include "main.wgsl"

fn work_on(k: u32) {
    let entry = entries[k];
    let n = entry.node;
    let factors = span.row * ROW + 3u + TERMS * entry.opening;
    let value = schedule[factors];

#include "gather.wgsl"
#for p in pairs
    let f${p.i} = load(f_${p.k}[at${p.i}]);
    let f${p.j} = load(f_${p.k}[at${p.j}]);
#endfor
    var came_in = real(0.0);
    if (entry.pressure == 0u) {
#if several_terms
#for a in axes
        var u${a.name} = real(0.0);
        for (var term = 0u; term < TERMS; term++) {
            u${a.name} += schedule[factors + term] * shape[3u * (TERMS * k + term) + ${a.index}u];
        }
#endfor
#else
#for a in axes
        let u${a.name} = value * shape[3u * k + ${a.index}u];
#endfor
#endif
#for p in pairs
        let cu${p.k} = ${p.c_dot_u};
#for way in [p.ij, p.ji]
        if ((entry.links & (1u << ${way.out}u)) != 0u) {
            let change = real(${way.sign}6.0) * W${p.shell} * cu${p.k};
            came_in += change;
            f_${p.k}[at${way.back}] = store(f${way.back} + change);
        }
#endfor
#endfor
    } else {
#for p in pairs
        let A${p.k} = before[SLOTS * k + ${2 * p.k - 2}u];
        let B${p.k} = before[SLOTS * k + ${2 * p.k - 1}u];
#for way in [p.ij, p.ji]
        if ((entry.links & (1u << ${way.out}u)) != 0u) {
            let side = SLOTS * beside[SLOTS * k + ${way.out}u - 1u];
            let even = real(0.5) * (A${p.k} + before[side + ${2 * p.k - 2}u]);
            let odd = real(0.5) * (before[side + ${2 * p.k - 1}u] - B${p.k});
            let change = real(2.0) * W${p.shell} * value + even ${way.plus} odd - real(2.0) * f${way.back};
            came_in += change;
            f_${p.k}[at${way.back}] = store(f${way.back} + change);
        }
#endfor
#endfor
    }

#include "count.wgsl"
}
