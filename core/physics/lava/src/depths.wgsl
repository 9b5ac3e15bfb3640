// The least thickness of lava in the cells of each vent, as bits.
struct Span {
    count: u32,
}
var<immediate> span: Span;

var<storage, read> before: array<f32>;
var<storage, read> vent_cells: array<vec2<u32>>;
var<storage, read_write> depths: array<atomic<u32>>;
#include "main.wgsl"

fn work_on(k: u32) {
    let cell = vent_cells[k];
    atomicMin(&depths[cell.y], bitcast<u32>(before[${row}u * cell.x + 1u]));
}
