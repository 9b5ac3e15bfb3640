// The box of whole sites around each cell: the least of the lower and of the negative upper ends of its vertices.
#include "prelude.wgsl"

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
