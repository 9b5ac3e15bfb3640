// Counts or lists, by neighbour, the particles that each neighbour sees. Counting leaves in `seen_by` bits for the
// neighbours that see a particle.
#include "prelude.wgsl"

var<storage, read> keys: array<u32>;
var<storage, read_write> places: array<atomic<u32>>;
#if not count
var<storage, read> seen_by: array<u32>;
var<storage, read_write> list: array<u32>;
#else
var<storage, read_write> seen_by: array<u32>;
var<storage, read> seen: array<u32>;
var<storage, read> owners: array<u32>;
var<storage, read> sites: array<u32>;

const FLUID: u32 = ${fluid}u;

// Whether tiles of other ranks are within reach of a particle along each axis, or nodes of others within sight.
fn meets_others(i: u32) -> bool {
#for axis in axes
    let p${axis.name} = position[${axis.index}u * span.stride + i];
    let s${axis.name} = p${axis.name}.x + i32(bitcast<u32>(p${axis.name}.y) >> 31u);
#endfor
#for axis in axes | reverse
    for (var d${axis.name} = -${tiles_within}; d${axis.name} <= ${tiles_within}; d${axis.name} += ${tile.edge}) {
        let t${axis.name} = tiled_${axis.name}(wrapped_${axis.name}(s${axis.name} + d${axis.name}));
#endfor
        let block = directory[${axes_joined.place}];
        let owner = select(owners[(block << ${tile.block_bits}u) | ${axes_joined.local}], NOWHERE, block == 0u);
        if (owner != OWN && owner != NOWHERE) {
            return true;
        }
#for axis in axes
    }
#endfor
#for axis in axes | reverse
    for (var d${axis.name} = -${nodes_within}; d${axis.name} <= ${nodes_within}; d${axis.name}++) {
        let t${axis.name} = wrapped_${axis.name}(s${axis.name} + d${axis.name});
#endfor
        let block = directory[${axes_joined.place}];
        if (sites[(block << ${3 * dimension}u) | ${axes_joined.site}] == FLUID) {
            return true;
        }
#for axis in axes
    }
#endfor
    return false;
}
#endif

fn work_on(i: u32) {
#if count
    var bits = 0u;
    if (keys[i] >= ${frontier}u) {
        bits = seen[keys[i] - ${frontier}u];
    }
    if (bits != 0u) {
        bits = select(0u, bits, meets_others(i));
    }
    seen_by[i] = bits;
#else
    var bits = seen_by[i];
#endif
    while (bits != 0u) {
        let k = firstTrailingBit(bits);
        bits &= bits - 1u;
#if count
        atomicAdd(&places[k], 1u);
#else
        // Beyond the room, the host makes room and lists again.
        let at = atomicAdd(&places[k], 1u);
        if (at < arrayLength(&list)) {
            list[at] = i;
        }
#endif
    }
}
