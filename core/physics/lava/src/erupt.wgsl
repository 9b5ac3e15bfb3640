// Lava and heat that come out of the vents in a time step. Sets the number of workgroups of the step.
struct Span {
    count: u32,
    vent_cells: u32,
    // Where the step's numbers begin in `emissions`.
    first: u32,
}
var<immediate> span: Span;

// Cell and vent.
var<storage, read> vent_cells: array<vec2<u32>>;
// Of each step and vent: thickness and heat.
var<storage, read> emissions: array<vec4<u32>>;
var<storage, read_write> fluid: array<vec4<u32>>;
// Blocks of the list, and how many of them the next kernel works on.
var<storage, read_write> size: array<u32>;
var<storage, read_write> arguments: array<u32>;
#include "fixed.wgsl"
#include "main.wgsl"

fn work_on(k: u32) {
    if (k == 0u) {
        let x = clamp(size[0], 1u, ${most_groups}u);
        arguments[0] = x;
        arguments[1] = (size[0] + x - 1u) / x;
        arguments[2] = 1u;
        size[1] = size[0];
    }
    if (k >= span.vent_cells) {
        return;
    }
    let cell = vent_cells[k];
    let came = emissions[span.first + cell.y];
    let had = fluid[cell.x];
    fluid[cell.x] = vec4<u32>(plus(had.xy, came.xy), plus(had.zw, came.zw));
}
