// The particles that neighbours see: counts them for each, or lists them, one neighbour's after the other's.
#include "prelude.wgsl"

fn work_on(i: u32) {
    var bits = seen[keys[i]];
    while (bits != 0u) {
        let k = firstTrailingBit(bits);
        bits &= bits - 1u;
#if count
        atomicAdd(&places[k], 1u);
#else
        // Where there are more than there is room for, the host makes room and asks again.
        let at = atomicAdd(&places[k], 1u);
        if (at < arrayLength(&list)) {
            list[at] = i;
        }
#endif
    }
}
