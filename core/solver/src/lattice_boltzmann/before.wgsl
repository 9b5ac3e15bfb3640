// What pressure openings need of their nodes before a step: velocity, and of each pair the even non-equilibrium part.
// One invocation an (opening, node) entry.
#include "prelude.wgsl"

@compute @workgroup_size(WORKGROUP)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let k = item(group, groups, lane);
    if (k >= span.count || entries[k].pressure == 0u) {
        return;
    }
    let n = entries[k].node;

#include "gather.wgsl"
#include "pairs.wgsl"
#include "moments_of_pairs.wgsl"

    let uu = real(1.5) * (${squares});
#for a in axes
    before[STATE * k + ${a.index}u] = u${a.name};
#endfor
#for p in pairs
    let cu${p.k} = ${p.c_dot_u};
    let e_plus${p.k} = W${p.shell} * (drho + real(4.5) * cu${p.k} * cu${p.k} - uu);
    before[STATE * k + 2u + ${p.k}u] = real(0.5) * sum${p.k} - e_plus${p.k};
#endfor
}
