// Lists the blocks in which something may flow anew: those with lava, those beside lava, and those with vents. A block is kept until
// both rows of its cells are without lava.
struct Span {
    own: u32,
    generation: u32,
    vent_cells: u32,
}
var<immediate> span: Span;

var<storage, read> before: array<f32>;
var<storage, read> after: array<f32>;
var<storage, read> beside_axial: array<u32>;
var<storage, read> beside_diagonal: array<u32>;
var<storage, read> vent_cells: array<vec2<u32>>;
var<storage, read> listed: array<u32>;
var<storage, read> listed_size: array<u32>;
var<storage, read_write> blocks: array<u32>;
var<storage, read_write> size: array<atomic<u32>>;
var<storage, read_write> stamp: array<atomic<u32>>;
#include "activate.wgsl"

@compute @workgroup_size(${workgroup})
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let place = group.y * groups.x + group.x;
    // There are at least as many listed cells as cells of vents, which lie in listed blocks.
    let k = place * ${workgroup}u + lane;
    if (k < span.vent_cells) {
        activate(vent_cells[k].x / ${workgroup}u);
    }
    if (place >= listed_size[0]) {
        return;
    }
    let n = listed[place] * ${workgroup}u + lane;
    if (n < span.own && (before[${row}u * n + 1u] > 0.0 || after[${row}u * n + 1u] > 0.0)) {
        activate_around(n);
    }
}
