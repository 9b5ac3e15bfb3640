// The particles within reach of each own one: at most ${most}, by numbers; how many there are, which may be more. Own ones stand in
// the order of their tiles, those that others see after all others.
#include "prelude.wgsl"
#include "apart.wgsl"

var<storage, read> starts: array<u32>;
var<storage, read> copy_starts: array<u32>;
var<storage, read> copy_order: array<u32>;
var<storage, read_write> neighbours: array<u32>;
var<storage, read_write> neighbour_count: array<u32>;

// Tiles looked at along an axis: so many to each side.
const STEPS: u32 = ${steps}u;

fn work_on(i: u32) {
    // Along each axis, places k in the directory and places l in the block of the tiles around.
#for axis in axes
    let p${axis.name} = position[${axis.index}u * span.stride + i];
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
#if range != "copies"
                let key = tile + ${0 if range == "interior" else frontier}u;
                let end = starts[key + 1u];
                for (var j = starts[key]; j < end; j++) {
#else
                let end = copy_starts[tile + 1u];
                for (var at = copy_starts[tile]; at < end; at++) {
                    let j = span.count + copy_order[at];
#endif
                    let away = Axes(
#for axis in axes
                        apart_${axis.name}(p${axis.name}, ${axis.index}u * span.stride + j),
#endfor
                    );
                    if (j != i && dot(away, away) < real(${reach_squared})) {
                        if (found < ${most}u) {
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
}
