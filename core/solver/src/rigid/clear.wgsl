// Zero in each word, four at a time.
struct Span {
    count: u32,
}
var<immediate> span: Span;

${declarations}
#include "main.wgsl"

fn work_on(k: u32) {
    words[k] = vec4<u32>();
}
