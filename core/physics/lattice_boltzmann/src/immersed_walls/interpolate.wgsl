// Velocity of the fluid at each point of the walls, from own nodes: what each node adds is rounded on its own, so that
// the sum over ranks does not depend on which of them owns it.
#include "prelude.wgsl"

var<storage, read> near_velocity: array<real>;
var<storage, read_write> velocity: array<i32>;

fn work_on(k: u32) {
#for axis in axes
    var u${axis.name} = 0;
#endfor
    var before = real(0.0);
    for (var i = 0u; i < SITES; i += 1u) {
        let upto_here = upto[i * span.count + k];
        let node = at[i * span.count + k];
        if (node != ELSEWHERE) {
            let share = (upto_here - before) * real(${velocity_scale});
#for axis in axes
            u${axis.name} += i32(round(share * speed(near_velocity[${axis.index}u * span.nodes + node])));
#endfor
        }
        before = upto_here;
    }
#for axis in axes
    velocity[${axis.index}u * span.count + k] = u${axis.name};
#endfor
}

// Bounded, so that no sum overflows: beyond, the fluid is broken anyway.
fn speed(u: real) -> real {
    return clamp(u, real(-${fastest}), real(${fastest}));
}
