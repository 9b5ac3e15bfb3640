// Adds each embedded point on this rank's sites to the sums of its next cell, with its mass, after the second half of the
// body force's kick. Every rank kicks all points.
#include "prelude.wgsl"
#include "main.wgsl"
#include "lookup.wgsl"
#include "particles.wgsl"
#include "fixed.wgsl"
#include "here.wgsl"
#if andersen
#include "philox.wgsl"
#include "thermal.wgsl"
#endif

var<storage, read> mass: array<u32>;
var<storage, read_write> sums: array<atomic<i32>>;

fn work_on(i: u32) {
    let at = position_of(i);
    var v = velocity_of(i);
    if (span.moves == 1u) {
        v += vec3<f32>(span.kick_x, span.kick_y, span.kick_z);
        put(i, at, v);
    }
    if (!is_here(at)) {
        return;
    }
    let m = f32(mass[i]);
    let next = cell_at((at + shift()) >> BITS) * WIDTH;
    atomicAdd(&sums[next], i32(mass[i]));
    atomicAdd(&sums[next + EXCESS], i32(mass[i]) - 1);
#for axis in axes
    atomicAdd(&sums[next + ${1 + axis.index}u], momentum_of(m * v.${axis.name}));
#endfor
    atomicAdd(&sums[next + ENERGY], energy_of(sqrt(m) * v));
#if andersen
    let thermal = m * thermal_of_point(i, m, span.step);
#for axis in axes
    atomicAdd(&sums[next + ENERGY + ${1 + axis.index}u], momentum_of(thermal.${axis.name}));
#endfor
#endif
}
