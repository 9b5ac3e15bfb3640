// Openings and moving walls: mends, in place, the populations that a plain half-way bounce-back sent back.
// Velocity and moving wall: f_j = f_i + 6 w_j c_j . u_w  (Ladd, J. Fluid Mech. 271 (1994) 285).
// Pressure: f_j = -f_i + what pressure.wgsl found before the step, less the change of e-_i in it.
// One invocation an (opening, node) entry; direction i leads into the opening, j = -i out of it.
#include "prelude.wgsl"
#include "main.wgsl"

struct Velocity {
#for a in axes
    ${a.name}: real,
#endfor
}

// The velocity of a node after the step.
fn velocity_of(n: u32) -> Velocity {
#include "gather.wgsl"
#include "pairs.wgsl"
#if force
#for a in axes
    let F${a.name} = ${forces_after[a.index]};
#endfor
    return Velocity(${axes | map(attribute="momentum_after") | join(", ")});
#else
    return Velocity(${axes | map(attribute="momentum") | join(", ")});
#endif
}

fn work_on(k: u32) {
    let entry = entries[k];
    let n = entry.node;
    let value = schedule[span.row * ROW + 3u + entry.opening];

#include "gather.wgsl"
#for p in pairs
    let f${p.i} = load(f_${p.k}[at${p.i}]);
    let f${p.j} = load(f_${p.k}[at${p.j}]);
#endfor
    var came_in = real(0.0);
    if (entry.pressure == 0u) {
#for a in axes
        let u${a.name} = value * shape[3u * k + ${a.index}u];
#endfor
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
        // 3 times the velocity that the inward node gained in the step.
#for a in axes
        var u${a.name} = real(0.0);
#endfor
        if (entry.settled != 0u) {
            let now = velocity_of(entry.inward);
#for a in axes
            u${a.name} = real(3.0) * (now.${a.name} - wanted[SLOTS * k + ${2 * (pairs | length) + a.index}u]);
#endfor
        }
#for p in pairs
        let gain${p.k} = W${p.shell} * (${p.c_dot_u});
#for way in [p.ij, p.ji]
        if ((entry.links & (1u << ${way.out}u)) != 0u) {
            let change = wanted[SLOTS * k + ${way.out}u - 1u] ${way.minus} gain${p.k} - real(2.0) * f${way.back};
            came_in += change;
            f_${p.k}[at${way.back}] = store(f${way.back} + change);
        }
#endfor
#endfor
    }

#include "count.wgsl"
}
