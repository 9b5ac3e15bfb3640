// Words of particles in their new order; `order` holds the old place of each. Places from `sorted` on become `empty`.
struct Span {
    count: u32,
    room: u32,
    sorted: u32,
    empty: u32,
}
var<immediate> span: Span;

var<storage, read> order: array<u32>;
var<storage, read> from_words: array<u32>;
var<storage, read_write> to_words: array<u32>;
#include "main.wgsl"

fn work_on(k: u32) {
    let i = k % span.room;
    if (i < span.sorted) {
        to_words[k] = from_words[k - i + order[i]];
    } else {
        to_words[k] = span.empty;
    }
}
