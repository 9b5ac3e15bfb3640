// Adds what other ranks sum up in cells that this one uses.
struct Span {
    count: u32,
}
var<immediate> span: Span;

#include "shared_words.wgsl"
var<storage, read> inbox: array<i32>;
var<storage, read_write> sums: array<atomic<i32>>;
#include "main.wgsl"

fn work_on(k: u32) {
    let entry = shared_words[k];
    atomicAdd(&sums[entry.sum], inbox[entry.word]);
}
