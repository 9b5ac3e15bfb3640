// The sort key of each particle. First come this rank's own tiles, with tiles that others see last; then one key for
// particles where no rank has nodes, which stay here; then one for each neighbour that owns tiles; last one for
// particles that are gone.
#include "prelude.wgsl"

var<storage, read> gone: array<u32>;
var<storage, read> owners: array<u32>;
var<storage, read> seen: array<u32>;
var<storage, read_write> keys: array<u32>;

fn work_on(i: u32) {
    let tile = tile_of(i);
    let owner = select(owners[min(tile, ${tiles - 1}u)], NOWHERE, tile == NOWHERE);
    let own = select(tile, ${frontier}u + tile, seen[min(tile, ${tiles}u)] != 0u);
    let home = select(select(${lost + 1}u + owner, ${lost}u, owner == NOWHERE), own, owner == OWN);
    keys[i] = select(home, ${lost + neighbours + 1}u, gone[i] != 0u);
}
