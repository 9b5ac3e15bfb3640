// Vertices into the lists of their tiles, in any order; those outside of all blocks are in none.
#include "prelude.wgsl"
#include "sites.wgsl"

fn work_on(v: u32) {
    if (slot_of[v] == NONE) {
        return;
    }
    var place = 0u;
    var local = 0u;
#for axis in axes
    let s${axis.name} = wrapped_${axis.name}(position[${axis.index}u * span.stride + v].x);
    place += place_${axis.name}(s${axis.name});
    local |= u32((s${axis.name} & 7) >> ${contact.tile.bits}u) << ${contact.tile.axis_bits[axis.index]}u;
#endfor
    let block = directory[place];
    if (block != 0u) {
        next[v] = atomicExchange(&heads[(block << ${contact.tile.block_bits}u) | local], v);
    }
}
