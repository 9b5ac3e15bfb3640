// Openings and moving walls: mends, in place, the populations that a plain half-way bounce-back sent back.
// One invocation an (opening, node) entry; direction i leads into the opening, j = -i out of it.
//
// Moving wall, half-way along the link (Ladd, J. Fluid Mech. 271 (1994) 285):
//   f_j(t+1) = f_i*(t) + 6 w_j c_j . u_w
//
// Velocity, at the node itself where f_i comes from a node (s_i = 1), between node and half-way where f_i comes from a wall
// (s_i = 1/2: half-way on either side, the velocity would alternate for ever):
//   f_j(t+1) = s_i f_i(t+1) + (1 - s_i) f_i*(t) + 6 w_j c_j . u_w
// What is sent back then does not depend on the node's own momentum flux, which at high Reynolds numbers feeds ripples of
// the velocity from node to node along the opening. Where an opening is across an axis, diagonal links also bring the
// velocity along the opening to u_w (Zou and He, Phys. Fluids 9 (1997) 1591; Hecht and Harting, J. Stat. Mech. (2010) P01018):
//   f_j += c_j . (u_w - sum c f) / 2
// u_w is scaled so that what comes in is what is prescribed: excess.wgsl
// says how much more the f_i(t+1) are than the f_i*(t).
//
// Pressure: what comes in is what the flow within would send on, as if the vessel went on beyond the opening, with the
// density on the other side of the opening such that it is rho at the opening:
//   f_j(x, t+1) = f_j*(x', t) + 2 w_j (rho - rho(x'))
// x' is the node of the opening that lies nearest to where the vessel leads from x + c_i inwards (boundary.rs): x itself for a
// link straight out, its neighbour along the opening for a diagonal one. Developed flow passes unchanged, and vortices
// leave: nothing of the outgoing populations comes back but sound.
#include "prelude.wgsl"
#{% with access = "read_write" %}
#include "state.wgsl"
#{% endwith %}
#include "entry.wgsl"
var<storage, read> schedule: array<${number}>;
var<storage, read> entries: array<Entry>;
var<storage, read> shape: array<real>;
var<storage, read> before: array<real>;
var<storage, read> sources: array<u32>;
var<storage, read> per_flow: array<real>;
var<storage, read_write> excess: array<atomic<u32>>;
var<storage, read_write> ledger: array<u32>;
#include "main.wgsl"
#include "share_of_node.wgsl"

// Clears the sum of excess.wgsl of the next step.
fn clear_next(opening: u32) {
    let next = 4u * opening + ${"0u" if odd else "2u"};
    atomicStore(&excess[next], 0u);
    atomicStore(&excess[next + 1u], 0u);
}

// The sum of excess.wgsl of this step, lattice units.
fn excess_of(opening: u32) -> real {
    let at = 4u * opening + ${"2u" if odd else "0u"};
    var low = atomicLoad(&excess[at]);
    var high = atomicLoad(&excess[at + 1u]);
    let negative = high >= 0x80000000u;
    if (negative) {
        low = ~low + 1u;
        high = ~high + select(0u, 1u, low == 0u);
    }
    let magnitude = real(high) * real(1.0 / 256.0) + real(low) * real(1.0 / 1099511627776.0);
    return select(magnitude, -magnitude, negative);
}

fn work_on(k: u32) {
    let entry = entries[k];
    let n = entry.node;
    if (k == 0u || entries[k - 1u].opening != entry.opening) {
        clear_next(entry.opening);
    }
    let factors = span.row * ROW + 3u + TERMS * entry.opening;
    let value = schedule[factors] - excess_of(entry.opening) * per_flow[entry.opening];

#include "gather.wgsl"
#for p in pairs
    let f${p.i} = load(f_${p.k}[at${p.i}]);
    let f${p.j} = load(f_${p.k}[at${p.j}]);
#endfor
    var came_in = real(0.0);
    if (entry.pressure == 0u) {
#if several_terms
#for a in axes
        var u${a.name} = value * shape[3u * TERMS * k + ${a.index}u];
        for (var term = 1u; term < TERMS; term++) {
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
        let difference${p.k} =
            select(f${p.i} - f${p.j}, real(6.0) * W${p.shell} * cu${p.k}, (entry.at_node & ${p.links}u) != 0u);
#endfor
        // The links of a node at an opening across an axis.
        let across = select(0u, entry.links, entry.at_node == entry.links);
#for a in axes
        // What is missing along this axis, where the opening is across another one.
        let across_others${a.name} = ${a.across_others};
        let missing${a.name} = select(real(0.0), u${a.name} - (${a.momentum}), across_others${a.name});
#endfor
#for p in pairs
        let along${p.k} = real(0.5) * (${p.c_dot_missing});
#for way in [p.ij, p.ji]
        if ((entry.links & (1u << ${way.out}u)) != 0u) {
            let arrived = share_of_node(entry, ${way.out}u) * (f${way.out} - f${way.back}) ${way.plus} along${p.k};
            let change = arrived + real(${way.sign}6.0) * W${p.shell} * cu${p.k};
            came_in += change;
            f_${p.k}[at${way.back}] = store(f${way.back} + change);
        }
#endfor
#endfor
    } else {
#for p in pairs
#for way in [p.ij, p.ji]
        if ((entry.links & (1u << ${way.out}u)) != 0u) {
            let within = before[${way.back - 1}u * span.count + sources[${way.out - 1}u * span.count + k]];
            let change = within + real(2.0) * W${p.shell} * value - f${way.back};
            came_in += change;
            f_${p.k}[at${way.back}] = store(f${way.back} + change);
        }
#endfor
#endfor
    }

#include "count.wgsl"
}
