// Whether the lists of neighbours still hold: until vertices may have moved by half the skin since they were made. Sizes
// the dispatches that make them anew accordingly.
#include "prelude.wgsl"

var<storage, read_write> pace: array<u32>;
var<storage, read_write> listing: array<u32>;
var<storage, read_write> listing_size: array<u32>;
var<storage, read_write> contact_size: array<u32>;

const FRESH: u32 = 0u;
const TRAVELLED: u32 = 1u;
const COUNT: u32 = 2u;

fn work_on(k: u32) {
    let travelled = bitcast<f32>(listing[TRAVELLED]) + bitcast<f32>(pace[0]) * f32(span.steps);
    pace[0] = 0u;
    // No number is no reason to go on.
    let stale = listing[FRESH] == 0u || !(travelled < ${contact.margin});
    listing[FRESH] = 1u;
    listing[TRAVELLED] = bitcast<u32>(select(travelled, 0.0, stale));
    size_of(0u, select(0u, span.vertices, stale));
    size_of(1u, select(0u, span.stride, stale));
    if (stale) {
        for (var list = 0u; list < 2u; list++) {
            listing[COUNT + list] = 0u;
            contact_size[3u * list] = 0u;
            contact_size[3u * list + 1u] = 1u;
            contact_size[3u * list + 2u] = 1u;
        }
    }
}

// Workgroups of dispatch `entry` for `items` invocations.
fn size_of(entry: u32, items: u32) {
    let groups = (items + WORKGROUP - 1u) / WORKGROUP;
    let rows = max((groups + 65534u) / 65535u, 1u);
    listing_size[3u * entry] = (groups + rows - 1u) / rows;
    listing_size[3u * entry + 1u] = rows;
    listing_size[3u * entry + 2u] = 1u;
}
