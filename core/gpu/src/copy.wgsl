// A plain copy, 16 bytes an invocation.
struct Span {
    count: u32,
}
var<immediate> span: Span;

${declarations}
#include "main.wgsl"

fn work_on(k: u32) {
    to[k] = values[k];
}
