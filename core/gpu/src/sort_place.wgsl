// Puts items into their buckets, in any order within a bucket.
struct Span {
    count: u32,
}
var<immediate> span: Span;

var<storage, read> keys: array<u32>;
var<storage, read> starts: array<u32>;
var<storage, read> before: array<u32>;
var<storage, read_write> order: array<u32>;
#include "main.wgsl"

fn work_on(item: u32) {
    order[starts[keys[item]] + before[item]] = item;
}
