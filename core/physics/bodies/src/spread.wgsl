// What each body answers the fluid, to the own nodes of its region, as integers. Several invocations share a body: each of
// ${abreast} side by side takes every ${abreast}th node of a row, so that they add to nodes side by side, which memory takes together; the
// others take other rows.
// Own bodies come first, then ghosts; with a message, as it tells of them: what they answer, and how they move on. Then only those answer that
// gathering marked.
#include "prelude.wgsl"
#include "kernel.wgsl"
#include "region.wgsl"
#include "whole.wgsl"

var<storage, read> orientation: array<real>;
var<storage, read> directory: array<u32>;
var<storage, read> sites: array<u32>;
var<storage, read> answer: array<real>;
var<storage, read_write> node_force: array<atomic<i32>>;
var<storage, read> coming: array<real>;
var<storage, read> reached: array<u32>;
var<storage, read_write> velocity: array<real>;
var<storage, read_write> spin: array<real>;

const LANES: u32 = ${lanes_of_ghosts}u;

// Workgroups for own bodies.
fn groups_of_own() -> u32 {
    return ((span.own - span.first) * ${abreast}u + ${workgroup - 1}u) / ${workgroup}u;
}

fn work_on(k: u32) {
    var i = span.first + k / ${abreast}u;
    var part = k % ${abreast}u;
    var lanes = ${abreast}u;
    let own_items = groups_of_own() * ${workgroup}u;
    if (k >= own_items) {
        let ghost = (k - own_items) / LANES;
        if (ghost >= span.ghosts) {
            return;
        }
        i = span.own + ghost;
        part = (k - own_items) % LANES;
        lanes = LANES;
        if (span.message != 0u) {
            if (part == 0u) {
#for axis in axes
                velocity[${axis.index}u * span.stride + i] = coming[${told_words}u * ghost + ${9 + axis.index}u];
                spin[${axis.index}u * span.stride + i] = coming[${told_words}u * ghost + ${12 + axis.index}u];
#endfor
            }
            if (reached[i] == 0u) {
                return;
            }
        }
    } else if (i >= span.own) {
        return;
    }
    let lane = i32(part % ${abreast}u);
    let rows_at_once = i32(lanes / ${abreast}u);
    let region = region_of(i);
    let g = answer_of(i, 0u);
    let alpha = answer_of(i, 3u);
    let c = answer_of(i, 6u);
    let rows_of_plane = region.last.y - region.first.y + 1;
    var first_y = region.first.y + i32(part / ${abreast}u);
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

fn answer_of(i: u32, first: u32) -> vec3<real> {
    if (i >= span.own && span.message != 0u) {
        let at = ${told_words}u * (i - span.own) + first;
        return vec3<real>(coming[at], coming[at + 1u], coming[at + 2u]);
    }
    return vec3<real>(
        answer[first * span.stride + i],
        answer[(first + 1u) * span.stride + i],
        answer[(first + 2u) * span.stride + i],
    );
}
