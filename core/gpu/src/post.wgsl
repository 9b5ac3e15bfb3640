// Posts a message into a slot, each word together with the number of the message. `last` gets a word without meaning,
// for peers without a piece.
struct Span {
    count: u32,
    number: u32,
    first: u32,
    last: u32,
}
var<immediate> span: Span;

var<storage, read> words: array<u32>;
// Both numbers of an entry are written at once.
var<storage, read_write> slots: array<vec2<u32>>;
// Not accessed. It is declared as written so that messages are posted and fetched in the order of recording.
var<storage, read_write> order: array<u32>;
#include "main.wgsl"

fn work_on(k: u32) {
    if (k + 1u == span.count) {
        slots[span.last] = vec2(0u, span.number);
    } else {
        slots[span.first + k] = vec2(words[k], span.number);
    }
}
