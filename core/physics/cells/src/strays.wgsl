// Lists the cells whose box, widened by `margin` sites, has left the range in which its holders stay the same: the slot of
// each, and its box as in bounds.wgsl. `steady` holds the range: for each slot and axis the first and the last site of the
// lower end, then those of the upper end.
struct Span {
    count: u32,
    margin: i32,
}
var<immediate> span: Span;

// The lower end of a box without a cell.
const EMPTY: i32 = 0x7fffffff;

var<storage, read> boxes: array<i32>;
var<storage, read> steady: array<vec4<i32>>;
// Strays so far, broken cells.
var<storage, read_write> counts: array<atomic<u32>, 2>;
var<storage, read_write> strays: array<i32>;
#include "main.wgsl"

fn work_on(slot: u32) {
    let first = slot * ${2 * dimension}u;
    if (boxes[first] == EMPTY) {
        return;
    }
    var holds = true;
#for axis in axes
    let low${axis.name} = boxes[first + ${axis.index}u] - span.margin;
    let high${axis.name} = span.margin - boxes[first + ${dimension + axis.index}u];
    let range${axis.name} = steady[slot * ${dimension}u + ${axis.index}u];
    holds = holds && range${axis.name}.x <= low${axis.name} && low${axis.name} <= range${axis.name}.y;
    holds = holds && range${axis.name}.z <= high${axis.name} && high${axis.name} <= range${axis.name}.w;
#endfor
    if (holds) {
        return;
    }
    let to = atomicAdd(&counts[0], 1u) * ${1 + 2 * dimension}u;
    strays[to] = i32(slot);
    for (var k = 0u; k < ${2 * dimension}u; k += 1u) {
        strays[to + 1u + k] = boxes[first + k];
    }
}
