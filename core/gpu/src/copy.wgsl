// A plain copy, 16 bytes an invocation.
struct Span {
    count: u32,
}
var<immediate> span: Span;

var<storage, read> values: array<vec4<u32>>;
var<storage, read_write> to: array<vec4<u32>>;
#include "main.wgsl"

fn work_on(k: u32) {
    to[k] = values[k];
}
