// Zero in each word.
struct Span {
    count: u32,
}
var<immediate> span: Span;

${declarations}
#include "main.wgsl"

fn work_on(k: u32) {
    words[k] = 0u;
}
