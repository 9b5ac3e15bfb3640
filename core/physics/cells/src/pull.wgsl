// Adds the pull on each vertex of the shape to the force on that vertex of each of the population's cells.
#include "prelude.wgsl"

var<storage, read> slot_of: array<u32>;
var<storage, read> pull: array<real>;
var<storage, read_write> force: array<real>;

fn work_on(k: u32) {
    let v = span.first + k;
    if (slot_of[v] == NONE) {
        return;
    }
    let of_cell = k % span.vertices;
#for axis in axes
    force[${axis.index}u * span.stride + v] += pull[${axis.index}u * span.vertices + of_cell];
#endfor
}
