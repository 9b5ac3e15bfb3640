// Bodies along their velocities, and turned by their spins, for a step. Squares of speeds as bits, which stand in order as they do: the
// largest since they were zeroed, each of many bodies' so that not all meet at one.
#include "prelude.wgsl"
#include "moved.wgsl"

var<storage, read_write> position: array<vec2<i32>>;
var<storage, read_write> orientation: array<real>;
var<storage, read> kind: array<u32>;
var<storage, read> kinds: array<Kind>;
var<storage, read> velocity: array<real>;
var<storage, read_write> spin: array<real>;
var<storage, read_write> speeds: array<atomic<u32>>;

fn work_on(k: u32) {
    let i = span.first + k;
    let V = vector_of_velocity(i);
    let squared = bitcast<u32>(f32(dot(V, V)));
    let s = (k / ${workgroup}u % ${speeds.count}u) * ${speeds.apart}u;
    if (squared > atomicLoad(&speeds[s])) {
        atomicMax(&speeds[s], squared);
    }
#for axis in axes
    let way${axis.name} = i32(round(clamp(V.${axis.name}, real(-0.49), real(0.49)) * real(${scale.way})));
    position[${axis.index}u * span.stride + i] = moved(position[${axis.index}u * span.stride + i], way${axis.name}, 1u);
#endfor
    let now = free_rotation(quaternion(i), vector_of_spin(i), kinds[kind[i]].I, real(1.0));
    for (var a = 0u; a < 4u; a++) {
        orientation[a * span.stride + i] = now.q[a];
    }
    for (var a = 0u; a < 3u; a++) {
        spin[a * span.stride + i] = now.L[a];
    }
}
