// Moves each vertex by `span.steps` steps at the mean of its drift and that of the move before, exactly: the unit of drift
// is twice that of a fraction. The lattice has momentum modes that change sign from step to step and are not damped;
// the mean of two steps is blind to them, where stiff membranes would feed them. Cells that a column carries move with it.
#include "prelude.wgsl"
#include "which.wgsl"
#include "moved.wgsl"

var<storage, read_write> position: array<vec2<i32>>;
var<storage, read> slot_of: array<u32>;
var<storage, read_write> broken: array<atomic<u32>>;
var<storage, read> carrier: array<u32>;
var<storage, read> column_speed: array<i32>;
var<storage, read_write> drift: array<i32>;
var<storage, read_write> before: array<i32>;
var<storage, read_write> pace: array<atomic<u32>>;

fn work_on(v: u32) {
    let slot = slot_of[v];
    if (slot == NONE || !works_on(slot)) {
        return;
    }
    let carried = carrier[slot] != NONE;
    let gate = select(0u, carrier[slot], carried);
    var fastest = 0;
    var travel = vec3<f32>();
#for axis in axes
    var u${axis.name} = drift[${axis.index}u * span.stride + v];
    var last${axis.name} = before[${axis.index}u * span.stride + v];
    if (carried) {
        u${axis.name} = column_speed[${dimension}u * gate + ${axis.index}u];
        last${axis.name} = u${axis.name};
        drift[${axis.index}u * span.stride + v] = u${axis.name};
    }
    fastest = max(fastest, max(u${axis.name}, -1 - u${axis.name}));
    let p${axis.name} = position[${axis.index}u * span.stride + v];
    let twice${axis.name} = u${axis.name} + last${axis.name};
    position[${axis.index}u * span.stride + v] = moved(p${axis.name}, twice${axis.name}, span.steps);
    travel.${axis.name} = f32(twice${axis.name}) * ${position_quantum};
    before[${axis.index}u * span.stride + v] = u${axis.name};
#endfor
    // A little more than the way of a step, against rounding.
    let way = bitcast<u32>(1.000001 * sqrt(dot(travel, travel)));
    for (var k = 0u; k < 2u; k++) {
        if (way > atomicLoad(&pace[k])) {
            atomicMax(&pace[k], way);
        }
    }
    if (fastest > ${fastest}) {
        atomicMin(&broken[slot], span.step << ${damage.bits}u | ${damage.speed}u);
    }
}
