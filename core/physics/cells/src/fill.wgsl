// Sets `count` words from `first` on to `value`.
struct Span {
    count: u32,
    value: u32,
    first: u32,
}
var<immediate> span: Span;

var<storage, read_write> words: array<u32>;
#include "main.wgsl"

fn work_on(k: u32) {
    words[span.first + k] = span.value;
}
