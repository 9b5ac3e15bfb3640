// The tile of each particle, copies included; those outside of the map after all others.
#include "prelude.wgsl"

fn work_on(i: u32) {
    keys[i] = min(tile_of(i), ${tiles}u);
}
