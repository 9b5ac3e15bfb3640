// The particles that neighbours see: counts them for each, or lists them, one neighbour's after the other's. Of a particle that several see, each
// place in the list knows the next.
#include "prelude.wgsl"

fn work_on(i: u32) {
    var bits = seen[keys[i]];
#if not count
    var place = 0u;
#endif
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
            next_place[at] = place;
            place = at + 1u;
        }
#endif
    }
#if not count
    first_place[i] = place;
#endif
}
