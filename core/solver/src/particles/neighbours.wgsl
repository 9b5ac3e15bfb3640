// The particles within `reach` of each: at most ${most}, by numbers; how many there are, which may be more.
#include "prelude.wgsl"
#include "apart.wgsl"

fn work_on(i: u32) {
#for axis in axes
    let p${axis.name} = position[${axis.index}u * span.stride + i];
    let s${axis.name} = wrapped_${axis.name}(p${axis.name}.x + i32(bitcast<u32>(p${axis.name}.y) >> 31u));
#endfor
#include "around.wgsl"
    var found = 0u;
#for t in around
    {
        let block = directory[${t.place}];
        if (block != 0u) {
            let tile = (block << ${tile.block_bits}u) | ${t.local};
            let end = starts[tile + 1u];
            for (var at = starts[tile]; at < end; at++) {
                let j = order[at];
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
    }
#endfor
    neighbour_count[i] = found;
}
