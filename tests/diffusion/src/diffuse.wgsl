// One explicit step of diffusion, whose diffusivity grows with the scalar c: c += sum over the neighbours j along axes of
// k (1 + slope (c + c_j) / 2) (c_j - c). Walls let nothing through.
struct Span {
    count: u32,
    own: u32,
    neighbours: u32,
    k: f32,
    slope: f32,
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
        let other = before[beside[i * span.own + n]];
        gain += (1.0 + 0.5 * span.slope * (c + other)) * (other - c);
    }
    after[n] = c + span.k * gain;
}
