// Vertices into the lists of their tiles, in any order; those outside of all blocks are in none. And the first and last
// vertex of each cell.
#include "prelude.wgsl"
#include "sites.wgsl"
#include "tiles.wgsl"

var<storage, read> position: array<vec2<i32>>;
var<storage, read> slot_of: array<u32>;
var<storage, read> directory: array<u32>;
var<storage, read_write> links: array<atomic<u32>>;
var<storage, read_write> cells: array<vec2<u32>>;

fn work_on(v: u32) {
    let slot = slot_of[v];
    if (slot == NONE) {
        return;
    }
    if (v == 0u || slot_of[max(v, 1u) - 1u] != slot) {
        cells[slot].x = v;
    }
    if (v + 1u == span.count || slot_of[min(v + 1u, span.count - 1u)] != slot) {
        cells[slot].y = v;
    }
    var place = 0u;
    var local = 0u;
#for axis in axes
    let s${axis.name} = tiled_${axis.name}(wrapped_${axis.name}(position[${axis.index}u * span.stride + v].x));
    place += place_${axis.name}(s${axis.name});
    local |= u32((s${axis.name} & 7) >> ${contact.tile.bits}u) << ${contact.tile.axis_bits[axis.index]}u;
#endfor
    let block = directory[place];
    if (block != 0u) {
        let head = span.stride + ((block << ${contact.tile.block_bits}u) | local);
        atomicStore(&links[v], atomicExchange(&links[head], v));
    }
}
