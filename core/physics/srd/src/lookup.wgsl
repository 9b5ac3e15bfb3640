// Collision cell c lies, before its shift, over site c; with shift s it holds parts of the sites c - 1 and c along each axis.
// Kind of a cell: bits 0 to 7 say which of these sites are in the wall (bit k: along axis a, site c where bit a of k is set,
// else c - 1), bit 8 whether this rank counts the cell in its totals, bits 9 to 15 which moving wall the site c belongs to,
// bits 16 to 31 who owns the site c: 0 for this rank, else the number of the neighbour.
const SITE_IS_WALL: u32 = ${2 ** (2 ** dimension - 1)}u;
// No cell.
const SOLID: u32 = ${solid}u;

var<storage, read> directory: array<u32>;
var<storage, read> sites: array<u32>;
var<storage, read> kind: array<u32>;

fn owner_of(cell: u32) -> u32 {
    return kind[cell] >> 16u;
}

#include "sites.wgsl"

#include "entry_of.wgsl"

// The cell of a site, which may lie beyond periodic faces; SOLID where no cell is known.
fn cell_at(site: vec3<i32>) -> u32 {
    return entry_of(site);
}
