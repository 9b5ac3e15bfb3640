// The sort key of each particle: its tile; particles outside of the map and particles that are gone come last.
#include "prelude.wgsl"

var<storage, read> gone: array<u32>;
var<storage, read_write> keys: array<u32>;

fn work_on(k: u32) {
    let i = span.first + k;
    keys[k] = select(min(tile_of(i), ${tiles}u), ${tiles}u, gone[i] != 0u);
}
