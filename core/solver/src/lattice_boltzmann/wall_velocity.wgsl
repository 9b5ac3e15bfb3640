// Velocity at the nodes around the points of immersed walls as the next step would have it without the walls' force,
// which is taken off the nodes. One invocation a node.
#include "prelude.wgsl"
#include "main.wgsl"

fn work_on(k: u32) {
    let n = near_nodes[k];

#include "gather.wgsl"
#include "pairs.wgsl"
#include "moments_of_pairs.wgsl"
#for a in axes
    near_velocity[${a.index}u * span.count + k] = u${a.name};
    wall_force[${a.index}u * span.stride + n] = 0;
#endfor
}
