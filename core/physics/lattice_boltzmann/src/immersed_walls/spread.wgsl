// The force of each point of the walls to the own nodes around, with the weights of interpolation. All nodes together,
// those of other ranks included, get exactly the point's force in fixed point: each gets what the rounded sum of
// weights up to it, times the force, is more than the one before.
#include "prelude.wgsl"

var<storage, read> gain: array<real>;
var<storage, read> velocity: array<i32>;
var<storage, read> near_nodes: array<u32>;
var<storage, read_write> wall_force: array<atomic<i32>>;

fn work_on(k: u32) {
#for axis in axes
    let F${axis.name} = -gain[k] * (real(velocity[${axis.index}u * span.count + k]) * real(${force_over_velocity}));
    var before${axis.name} = 0;
#endfor
    for (var i = 0u; i < SITES; i += 1u) {
        let share = upto[i * span.count + k];
        let node = at[i * span.count + k];
#for axis in axes
        let upto${axis.name} = i32(round(F${axis.name} * share));
        if (node != ELSEWHERE) {
            let place = ${axis.index}u * span.stride + near_nodes[node];
            atomicAdd(&wall_force[place], upto${axis.name} - before${axis.name});
        }
        before${axis.name} = upto${axis.name};
#endfor
    }
}
