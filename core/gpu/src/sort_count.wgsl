// How many items each bucket holds; each item keeps how many came before it, which differs from run to run.
struct Span {
    count: u32,
}
var<immediate> span: Span;

${declarations}
#include "main.wgsl"

fn work_on(item: u32) {
    order[item] = atomicAdd(&starts[keys[item]], 1u);
}
