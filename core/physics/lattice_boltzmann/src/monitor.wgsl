// Mass, largest speed, largest density deviation and health of `span.count` nodes from `span.first` on, one partial result
// a workgroup. Mass deviations are summed as integers (a coarse part, and the rest in a finer unit), so that no order matters;
// magnitudes are compared by their bits, which order them, infinity and then NaN above all numbers.
#include "prelude.wgsl"
#{% with access = "read" %}
#include "state.wgsl"
#{% endwith %}
#include "forces.wgsl"
var<storage, read_write> partial: array<u32>;

const COARSE: real = real(${coarse_scale});
const FINE: real = real(${fine_scale});

var<workgroup> coarse_sum: array<i32, WORKGROUP>;
var<workgroup> fine_sum: array<i32, WORKGROUP>;
var<workgroup> fastest: array<u32, WORKGROUP>;
var<workgroup> farthest: array<u32, WORKGROUP>;
var<workgroup> broken: array<u32, WORKGROUP>;

@compute @workgroup_size(WORKGROUP)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let k = (group.y * groups.x + group.x) * WORKGROUP + lane;
    coarse_sum[lane] = 0;
    fine_sum[lane] = 0;
    fastest[lane] = 0u;
    farthest[lane] = 0u;
    broken[lane] = 0u;
    if (k < span.count) {
        let n = span.first + k;
#include "gather.wgsl"
#include "pairs.wgsl"
#include "moments_of_pairs.wgsl"
        // By the bits, since compilers may assume that no NaN occurs.
        let bits = bitcast<u32>(f32(drho)) & 0x7fffffffu;
        if (bits >= ${insane}u) {
            // Too large, infinite or NaN.
            broken[lane] = 1u;
        } else {
            let coarse = i32(round(drho * COARSE));
            coarse_sum[lane] = coarse;
            fine_sum[lane] = i32(round((drho - real(coarse) / COARSE) * FINE));
        }
        farthest[lane] = bits;
        fastest[lane] = bitcast<u32>(f32(${squares})) & 0x7fffffffu;
    }
    for (var reach = WORKGROUP / 2u; reach > 0u; reach /= 2u) {
        workgroupBarrier();
        if (lane < reach) {
            coarse_sum[lane] += coarse_sum[lane + reach];
            fine_sum[lane] += fine_sum[lane + reach];
            fastest[lane] = max(fastest[lane], fastest[lane + reach]);
            farthest[lane] = max(farthest[lane], farthest[lane + reach]);
            broken[lane] += broken[lane + reach];
        }
    }
    if (lane == 0u) {
        let at = 5u * (group.y * groups.x + group.x);
        partial[at] = bitcast<u32>(coarse_sum[0]);
        partial[at + 1u] = bitcast<u32>(fine_sum[0]);
        partial[at + 2u] = fastest[0];
        partial[at + 3u] = farthest[0];
        partial[at + 4u] = broken[0];
    }
}
