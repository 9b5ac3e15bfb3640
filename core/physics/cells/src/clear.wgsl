// Sets to zero what vertices add to: first the forces on nodes, `forces` words of them, then the loads of nodes.
struct Span {
    count: u32,
    forces: u32,
}
var<immediate> span: Span;

var<storage, read_write> words: array<u32>;
var<storage, read_write> node_load: array<u32>;
#include "main.wgsl"

fn work_on(k: u32) {
    if (k < span.forces) {
        words[k] = 0u;
    } else {
        node_load[k - span.forces] = 0u;
    }
}
