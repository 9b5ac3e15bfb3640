// How much more arrives along the links into each opening than was sent along them in the step before, where openings.wgsl
// prescribes the velocity at the node:
//   sum s_i (f_i(t+1) - f_i*(t))
// The flow through the opening would be wrong by as much. A sum of whole numbers, in units of 2^-40, is the same in any
// order; 64 bits in two words, one sum for even steps and one for odd ones. Coarser units would be a noise that goes round
// from step to step. One invocation an (opening, node) entry. A workgroup first adds up the entries of one opening: additions
// to one word of the device's memory come one after another.
#include "prelude.wgsl"
#{% with access = "read" %}
#include "state.wgsl"
#{% endwith %}
#include "entry.wgsl"
var<storage, read> entries: array<Entry>;
var<storage, read_write> excess: array<atomic<u32>>;
#{% with joins = true %}
#include "main.wgsl"
#{% endwith %}
#include "share_of_node.wgsl"

// The opening of the workgroup's first entry, and the sum over its entries in this workgroup.
var<workgroup> opening: u32;
var<workgroup> joined: array<atomic<u32>, 2>;

fn open(lane: u32) {
    if (lane < 2u) {
        atomicStore(&joined[lane], 0u);
    }
}

fn close(lane: u32) {
    if (lane == 0u) {
        add(opening, atomicLoad(&joined[0]), atomicLoad(&joined[1]));
    }
}

// Adds to the sum of an opening.
fn add(opening: u32, low: u32, high: u32) {
    let at = 4u * opening + ${"2u" if odd else "0u"};
    let before = atomicAdd(&excess[at], low);
    let carry = select(0u, 1u, before + low < before);
    atomicAdd(&excess[at + 1u], carry + high);
}

// Far beyond what a node can send.
const MOST: real = real(1000.0);

fn work_on(k: u32) {
    let entry = entries[k];
    let first = k - k % ${workgroup}u;
    if (k == first) {
        opening = entry.opening;
    }
    if ((entry.at_node | entry.between) == 0u) {
        return;
    }
    let n = entry.node;
#include "gather.wgsl"
    var more = real(0.0);
#for p in pairs
#for way in [p.ij, p.ji]
    more += share_of_node(entry, ${way.out}u) * (load(f_${p.k}[at${way.out}]) - load(f_${p.k}[at${way.back}]));
#endfor
#endfor

    // Units of 2^-8 and, of the rest, of 2^-40.
    let scaled = clamp(more, -MOST, MOST) * real(256.0);
    let high = floor(scaled);
    let low = u32((scaled - high) * real(4294967296.0));
    if (entry.opening == entries[first].opening) {
        let before = atomicAdd(&joined[0], low);
        let carry = select(0u, 1u, before + low < before);
        atomicAdd(&joined[1], carry + bitcast<u32>(i32(high)));
    } else {
        add(entry.opening, low, bitcast<u32>(i32(high)));
    }
}
