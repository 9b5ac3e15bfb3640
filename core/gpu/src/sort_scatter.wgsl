// Items and their ties into their buckets, in any order within.
struct Span {
    count: u32,
}
var<immediate> span: Span;

${declarations}
#include "main.wgsl"

fn work_on(item: u32) {
    scattered[starts[keys[item]] + order[item]] = vec2<u32>(ties[item], item);
}
