// A force on a vertex that is larger than the cap keeps its direction and becomes as large as the cap. What is cut off acts
// nowhere else, so that forces of a cell need not add up to zero: momentum is not kept while cells grow.
#include "prelude.wgsl"

var<storage, read> slot_of: array<u32>;
var<storage, read> cap: array<real>;
var<storage, read_write> force: array<real>;

fn work_on(v: u32) {
    if (slot_of[v] == NONE) {
        return;
    }
    var squared = real(0.0);
#for axis in axes
    let F${axis.name} = force[${axis.index}u * span.stride + v];
    squared += F${axis.name} * F${axis.name};
#endfor
    let largest = cap[0];
    // NaN is not larger and stays for others to find.
    if (squared > largest * largest) {
        let share = largest / sqrt(squared);
#for axis in axes
        force[${axis.index}u * span.stride + v] = share * F${axis.name};
#endfor
    }
}
