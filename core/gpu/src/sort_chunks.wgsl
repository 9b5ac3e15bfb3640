// Orders the items of each bucket within each chunk: the places of one workgroup. If the whole bucket lies in the
// chunk, its items are then in their final places.
#include "sort_chunk.wgsl"

var<storage, read_write> scattered: array<vec2<u32>>;
var<storage, read_write> order: array<u32>;

var<workgroup> pairs: array<vec2<u32>, CHUNK>;

@compute @workgroup_size(CHUNK)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let first = (group.y * groups.x + group.x) * CHUNK;
    let place = first + lane;
    var own = vec2<u32>(0u);
    if (place < span.count) {
        own = scattered[place];
    }
    pairs[lane] = own;
    workgroupBarrier();
    if (place >= span.count) {
        return;
    }
    let bucket = bucket_of(own);
    let here = vec2<u32>(max(bucket.x, first), min(bucket.y, first + CHUNK));
    var sorted = here.x;
    for (var k = here.x; k < here.y; k += 1u) {
        sorted += u32(less(pairs[k - first], own));
    }
    if (all(bucket == here)) {
        order[sorted] = own.y;
    } else {
        scattered[sorted] = own;
    }
}
