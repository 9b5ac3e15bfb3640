alias real = ${real};

// Sites of a kernel.
const SITES: u32 = ${sites}u;
const ELSEWHERE: u32 = ${elsewhere}u;

// `count` points; `nodes` separates the axes of `near_velocity`, `stride` those of `wall_force`.
struct Span {
    count: u32,
    nodes: u32,
    stride: u32,
}
var<immediate> span: Span;

// The nodes around each point, and the weights up to each.
var<storage, read> at: array<u32>;
var<storage, read> upto: array<real>;

#include "main.wgsl"
