// What each body answers the fluid, to the own nodes of its region, as integers. Invocations side by side add to nodes side by
// side, which memory takes together.
#include "prelude.wgsl"
#include "kernel.wgsl"

fn work_on(k: u32) {
    let i = span.first + k / ${lanes}u;
    let lane = i32(k % ${lanes}u);
    let own = kinds[kind[i]];
    let e = matrix_of(quaternion(i));
    let g = answered(i, 0u);
    let alpha = answered(i, 3u);
    let c = answered(i, 6u);
#include "region.wgsl"
}

fn answered(i: u32, first: u32) -> vec3<real> {
    return vec3<real>(
        answer[first * span.stride + i],
        answer[(first + 1u) * span.stride + i],
        answer[(first + 2u) * span.stride + i],
    );
}
