// Copies the populations that this workgroup wrote and other parts need into the message. Workgroups from number
// `span.packs` on have nodes of the interface. `crossing` begins with the range of items of each of these workgroups. An item
// is the pair's number plus 16 times the place in the message, then the index in the pair's array.

var<storage, read> crossing: array<vec2<u32>>;
#include "put.wgsl"

fn groups_of_nodes() -> u32 {
    return (span.count + ${workgroup - 1}u) / ${workgroup}u;
}

// Those begin, so that the message travels while the others are at work.
fn number_at(place: u32) -> u32 {
    let first = min(span.packs, groups_of_nodes());
    let ahead = groups_of_nodes() - first;
    if (place >= groups_of_nodes()) {
        return place;
    }
    return select(place - ahead, first + place, place < ahead);
}

fn packing(number: u32) -> bool {
    return number >= span.packs && number < groups_of_nodes();
}

fn pack(number: u32, lane: u32) {
    let items = crossing[number - span.packs];
    for (var k = items.x + lane; k < items.y; k += ${workgroup}u) {
        let item = crossing[k];
        let to = item.x >> 4u;
        switch (item.x & 15u) {
#for p in pairs
            case ${p.k}u: {
#if width == 1
                put(to, f_${p.k}[item.y]);
#else
                put(to, f_${p.k}[item.y / ${width}u][item.y % ${width}u]);
#endif
            }
#endfor
            default: {}
        }
    }
}
