// Velocity of the fluid at each vertex, from own nodes: what each node adds is rounded on its own, so that the sum over
// ranks does not depend on which of them owns it. Near walls the weights of fluid nodes are scaled to sum up to one.
#include "prelude.wgsl"
#include "sites.wgsl"
#include "fraction.wgsl"

fn work_on(v: u32) {
    let slot = slot_of[v];
    if (slot == NONE) {
        return;
    }
#include "weights.wgsl"
    let scale = real(${drift_scale}) / around;
#for axis in axes
    var u${axis.name} = 0;
#endfor
#for site in stencil
    if (n${site.index} < FLUID) {
        let share = w${site.index} * scale;
#for axis in axes
        u${axis.name} += i32(round(share * speed(node_velocity[n${site.index}].${axis.name})));
#endfor
    }
#endfor
#for axis in axes
    drift[${axis.index}u * span.stride + v] = u${axis.name};
#endfor
}

// Bounded, so that no sum overflows: beyond, the fluid is broken anyway, and the vertex too fast.
fn speed(u: real) -> real {
    return clamp(u, real(-0.96875), real(0.96875));
}

// What a vertex in the wall gets.
fn refuse(v: u32) {
#for axis in axes
    drift[${axis.index}u * span.stride + v] = 0;
#endfor
}
