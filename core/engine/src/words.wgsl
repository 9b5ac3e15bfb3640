// Gathers `count` words of an array into a message, or adds a message to words of the array. `list` holds their indices
// in the array.
struct Span {
    count: u32,
}
var<immediate> span: Span;

#if add
var<storage, read_write> words: array<atomic<i32>>;
var<storage, read> message: array<i32>;
#else
var<storage, read> words: array<i32>;
var<storage, read_write> message: array<i32>;
#endif
var<storage, read> list: array<u32>;
#include "main.wgsl"

fn work_on(k: u32) {
#if add
    // Several neighbours may send sums for the same word.
    atomicAdd(&words[list[k]], message[k]);
#else
    message[k] = words[list[k]];
#endif
}
