// The particles that leave, to which neighbour, or are gone: counts them, or lists them, one neighbour's after the other's.
#include "prelude.wgsl"

fn work_on(i: u32) {
    let key = keys[i];
    // Up to there those that stay.
    if (key > ${lost}u) {
        let k = key - ${lost + 1}u;
#if count
        atomicAdd(&places[k], 1u);
#else
        list[atomicAdd(&places[k], 1u)] = i;
#endif
    }
}
