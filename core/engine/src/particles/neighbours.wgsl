// Lists the particles within reach of each particle of a set, as many as there is room for, and counts them, even
// beyond the room. The largest count for which room is, or soon may be, too small goes to `crowd`. Within a set, own
// particles are in the order of their tiles, with those that others see last, and ghosts are binned. Between sets, the
// whole other set is binned.
#include "prelude.wgsl"
#include "apart.wgsl"

#if between
var<storage, read> own_position: array<vec2<i32>>;
var<storage, read> own_gone: array<u32>;
#else
var<storage, read> starts: array<u32>;
#endif
var<storage, read> bin_starts: array<u32>;
var<storage, read> bin_order: array<u32>;
var<storage, read_write> neighbours: array<u32>;
var<storage, read_write> neighbour_count: array<u32>;
var<storage, read_write> crowd: atomic<u32>;

// Number of tiles to search to each side along an axis.
const STEPS: u32 = ${steps}u;

fn work_on(i: u32) {
#if between
    // Numbers without a particle may be many.
    if (own_gone[i] != 0u) {
        neighbour_count[i] = 0u;
        return;
    }
#endif
    // Along each axis, places k in the directory and places l in the block of the tiles around.
#for axis in axes
    let p${axis.name} = ${own_position}[${axis.index}u * span.stride + i];
    var k${axis.name}: array<u32, 2u * STEPS + 1u>;
    var l${axis.name}: array<u32, 2u * STEPS + 1u>;
    {
        let t = tiled_${axis.name}(wrapped_${axis.name}(p${axis.name}.x + i32(bitcast<u32>(p${axis.name}.y) >> 31u)));
        let low = t & ~${tile.edge - 1};
        k${axis.name}[STEPS] = place_${axis.name}(t);
        l${axis.name}[STEPS] = local_${axis.name}(t);
        var first = low;
        var end = end_${axis.name}(low);
        for (var n = 1u; n <= STEPS; n++) {
            let before = tiled_${axis.name}(before_${axis.name}(first));
            first = before & ~${tile.edge - 1};
            k${axis.name}[STEPS - n] = place_${axis.name}(before);
            l${axis.name}[STEPS - n] = local_${axis.name}(before);
            let after = after_${axis.name}(end - 1);
            end = end_${axis.name}(after);
            k${axis.name}[STEPS + n] = place_${axis.name}(after);
            l${axis.name}[STEPS + n] = local_${axis.name}(after);
        }
    }
#endfor
    var found = 0u;
    for (var t = 0u; t < ${tiles_around}u; t++) {
        var place = 0u;
        var local = 0u;
        var digits = t;
#for axis in axes
        place += k${axis.name}[digits % (2u * STEPS + 1u)];
        local |= l${axis.name}[digits % (2u * STEPS + 1u)];
        digits /= 2u * STEPS + 1u;
#endfor
        let block = directory[place];
        if (block != 0u) {
            let tile = (block << ${tile.block_bits}u) | local;
#for range in ranges
            {
#if range != "bins"
                let key = tile + ${0 if range == "interior" else frontier}u;
                let end = starts[key + 1u];
                for (var j = starts[key]; j < end; j++) {
#else
                let end = bin_starts[tile + 1u];
                for (var at = bin_starts[tile]; at < end; at++) {
                    let j = ${first_binned} + bin_order[at];
#endif
                    let away = Axes(
#for axis in axes
                        apart_${axis.name}(p${axis.name}, ${axis.index}u * span.other_stride + j),
#endfor
                    );
                    if (${another}dot(away, away) < real(${reach_squared})) {
                        if (found < span.room) {
                            neighbours[found * span.stride + i] = j;
                        }
                        found++;
                    }
                }
            }
#endfor
        }
    }
    neighbour_count[i] = found;
    if (found > span.room - span.room / ${spare}u) {
        atomicMax(&crowd, found);
    }
}
