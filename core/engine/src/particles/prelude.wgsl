#include "span.wgsl"
const NOWHERE: u32 = ${nowhere}u;
const OWN: u32 = ${own}u;

var<storage, read> position: array<vec2<i32>>;
var<storage, read> directory: array<u32>;
#include "main.wgsl"
#include "sites.wgsl"
#include "tiles.wgsl"

// The tile of particle i: that of the site nearest to its position; NOWHERE outside of the map.
fn tile_of(i: u32) -> u32 {
    var place = 0u;
    var local = 0u;
#for axis in axes
    let p${axis.name} = position[${axis.index}u * span.stride + i];
    let s${axis.name} = tiled_${axis.name}(wrapped_${axis.name}(p${axis.name}.x + i32(bitcast<u32>(p${axis.name}.y) >> 31u)));
    place += place_${axis.name}(s${axis.name});
    local |= local_${axis.name}(s${axis.name});
#endfor
    let block = directory[place];
    return select((block << ${tile.block_bits}u) | local, NOWHERE, block == 0u);
}
