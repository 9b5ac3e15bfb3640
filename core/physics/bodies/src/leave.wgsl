// Bodies that leave: their centre is beyond an opening's nodes, or will be before this is looked at again. They say to which population
// they belong.
#include "prelude.wgsl"

var<storage, read> position: array<vec2<i32>>;
var<storage, read> orientation: array<real>;
var<storage, read> kind: array<u32>;
var<storage, read> velocity: array<real>;
var<storage, read> gates: array<Gate>;
var<storage, read_write> gone: array<u32>;

fn work_on(k: u32) {
    let i = span.first + k;
    let V = vector_of_velocity(i);
#for axis in axes
    let p${axis.name} = position[${axis.index}u * span.stride + i];
#endfor
    let x = vec3<real>(
#for axis in axes
        real(wrapped_${axis.name}(p${axis.name}.x)) + fraction(p${axis.name}.y),
#endfor
    );
    for (var g = 0u; g < arrayLength(&gates); g++) {
        let gate = gates[g];
        let within = all(x >= gate.low) && all(x <= gate.high);
        let depth = dot(gate.normal, x) - gate.plane;
        if (within && depth + gate.ahead * min(dot(gate.normal, V), real(0.0)) < real(0.0)) {
            gone[i] = kind[i] + 1u;
        }
    }
}
