// Waits for `count` words of the messages of other devices, and copies the first `words` of them.
struct Span {
    count: u32,
    number: u32,
    first: u32,
    words: u32,
}
var<immediate> span: Span;

// Pairs of a word and the number of its message.
var<storage, read_write> arrivals: array<atomic<u32>>;
var<storage, read_write> received: array<u32>;
// Not accessed. It is declared as written so that messages are posted and fetched in the order of recording.
var<storage, read_write> order: array<u32>;
#include "main.wgsl"

fn work_on(k: u32) {
    let entry = 2u * (span.first + k);
    loop {
        // Messages up to this one; numbers wrap around after 2^32.
        if (atomicLoad(&arrivals[entry + 1u]) - span.number < 0x80000000u) {
            break;
        }
    }
    let word = atomicLoad(&arrivals[entry]);
    if (k < span.words) {
        received[k] = word;
    }
}
