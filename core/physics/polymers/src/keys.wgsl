// The bucket of each bead, where it is after `begin` sub-steps.
#include "prelude.wgsl"
#include "main.wgsl"
#include "beads.wgsl"
#include "grid.wgsl"

var<storage, read_write> keys: array<u32>;

fn work_on(i: u32) {
    keys[i] = bucket_of(grid_cell(position_after(span.begin, i)));
}
