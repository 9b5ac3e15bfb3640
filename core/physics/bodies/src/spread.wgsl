// What bodies answer the fluid, added to the own nodes of their regions, as whole numbers. ${abreast} invocations side by side
// share a body: each takes every ${abreast}th node of a row, so that they add to nodes side by side, which memory takes
// together. Where regions are large, ${sharing} times as many share a body: each takes every ${sharing}th row. Bodies whose
// regions have no own nodes, as gather.wgsl marked them, answer nothing.
#include "prelude.wgsl"
#include "kernel.wgsl"
#include "region.wgsl"
#include "whole.wgsl"

var<storage, read> orientation: array<real>;
var<storage, read> directory: array<u32>;
var<storage, read> sites: array<u32>;
var<storage, read> answer: array<real>;
var<storage, read> reached: array<u32>;
var<storage, read_write> node_force: array<atomic<i32>>;

fn work_on(k: u32) {
    let i = span.first + k / ${abreast * sharing}u;
    if (reached[i] == 0u) {
        return;
    }
    let lane = i32(k % ${abreast}u);
#if sharing > 1
    let share = i32(k / ${abreast}u % ${sharing}u);
    var row_number = 0;
#endif
    let region = region_of(i);
    let g = answer_of(i, 0u);
    let alpha = answer_of(i, 3u);
    let c = answer_of(i, 6u);
    for (var dz = region.first.z; dz <= region.last.z; dz++) {
        let sz = wrapped_z(region.site.z + dz);
        for (var dy = region.first.y; dy <= region.last.y; dy++) {
#if sharing > 1
            row_number++;
            if (row_number % ${sharing} != share) {
                continue;
            }
#endif
            let row = row_of(region, dy, dz);
            if (row.first + lane > row.last) {
                continue;
            }
            let sy = wrapped_y(region.site.y + dy);
            let place = place_y(sy) + place_z(sz);
            let local = (u32(sz & 7) << 6u) | (u32(sy & 7) << 3u);
            for (var dx = row.first + lane; dx <= row.last; dx += ${abreast}) {
                let sx = wrapped_x(region.site.x + dx);
                let n = sites[(directory[place + place_x(sx)] << ${block_bits}u) | local | u32(sx & 7)];
                let w = weight(region, row, dx);
                if (n < FLUID && w > real(0.0)) {
                    let r = vec3<real>(vec3<i32>(dx, dy, dz)) - region.f;
                    let most = vec3<real>(real(${largest_answer}));
                    let f = whole(real(${scale.force}) * clamp(w * (g + cross(alpha, r - c)), -most, most));
                    atomicAdd(&node_force[n], f.x);
                    atomicAdd(&node_force[span.node_stride + n], f.y);
                    atomicAdd(&node_force[2u * span.node_stride + n], f.z);
                }
            }
        }
    }
}

fn answer_of(i: u32, first: u32) -> vec3<real> {
    return vec3<real>(
        answer[first * span.stride + i],
        answer[(first + 1u) * span.stride + i],
        answer[(first + 2u) * span.stride + i],
    );
}
