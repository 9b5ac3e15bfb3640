// The largest speed, squared, and the largest density deviation of `span.count` own nodes after an even number of steps, into
// two words of `checked`, which are zero before. Magnitudes are compared by their bits, which order them, infinity and then
// NaN above all numbers; the largest is the same in any order.
#include "prelude.wgsl"

var<workgroup> fastest: array<u32, WORKGROUP>;
var<workgroup> farthest: array<u32, WORKGROUP>;

@compute @workgroup_size(WORKGROUP)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let n = (group.y * groups.x + group.x) * WORKGROUP + lane;
    fastest[lane] = 0u;
    farthest[lane] = 0u;
    if (n < span.count) {
#include "gather.wgsl"
#include "pairs.wgsl"
#include "moments_of_pairs.wgsl"
        fastest[lane] = bitcast<u32>(f32(${squares})) & 0x7fffffffu;
        farthest[lane] = bitcast<u32>(f32(drho)) & 0x7fffffffu;
    }
    for (var reach = WORKGROUP / 2u; reach > 0u; reach /= 2u) {
        workgroupBarrier();
        if (lane < reach) {
            fastest[lane] = max(fastest[lane], fastest[lane + reach]);
            farthest[lane] = max(farthest[lane], farthest[lane + reach]);
        }
    }
    if (lane == 0u) {
        // Checks of a batch are at least CHECK_EVERY of its rows apart.
        let slot = 2u * (span.row / CHECK_EVERY);
        atomicMax(&checked[slot], fastest[0]);
        atomicMax(&checked[slot + 1u], farthest[0]);
    }
}
