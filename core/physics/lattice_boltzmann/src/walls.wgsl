// Walls off half-way: mends, in place, the populations that a plain half-way bounce-back sent back along links that the
// wall cuts at the fraction q (Bouzidi, Firdaouss and Lallemand, Phys. Fluids 13 (2001) 3452, linear):
//   f_j(x, t+1) = 2 q f*_i(x) + (1 - 2 q) f*_i(x - c_i)              q <  1/2
//   f_j(x, t+1) = (f*_i(x) + (2 q - 1) f*_j(x)) / (2 q)              q >= 1/2
// with i into the wall, j = -i.
//
// Nodes on which cells or bodies push stay half-way, which keeps mass. The rule assumes that u falls linearly to the wall.
// Forces that change from node to node break that, and walls would take mass wherever cells are pressed against them.
//
// Under the body force F the rule needs a correction. In fluid at rest f_j = f*_i wherever the wall is, since nothing flows.
// The rule gives less by 3 w_i c_i . F |1 - 2 q|, divided by 2 q for q >= 1/2: f*_j(x) is lower than f*_i(x) by the force, and
// f*_i(x - c_i) by the pressure that balances it. Without the correction, walls take mass wherever the force presses fluid
// against them.
//
// After the step, f*_i(x) has become the incoming f_j of x, which is mended; f*_i(x - c_i) its incoming f_i; and f*_j(x) the
// incoming f_j of x - c_i, which x itself wrote. The latter two stand in x's own slot of i and in that slot of x - c_i which
// the link table names; which one where goes with the parity of the step. No slot that is read here is mended, neither by
// another link nor by openings. One invocation a node.
#include "prelude.wgsl"
#{% with access = "read_write" %}
#include "populations.wgsl"
#{% endwith %}
#include "link_tables.wgsl"
#include "wall_entry.wgsl"
#include "forces.wgsl"
var<storage, read> wall_entries: array<WallEntry>;
var<storage, read> twice_cut: array<real>;
var<storage, read_write> ledger: array<u32>;
#include "main.wgsl"

fn work_on(k: u32) {
    let entry = wall_entries[k];
    let n = entry.node;
#if immersed
    let pushed = node_force_on(n);
    if (${pushed}) {
        return;
    }
#endif
    var cut = entry.first;
    var came_in = real(0.0);
#include "links.wgsl"
#if body_force
#for a in axes
    let F${a.name} = schedule[span.row * ROW + ${a.index}u];
#endfor
#endif
#for p in pairs
#if body_force
    let push${p.k} = real(3.0) * W${p.shell} * (${p.c_dot_f});
#endif
#for way in [p.ij, p.ji]
    if ((entry.links & (1u << ${way.out}u)) != 0u) {
        let twice = twice_cut[cut];
        cut += 1u;
        let sent = load(f_${p.k}[${way.slot_back}]);
#if odd
        let behind = load(f_${p.k}[from${way.out}]);
        let left = load(f_${p.k}[${way.slot}]);
#else
        let behind = load(f_${p.k}[${way.slot}]);
        let left = load(f_${p.k}[from${way.out}]);
#endif
        var back = twice * sent + (real(1.0) - twice) * behind;
        if (twice >= real(1.0)) {
            back = (sent + (twice - real(1.0)) * left) / twice;
        }
#if body_force
        let lacks = select(real(1.0) - twice, (twice - real(1.0)) / twice, twice >= real(1.0));
        back ${"+" if way.sign == "-" else "-"}= lacks * push${p.k};
#endif
        came_in += back - sent;
        f_${p.k}[${way.slot_back}] = store(back);
    }
#endfor
#endfor

#include "count.wgsl"
}
