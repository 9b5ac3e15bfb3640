// Moves one property of `count` particles: into another order, into a message, out of one. In a message the words of a
// particle stand together, those of this property from `offset` on.
struct Span {
    count: u32,
    // Distance between the components of a particle, words of an element, number of components.
    stride: u32,
    width: u32,
    components: u32,
    // The first particle, where they follow each other.
    first: u32,
    // Words of a particle in the message, and the first of this property's.
    record: u32,
    offset: u32,
}
var<immediate> span: Span;

${declarations}
#include "main.wgsl"

fn work_on(k: u32) {
#if listed
    let i = list[k];
#else
    let i = span.first + k;
#endif
    for (var c = 0u; c < span.components; c++) {
        for (var j = 0u; j < span.width; j++) {
            let at = (c * span.stride + i) * span.width + j;
#if mode == "order"
            ordered[(c * span.stride + k) * span.width + j] = words[at];
#else
            let sent = k * span.record + span.offset + c * span.width + j;
#if mode == "pack"
            message[sent] = words[at];
#elif mode == "unpack"
            words[at] = message[sent];
#else
            // Several copies may add to the same particle.
            atomicAdd(&words[at], message[sent]);
#endif
#endif
        }
    }
}
