// The largest speed, squared, and the largest density deviation of `span.count` own nodes after an even number of steps, into
// two words of `checked`, which are zero before. Magnitudes are compared by their bits, which order them, infinity and then
// NaN above all numbers; the largest is the same in any order. Each invocation has many nodes, as far apart as there are
// invocations: no barriers, which cost software devices most, and few atomics.
#include "prelude.wgsl"
#{% with access = "read" %}
#include "state.wgsl"
#{% endwith %}
#include "forces.wgsl"
var<storage, read_write> checked: array<atomic<u32>>;

// Steps between checks.
const CHECK_EVERY: u32 = ${check_every}u;

@compute @workgroup_size(WORKGROUP)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let invocations = groups.x * groups.y * WORKGROUP;
    var fastest = 0u;
    var farthest = 0u;
    for (var n = (group.y * groups.x + group.x) * WORKGROUP + lane; n < span.count; n += invocations) {
#include "gather.wgsl"
#include "pairs.wgsl"
#include "moments_of_pairs.wgsl"
        fastest = max(fastest, bitcast<u32>(f32(${squares})) & 0x7fffffffu);
        farthest = max(farthest, bitcast<u32>(f32(drho)) & 0x7fffffffu);
    }
    // Checks of a batch are at least CHECK_EVERY of its rows apart.
    let slot = 2u * (span.row / CHECK_EVERY);
    atomicMax(&checked[slot], fastest);
    atomicMax(&checked[slot + 1u], farthest);
}
