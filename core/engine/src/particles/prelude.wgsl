alias real = ${real};

const NOWHERE: u32 = ${nowhere}u;
const OWN: u32 = ${own}u;

// `count` particles from `first` on in arrays whose components are `stride` apart; `corner` and `places` are the block at which the directory
// begins and its size.
struct Span {
    count: u32,
    first: u32,
    stride: u32,
    corner_x: i32,
    corner_y: i32,
    corner_z: i32,
    places_x: i32,
    places_y: i32,
    places_z: i32,
}
var<immediate> span: Span;

var<storage, read> position: array<vec2<i32>>;
var<storage, read> directory: array<u32>;
#include "main.wgsl"
#include "sites.wgsl"
#include "tiles.wgsl"

// The tile of a position; NOWHERE outside of the map. A position belongs to the site nearest to it.
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
