// Copies the populations that cross to other parts between their places and the message, `span.count` of them.
// A place is (pair, index in the pair's array).
#include "prelude.wgsl"

@compute @workgroup_size(WORKGROUP)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let k = item(group, groups, lane);
    if (k >= span.count) {
        return;
    }
    let place = places[k];
    switch (place.x) {
#for p in pairs
        case ${p.k}u: {
#if unpack
            f_${p.k}[place.y] = message[k];
#else
            message[k] = f_${p.k}[place.y];
#endif
        }
#endfor
        default: {}
    }
}
