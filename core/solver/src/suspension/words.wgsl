// Moves `count` words between an array and a message, each from or to where `list` says: gathers them, or adds them.
struct Span {
    count: u32,
}
var<immediate> span: Span;

${declarations}
#include "main.wgsl"

fn work_on(k: u32) {
#if add
    // Several neighbours may send a share of the same word.
    atomicAdd(&words[list[k]], message[k]);
#else
    message[k] = words[list[k]];
#endif
}
