// Velocity of the fluid at each vertex, from own nodes: what each node adds is rounded on its own, so that the sum over
// ranks does not depend on which of them owns it. Near walls the weights of fluid nodes are scaled to sum up to one, and
// the wall holds the vertex, see wall_hold.wgsl.
#include "prelude.wgsl"
#include "sites.wgsl"
#include "fraction.wgsl"
#include "wall_at.wgsl"
#include "wall_hold.wgsl"

var<storage, read> position: array<vec2<i32>>;
var<storage, read> slot_of: array<u32>;
var<storage, read_write> broken: array<atomic<u32>>;
var<storage, read> node_velocity: array<${vector}>;
var<storage, read_write> drift: array<i32>;
var<storage, read> directory: array<u32>;
var<storage, read> sites: array<u32>;
var<storage, read> wall_distance: array<f32>;

fn work_on(v: u32) {
    let slot = slot_of[v];
    if (slot == NONE) {
        return;
    }
#include "weights.wgsl"
    var hold = Hold(real(1.0), real(0.0), Velocity(), Velocity(), real(0.96875));
    if (wall_distance[(directory[${stencil[0].place}] << ${block_bits}u) | ${stencil[0].local}] < ${wall.hold_near}) {
        hold = hold_of(wall_at(${positions}));
    }
    let scale = real(${drift_scale}) / around;
#for axis in axes
    var u${axis.name} = 0;
#endfor
#for site in stencil
    if (n${site.index} < FLUID) {
        let share = w${site.index} * scale;
        let velocity = held(hold, node_velocity[n${site.index}].${"xyz"[:dimension]});
#for axis in axes
        u${axis.name} += i32(round(share * velocity.${axis.name}));
#endfor
    }
#endfor
#for axis in axes
    drift[${axis.index}u * span.stride + v] = u${axis.name};
#endfor
}

// What a vertex in the wall gets.
fn refuse(v: u32) {
#for axis in axes
    drift[${axis.index}u * span.stride + v] = 0;
#endfor
}
