// What bodies answer the fluid, added to the own nodes of their regions, as whole numbers. ${abreast} invocations side by side
// share a body: each takes every ${abreast}th node of a row, so that they add to nodes side by side, which memory takes
// together. Where bodies are few, ${sharing} times as many share a body: each takes every ${sharing}th row. Bodies whose
// regions have no own nodes, as gather.wgsl marked them, answer nothing.
#include "prelude.wgsl"
#include "kernel.wgsl"
#include "region.wgsl"
#include "whole.wgsl"
#include "add_force.wgsl"

var<storage, read> orientation: array<real>;
var<storage, read> directory: array<u32>;
var<storage, read> sites: array<u32>;
var<storage, read> answer: array<real>;
var<storage, read> reached: array<u32>;

// What a body answers: the force density g + alpha x (r - c) over its region.
struct Answer {
    g: vec3<real>,
    alpha: vec3<real>,
    c: vec3<real>,
}

fn work_on(k: u32) {
    let i = span.first + k / ${abreast * sharing}u;
    if (reached[i] == 0u) {
        return;
    }
    let lane = i32(k % ${abreast}u);
    let region = region_of(i);
    let its = Answer(answer_of(i, 0u), answer_of(i, 3u), answer_of(i, 6u));
#if sharing > 1
    let wide = max(region.last.y - region.first.y + 1, 0);
    let rows = wide * max(region.last.z - region.first.z + 1, 0);
    for (var row = i32(k / ${abreast}u % ${sharing}u); row < rows; row += ${sharing}) {
        add_to_row(region, region.first.y + row % wide, region.first.z + row / wide, lane, its);
    }
#else
    for (var dz = region.first.z; dz <= region.last.z; dz++) {
        for (var dy = region.first.y; dy <= region.last.y; dy++) {
            add_to_row(region, dy, dz, lane, its);
        }
    }
#endif
}

// Adds to every ${abreast}th node of the row at dy, dz, from number `lane` on.
fn add_to_row(region: Region, dy: i32, dz: i32, lane: i32, its: Answer) {
    let row = row_of(region, dy, dz);
    if (row.first + lane > row.last) {
        return;
    }
    let sy = wrapped_y(region.site.y + dy);
    let sz = wrapped_z(region.site.z + dz);
    let place = place_y(sy) + place_z(sz);
    let local = (u32(sz & 7) << 6u) | (u32(sy & 7) << 3u);
    for (var dx = row.first + lane; dx <= row.last; dx += ${abreast}) {
        let sx = wrapped_x(region.site.x + dx);
        let n = sites[(directory[place + place_x(sx)] << ${block_bits}u) | local | u32(sx & 7)];
        let w = weight(region, row, dx);
        if (n < FLUID && w > real(0.0)) {
            let r = vec3<real>(vec3<i32>(dx, dy, dz)) - region.f;
            let most = vec3<real>(real(${largest_answer}));
            let density = its.g + cross(its.alpha, r - its.c);
            add_force(n, whole(real(${scale.force}) * clamp(w * density, -most, most)));
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
