// Puts items and their ties into their buckets, in any order within a bucket.
struct Span {
    count: u32,
}
var<immediate> span: Span;

var<storage, read> keys: array<u32>;
var<storage, read> ties: array<u32>;
var<storage, read> starts: array<u32>;
var<storage, read> before: array<u32>;
var<storage, read_write> scattered: array<vec2<u32>>;
#include "main.wgsl"

fn work_on(item: u32) {
    scattered[starts[keys[item]] + before[item]] = vec2<u32>(ties[item], item);
}
