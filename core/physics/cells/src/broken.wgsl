// Counts the cells that are broken.
struct Span {
    count: u32,
}
var<immediate> span: Span;

// The word of a sound cell.
const SOUND: u32 = 0xffffffffu;

var<storage, read> broken: array<u32>;
// Strays, broken cells so far.
var<storage, read_write> counts: array<atomic<u32>, 2>;
#include "main.wgsl"

fn work_on(slot: u32) {
    if (broken[slot] != SOUND) {
        atomicAdd(&counts[1], 1u);
    }
}
