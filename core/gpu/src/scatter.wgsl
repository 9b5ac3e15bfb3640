// Puts the words of a message into an array.
struct Span {
    count: u32,
    // The first stretch of this array.
    begin: u32,
}
var<immediate> span: Span;

var<storage, read_write> words: array<u32>;
var<storage, read> message: array<u32>;
#include "stretches.wgsl"
#include "main.wgsl"

fn work_on(k: u32) {
    let stretch = stretches[span.begin + k / ${longest}u];
    let n = k % ${longest}u;
    if (n < stretch.count) {
        words[stretch.first + n] = message[stretch.to + n];
    }
}
