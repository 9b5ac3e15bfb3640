// The vertices that may come into contact before the lists are made anew: for each its number, the site where it is now,
// whether a wall is near, and its neighbours, the vertices in reach that it may touch. Where these are too many, the tiles
// around that hold them, one bit each. Option `splits`: those with few neighbours and no wall near are listed from the
// last place back, all others from the first on.
#include "prelude.wgsl"
#include "sites.wgsl"
#include "fraction.wgsl"
#include "tiles.wgsl"
#include "apart.wgsl"
#if contact.pairs
#include "may_touch.wgsl"
#endif

var<storage, read> position: array<vec2<i32>>;
var<storage, read> slot_of: array<u32>;
var<storage, read> directory: array<u32>;
var<storage, read> links: array<u32>;
var<storage, read> cells: array<vec2<u32>>;
var<storage, read> slot_contact: array<vec2<f32>>;
var<storage, read> wall_distance: array<f32>;
var<storage, read_write> listing: array<atomic<u32>>;
var<storage, read_write> contact_size: array<atomic<u32>>;
var<storage, read_write> listed: array<u32>;
var<storage, read_write> neighbours: array<u32>;

fn work_on(v: u32) {
    let slot = slot_of[v];
    if (slot == NONE) {
        return;
    }
    var place = 0u;
    var local = 0u;
#for axis in axes
    let p${axis.name} = position[${axis.index}u * span.stride + v];
    let s${axis.name} = wrapped_${axis.name}(p${axis.name}.x);
    place += place_${axis.name}(s${axis.name});
    local |= u32(s${axis.name} & 7) << ${3 * axis.index}u;
#endfor
    var block = directory[place];
    if (block == 0u) {
        return;
    }
    var near = 0u;
#if contact.walls
    near = select(0u, ${contact.wall_bit}u, wall_distance[(block << ${block_bits}u) | local] < ${contact.wall_near});
#endif
#if contact.pairs
#include "around.wgsl"
    // Squares of the distances from the tiles.
#for axis in axes
    let f${axis.name} = fraction(p${axis.name}.y);
    let past${axis.name} = real(s${axis.name} - low${axis.name}) + f${axis.name};
    let left${axis.name} = real(end${axis.name} - s${axis.name}) - f${axis.name};
    let d${axis.name} = vec3(past${axis.name} * past${axis.name}, real(0.0), left${axis.name} * left${axis.name});
#endfor
    // The tiles in reach that hold any vertices.
    var tiles = 0u;
#for tile in contact.tiles
    {
        let here = ${tile.place};
        if (here != place) {
            place = here;
            block = directory[place];
        }
        let head = links[span.stride + ((block << ${contact.tile.block_bits}u) | ${tile.local})];
        tiles |= select(0u, 1u << ${tile.index}u, head != NONE && ${tile.distance} < real(${contact.list_reach_squared}));
    }
#endfor
    let own = cells[slot];
    let beside = u32(slot_contact[slot].y);
    var count = 0u;
    var u = NONE;
    var bit = 0u;
    loop {
        var link = u;
        if (u == NONE) {
            if (tiles == 0u) {
                break;
            }
            let tile = firstTrailingBit(tiles);
            bit = 1u << tile;
            tiles &= ~bit;
#include "first_link.wgsl"
        }
        u = links[link];
        if (u != NONE && may_touch(v, u, own, beside)) {
            let away = Axes(
#for axis in axes
                apart_${axis.name}(p${axis.name}, ${axis.index}u * span.stride + u),
#endfor
            );
            if (dot(away, away) < real(${contact.list_reach_squared})) {
                near |= bit;
                if (count < ${contact.most}u) {
                    neighbours[count * span.stride + v] = u;
                    count += 1u;
                } else {
                    count = ${contact.walk}u;
                }
            }
        }
    }
    near |= count << ${contact.count_shift}u;
#endif
    if (near != 0u) {
#if splits
        let is_few = (near & ${contact.wall_bit}u) == 0u && near >> ${contact.count_shift}u != ${contact.walk}u;
#else
        let is_few = false;
#endif
        let list = select(0u, 1u, is_few);
        let n = atomicAdd(&listing[2u + list], 1u);
        let group = n / WORKGROUP;
        atomicMax(&contact_size[3u * list], min(group, 65534u) + 1u);
        atomicMax(&contact_size[3u * list + 1u], group / 65535u + 1u);
        let at = select(n, span.stride - 1u - n, is_few);
        listed[at] = v;
        listed[span.stride + at] = near;
#for axis in axes
        listed[${axis.index + 2}u * span.stride + at] = bitcast<u32>(s${axis.name});
#endfor
    }
}
