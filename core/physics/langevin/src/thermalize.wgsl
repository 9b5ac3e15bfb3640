// The exact change of velocities by friction and noise in a time step, dv = -(xi/m) v dt + sqrt(2 xi kT) / m dW
// (Uhlenbeck and Ornstein, Phys. Rev. 36, 823, 1930).
struct Span {
    count: u32,
    step: u32,
}
var<immediate> span: Span;

var<storage, read_write> velocity: array<f32>;
var<storage, read> mass: array<u32>;
#include "main.wgsl"
#include "philox.wgsl"

// 1 - exp(-x) for x from 0 to 0.5, by its series: exact for small x too.
fn share_lost(x: f32) -> f32 {
    var sum = 1.0;
    for (var k = 7.0; k > 1.0; k -= 1.0) {
        sum = 1.0 - x / k * sum;
    }
    return x * sum;
}

fn work_on(i: u32) {
    let words = philox(vec4<u32>(i, span.step, ${noise}u, 2u), vec2<u32>(${seed[0]}u, ${seed[1]}u));
    let noise = vec4<f32>(normals_of(words.xy), normals_of(words.zw));
    let m = f32(mass[i]);
    let lost = share_lost(${friction} / m);
    // Noise brings as much of the variance kT/m as friction takes: 1 - (1 - lost)^2.
    let stirred = ${speed} * sqrt(lost * (2.0 - lost) / m);
#for axis in axes
    let ${axis.name} = ${axis.index}u * ${count}u + i;
    velocity[${axis.name}] += stirred * noise.${axis.name} - lost * velocity[${axis.name}];
#endfor
}
