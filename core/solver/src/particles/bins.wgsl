// The tile of each particle, copies included; those outside of the map and those that are gone after all others.
#include "prelude.wgsl"

fn work_on(i: u32) {
    keys[i] = select(min(tile_of(i), ${tiles}u), ${tiles}u, gone[i] != 0u);
}
