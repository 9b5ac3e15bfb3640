// Lists the blocks in which something may flow anew: those with lava, those beside lava, and those with vents. A block is kept until
// both rows of its cells are without lava.
struct Span {
    own: u32,
    generation: u32,
}
var<immediate> span: Span;

var<storage, read> before: array<f32>;
var<storage, read> after: array<f32>;
var<storage, read> beside_axial: array<u32>;
var<storage, read> beside_diagonal: array<u32>;
// Of each block: 0 without vents.
var<storage, read> vent_rows: array<u32>;
// The list until now, and the new one.
var<storage, read_write> blocks: array<atomic<u32>>;
var<storage, read_write> entered: array<atomic<u32>>;
var<storage, read_write> size: array<atomic<u32>>;
var<storage, read_write> stamp: array<atomic<u32>>;
#include "activate.wgsl"
#include "listed.wgsl"

fn work_on(n: u32) {
    // Blocks with vents are in every list.
    if (vent_rows[n / ${workgroup}u] != 0u) {
        activate(n / ${workgroup}u);
    }
    if (before[${row}u * n + 1u] > 0.0 || after[${row}u * n + 1u] > 0.0) {
        activate_around(n);
    }
}
