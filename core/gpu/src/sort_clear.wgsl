// Writes zeros.
struct Span {
    count: u32,
}
var<immediate> span: Span;

var<storage, read_write> starts: array<u32>;
#include "main.wgsl"

fn work_on(k: u32) {
    starts[k] = 0u;
}
