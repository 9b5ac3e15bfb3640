// Marks own nodes inside cells by parity. Each face of a cell flips the bit `span.mark` of nodes in every row along x that it
// meets: those between its crossing of the row and a reference site, the same for all faces of the cell.
// Positions are rounded to 2^-10, so that which row meets which face is exact: each row meets a closed surface an even
// number of times, also at shared corners and edges.
#include "prelude.wgsl"
#include "sites.wgsl"

var<storage, read> position: array<vec2<i32>>;
var<storage, read> slot_of: array<u32>;
var<storage, read> corners: array<u32>;
var<storage, read_write> inside: array<atomic<u32>>;
var<storage, read> directory: array<u32>;
var<storage, read> sites: array<u32>;

const ONE: i32 = 1024;

alias Point = vec${dimension}<i32>;

fn work_on(k: u32) {
    let cell = k / span.faces;
    let first = span.first + cell * span.vertices;
    if (slot_of[first] == NONE) {
        return;
    }
    let origin = Point(
#for axis in axes
        position[${axis.index}u * span.stride + first].x,
#endfor
    );
    let face = ${dimension}u * (k - cell * span.faces);
    let a = point(first + corners[face], origin);
    let b = point(first + corners[face + 1u], origin);
#if dimension == 2
    for (var y = (min(a.y, b.y) >> 10u) + 1; y <= (max(a.y, b.y) >> 10u); y += 1) {
        let share = f32(y * ONE - a.y) / f32(b.y - a.y);
        flip(f32(a.x) + share * f32(b.x - a.x), y, 0, origin);
    }
#else
    let c = point(first + corners[face + 2u], origin);
    let low = min(a, min(b, c));
    let high = max(a, max(b, c));
    let normal = vec3<f32>(cross_of(b.yz - a.yz, c.yz - a.yz), cross_of(b.zx - a.zx, c.zx - a.zx), cross_of(b.xy - a.xy, c.xy - a.xy));
    for (var z = (low.z >> 10u) + 1; z <= (high.z >> 10u); z += 1) {
        for (var y = low.y >> 10u; y <= (high.y >> 10u); y += 1) {
            let at = vec2(y, z) * ONE;
            if ((passes(a.yz, b.yz, at) != passes(b.yz, c.yz, at)) != passes(c.yz, a.yz, at)) {
                let x = f32(a.x) - (normal.y * f32(at.x - a.y) + normal.z * f32(at.y - a.z)) / normal.x;
                flip(clamp(x, f32(low.x), f32(high.x)), y, z, origin);
            }
        }
    }
#endif
}

// Vertex v from the site `origin`, in 2^-10.
fn point(v: u32, origin: Point) -> Point {
#for axis in axes
    let p${axis.name} = position[${axis.index}u * span.stride + v];
#endfor
    return Point(
#for axis in axes
        (p${axis.name}.x - origin.${axis.name}) * ONE + i32(bitcast<u32>(p${axis.name}.y) >> 22u),
#endfor
    );
}
#if dimension == 3

fn cross_of(a: vec2<i32>, b: vec2<i32>) -> f32 {
    return f32(a.x * b.y - a.y * b.x);
}

// Whether, in the plane of y and z, the edge between a and b meets the ray from `at` along y: an answer that does not
// depend on which of its ends is a.
fn passes(a: vec2<i32>, b: vec2<i32>, at: vec2<i32>) -> bool {
    if ((a.y < at.y) == (b.y < at.y)) {
        return false;
    }
    let low = select(b, a, a.y < at.y);
    let high = select(a, b, a.y < at.y);
    return (high.x - low.x) * (at.y - low.y) > (at.x - low.x) * (high.y - low.y);
}
#endif

// Flips the nodes of a row between `meets`, in 2^-10, and the origin.
fn flip(meets: f32, y: i32, z: i32, origin: Point) {
    let x = i32(ceil(meets / f32(ONE)));
    let begin = min(x, 0);
    let end = max(x, 0);
    let row_y = wrapped_y(origin.y + y);
    var row_place = place_y(row_y);
    var row_local = u32(row_y & 7) << 3u;
#if dimension == 3
    let row_z = wrapped_z(origin.z + z);
    row_place += place_z(row_z);
    row_local |= u32(row_z & 7) << 6u;
#endif
    var site = wrapped_x(origin.x + begin);
    for (var k = begin; k < end; k += 1) {
        let block = directory[row_place + place_x(site)];
        let node = sites[(block << ${block_bits}u) | row_local | u32(site & 7)];
        if (node < FLUID) {
            atomicXor(&inside[node], span.mark);
        }
        site = after_x(site);
    }
}
