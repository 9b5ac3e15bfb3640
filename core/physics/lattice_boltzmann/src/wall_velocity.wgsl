// Velocity at the nodes around the points of immersed walls as the next step would have it without the walls' force,
// which is taken off the nodes. One invocation a node.
#include "prelude.wgsl"
#{% with access = "read" %}
#include "state.wgsl"
#{% endwith %}
#include "forces.wgsl"
var<storage, read> near_nodes: array<u32>;
var<storage, read_write> near_velocity: array<real>;
var<storage, read_write> wall_force: array<i32>;
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
