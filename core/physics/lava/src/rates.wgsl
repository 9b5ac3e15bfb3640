// How fast the flows of the cells of the listed blocks change what they depend on, over the share of it that a time step may
// change, 1/s: the largest such rate bounds the time step.
struct Span {
    own: u32,
}
var<immediate> span: Span;

var<storage, read> before: array<f32>;
var<storage, read> beside_axial: array<u32>;
var<storage, read> beside_diagonal: array<u32>;
var<storage, read_write> blocks: array<atomic<u32>>;
// The largest rate, as bits; transfers that were limited.
var<storage, read_write> notes: array<atomic<u32>>;
#include "lava.wgsl"
#include "flow.wgsl"
#include "listed.wgsl"

// Sum over the pairs of cell n.
var<private> rate: f32;

fn exchange(giver: Lava, gives: bool, weight: f32, per_distance: f32, found: Flow) {
    rate += weight * found.with_slope * per_distance * ${per_levelling};
    rate += weight * select(0.0, found.with_h, gives) * ${per_draining};
}

fn work_on(n: u32) {
    let here = lava_at(n);
    rate = 0.0;
#include "pairs.wgsl"
    let bits = bitcast<u32>(rate);
    if (bits > atomicLoad(&notes[0])) {
        atomicMax(&notes[0], bits);
    }
}
