// Where each particle belongs: its tile where that is this rank's own, else, after all tiles, the neighbour that owns it;
// last the particles that are where no rank has nodes.
#include "prelude.wgsl"

fn work_on(i: u32) {
    let tile = tile_of(i);
    let owner = select(owners[min(tile, ${tiles - 1}u)], NOWHERE, tile == NOWHERE);
    keys[i] = select(select(${tiles}u + owner, ${tiles + neighbours}u, owner == NOWHERE), tile, owner == OWN);
}
