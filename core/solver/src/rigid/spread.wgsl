// What each body answers the fluid, to the own nodes of its region, as integers. `lanes` invocations share a body: each of
// ${abreast} side by side takes every ${abreast}th node of a row, so that they add to nodes side by side, which memory takes together; the
// others take other rows.
#include "prelude.wgsl"
#include "kernel.wgsl"
#include "region.wgsl"
#include "whole.wgsl"

fn work_on(k: u32) {
    let i = span.first + k / span.lanes;
    let lane = i32(k % span.lanes) % ${abreast};
    let rows_at_once = i32(span.lanes / ${abreast}u);
    let region = region_of(i);
    let g = answered(i, 0u);
    let alpha = answered(i, 3u);
    let c = answered(i, 6u);
    let rows_of_plane = region.last.y - region.first.y + 1;
    var first_y = region.first.y + i32(k % span.lanes) / ${abreast};
    for (var dz = region.first.z; dz <= region.last.z; dz++) {
        let sz = wrapped_z(region.site.z + dz);
        var dy = first_y;
        for (; dy <= region.last.y; dy += rows_at_once) {
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
        first_y = dy - rows_of_plane;
    }
}

fn answered(i: u32, first: u32) -> vec3<real> {
    return vec3<real>(
        answer[first * span.stride + i],
        answer[(first + 1u) * span.stride + i],
        answer[(first + 2u) * span.stride + i],
    );
}
