// Copies `count` words between an array and a message, each from or to where `list` says.
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
