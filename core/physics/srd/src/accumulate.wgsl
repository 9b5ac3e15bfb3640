// Adds each word of `sampled` to the sum of 64 bits in two words of `averages`, and makes it zero.
struct Span {
    count: u32,
}
var<immediate> span: Span;

var<storage, read_write> sampled: array<i32>;
var<storage, read_write> averages: array<vec2<u32>>;
#include "main.wgsl"
#include "wide.wgsl"

fn work_on(k: u32) {
    averages[k] = wide_sum(averages[k], sampled[k]);
    sampled[k] = 0;
}
