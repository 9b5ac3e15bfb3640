// The message about embedded points: for each, ${1 + dimension} words that are 0 where another rank tells of it, once for each other
// rank.
struct Span {
    count: u32,
    points: u32,
}
var<immediate> span: Span;

var<storage, read> velocity: array<f32>;
var<storage, read> here: array<u32>;
var<storage, read_write> outbox: array<u32>;
#include "main.wgsl"

fn work_on(k: u32) {
    let word = k % (${1 + dimension}u * span.points);
    let i = word % span.points;
    let component = word / span.points;
    var told = here[i];
    if (component < ${dimension}u) {
        told *= bitcast<u32>(velocity[word]);
    }
    outbox[k] = told;
}
