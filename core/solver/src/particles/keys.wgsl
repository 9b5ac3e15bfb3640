// Where each particle belongs: its tile where that is this rank's own; after all tiles those that are where no rank has nodes,
// which stay; then the neighbour that owns it; last those that are gone.
#include "prelude.wgsl"

fn work_on(i: u32) {
    let tile = tile_of(i);
    let owner = select(owners[min(tile, ${tiles - 1}u)], NOWHERE, tile == NOWHERE);
    let home = select(select(${tiles + 1}u + owner, ${tiles}u, owner == NOWHERE), tile, owner == OWN);
    keys[i] = select(home, ${tiles + neighbours + 1}u, gone[i] != 0u);
}
