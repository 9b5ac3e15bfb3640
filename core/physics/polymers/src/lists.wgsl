// The neighbours of each bead, where beads are after `begin` sub-steps: those that forces may reach until lists are made anew.
// Ascending, so that forces add up in the same order in each run.
#include "prelude.wgsl"
#include "main.wgsl"
#include "beads.wgsl"
#include "grid.wgsl"

// How far neighbours may be.
const LISTED: f32 = ${listed};
const MOST: u32 = ${most}u;

var<storage, read> order: array<u32>;
var<storage, read> starts: array<u32>;
var<storage, read_write> near: array<u32>;
var<storage, read_write> near_count: array<u32>;
var<storage, read_write> health: array<atomic<u32>>;

fn work_on(i: u32) {
    let at = position_after(span.begin, i);
    let own = grid_cell(at);
    let link = links[i];
    let kind = kinds[link.kind];
    var found = 0u;
    if (kind.epsilon > 0.0) {
#for axis in axes
        for (var d${axis.name} = ${axis.first}; d${axis.name} <= ${axis.last}; d${axis.name}++) {
#endfor
            var cell = own + vec3<i32>(dx, dy, ${"dz" if dimension == 3 else "0"});
#for axis in axes
#if axis.periodic
            cell.${axis.name} = (cell.${axis.name} + ${axis.cells}) % ${axis.cells};
#endif
#endfor
            let bucket = bucket_of(cell);
            for (var n = starts[bucket]; n < starts[bucket + 1u]; n++) {
                let j = order[n];
                if (j == i) {
                    continue;
                }
                let there = position_after(span.begin, j);
                let d = apart(at, there);
                if (any(grid_cell(there) != cell) || dot(d, d) > LISTED * LISTED || !acts(link, kind, j)) {
                    continue;
                }
                if (found < MOST) {
                    insert(i, found, j);
                }
                found++;
            }
#for axis in axes
        }
#endfor
    }
    if (found > MOST) {
        atomicMax(&health[3], found);
    }
    near_count[i] = min(found, MOST);
}

// Whether a force acts between a bead and bead j: not between neighbours along chains with harmonic bonds.
fn acts(link: Link, kind: Kind, j: u32) -> bool {
    let bonded = link.before == j || link.after == j;
    return kinds[links[j].kind].epsilon > 0.0 && (!bonded || kind.extension > 0.0);
}

// Puts j into the list of i, which has `count` members in ascending order.
fn insert(i: u32, count: u32, j: u32) {
    var n = count;
    while (n > 0u && near[(n - 1u) * BEADS + i] > j) {
        near[n * BEADS + i] = near[(n - 1u) * BEADS + i];
        n--;
    }
    near[n * BEADS + i] = j;
}
