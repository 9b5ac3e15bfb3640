// Copies `count` words between a message and an array. `list` holds the index in the array of each word of the message.
struct Span {
    count: u32,
}
var<immediate> span: Span;

#if scatter
var<storage, read_write> words: array<u32>;
var<storage, read> message: array<u32>;
#else
var<storage, read> words: array<u32>;
var<storage, read_write> message: array<u32>;
#endif
var<storage, read> list: array<u32>;
#include "main.wgsl"

fn work_on(k: u32) {
#if scatter
    words[list[k]] = message[k];
#else
    message[k] = words[list[k]];
#endif
}
