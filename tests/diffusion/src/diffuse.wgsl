// One explicit step of diffusion: c += k (sum over the neighbours along axes of c_j - c), walls let nothing through.
struct Span {
    count: u32,
    own: u32,
    neighbours: u32,
    k: f32,
}
var<immediate> span: Span;

var<storage, read> before: array<f32>;
var<storage, read_write> after: array<f32>;
var<storage, read> beside: array<u32>;
#include "main.wgsl"

fn work_on(n: u32) {
    let c = before[n];
    var gain = 0.0;
    for (var i = 0u; i < span.neighbours; i++) {
        gain += before[beside[i * span.own + n]] - c;
    }
    after[n] = c + span.k * gain;
}
