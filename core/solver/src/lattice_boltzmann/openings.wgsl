// Openings and moving walls: mends, in place, the populations that a plain half-way bounce-back sent back.
// Velocity and moving wall: f_j = f_i + 6 w_j c_j . u_w  (Ladd, J. Fluid Mech. 271 (1994) 285).
// Pressure: f_j = -f_i + 2 w_j (rho_w + 9/2 (c_j . u)^2 - 3/2 u^2), i.e. anti-bounce-back (Ginzburg, Verhaeghe and
// d'Humieres, Commun. Comput. Phys. 3 (2008) 427), u of the node one step before.
// One invocation an (opening, node) entry; direction i leads into the opening, j = -i out of it.
#include "prelude.wgsl"

// Mass is counted in units of 2^-30: a node's share of a step stays far below the 2 that a word holds.
const MASS_QUANTUM: real = real(1073741824.0);

@compute @workgroup_size(WORKGROUP)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let k = item(group, groups, lane);
    if (k >= span.count) {
        return;
    }
    let entry = entries[k];
    let n = entry.node;
    let value = schedule[span.row * ROW + 3u + entry.opening];

#include "gather.wgsl"
#for p in pairs
    var f${p.i} = load(f_${p.k}[at${p.i}]);
    var f${p.j} = load(f_${p.k}[at${p.j}]);
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
            f${way.back} += change;
            came_in += change;
            f_${p.k}[at${way.back}] = store(f${way.back});
        }
#endfor
#endfor
    } else {
#for a in axes
        let u${a.name} = velocity[3u * k + ${a.index}u];
#endfor
        let uu = real(1.5) * (${squares});
#for p in pairs
        let cu${p.k} = ${p.c_dot_u};
        let rho${p.k} = real(2.0) * W${p.shell} * (value + real(4.5) * cu${p.k} * cu${p.k} - uu);
#for way in [p.ij, p.ji]
        if ((entry.links & (1u << ${way.out}u)) != 0u) {
            let change = rho${p.k} - real(2.0) * f${way.back};
            f${way.back} += change;
            came_in += change;
            f_${p.k}[at${way.back}] = store(f${way.back});
        }
#endfor
#endfor
    }

    // The velocity after mending, for the next step's pressure.
#for p in pairs
    let difference${p.k} = f${p.i} - f${p.j};
#endfor
#for a in axes
#if force
    velocity[3u * k + ${a.index}u] = ${a.momentum} + real(0.5) * schedule[(span.row + 1u) * ROW + ${a.index}u];
#else
    velocity[3u * k + ${a.index}u] = ${a.momentum};
#endif
#endfor

    // 64-bit count of the mass that came in, in two words.
    let mass = i32(round(came_in * MASS_QUANTUM));
    let low = ledger[2u * k];
    let sum = low + bitcast<u32>(mass);
    let carry = select(0u, 1u, sum < low);
    ledger[2u * k] = sum;
    ledger[2u * k + 1u] += carry + select(0u, 0xffffffffu, mass < 0);
}
