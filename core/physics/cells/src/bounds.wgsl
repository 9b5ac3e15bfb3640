// The box of whole sites around each cell: the least of the lower and of the negative upper ends of its vertices.
#include "prelude.wgsl"

var<storage, read> position: array<vec2<i32>>;
var<storage, read> slot_of: array<u32>;
var<storage, read_write> boxes: array<atomic<i32>>;

fn work_on(v: u32) {
    let slot = slot_of[v];
    if (slot == NONE) {
        return;
    }
#for axis in axes
    let p${axis.name} = position[${axis.index}u * span.stride + v];
    atomicMin(&boxes[slot * ${2 * dimension}u + ${axis.index}u], p${axis.name}.x);
    atomicMin(&boxes[slot * ${2 * dimension}u + ${dimension + axis.index}u], -p${axis.name}.x - i32(p${axis.name}.y != 0));
#endfor
}
