// Counts or lists, by neighbour, the particles that leave for a neighbour, then those that are gone.
#include "prelude.wgsl"

var<storage, read> keys: array<u32>;
var<storage, read_write> places: array<atomic<u32>>;
#if not count
var<storage, read_write> list: array<u32>;
#endif

fn work_on(i: u32) {
    let key = keys[i];
    // Particles with keys up to this one stay.
    if (key > ${lost}u) {
        let k = key - ${lost + 1}u;
#if count
        atomicAdd(&places[k], 1u);
#else
        list[atomicAdd(&places[k], 1u)] = i;
#endif
    }
}
