// Number of workgroups of kernels that work on the listed blocks: one a block, and some for blocks that enter later.
struct Span {
    count: u32,
}
var<immediate> span: Span;

var<storage, read_write> blocks: array<u32>;
var<storage, read> size: array<u32>;
var<storage, read_write> arguments: array<u32>;
#include "main.wgsl"

fn work_on(k: u32) {
    let wanted = clamp(size[0] + size[0] / ${blocks_per_spare}u, 1u, arrayLength(&blocks));
    let x = min(wanted, ${most_groups}u);
    arguments[0] = x;
    arguments[1] = (wanted + x - 1u) / x;
    arguments[2] = 1u;
}
