// Counts the items of each bucket. Stores for each item how many were counted before it, which differs from run to run.
struct Span {
    count: u32,
}
var<immediate> span: Span;

var<storage, read> keys: array<u32>;
var<storage, read_write> starts: array<atomic<u32>>;
var<storage, read_write> before: array<u32>;
#include "main.wgsl"

fn work_on(item: u32) {
    before[item] = atomicAdd(&starts[keys[item]], 1u);
}
