// Copies `count` words between a message and an array of rows of ${width} words. `list` holds the row in the array of each row of the
// message.
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
    let at = list[k / ${width}u] * ${width}u + k % ${width}u;
#if scatter
    words[at] = message[k];
#else
    message[k] = words[at];
#endif
}
