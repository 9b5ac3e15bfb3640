// Exclusive prefix sum in place, on top of the sum of the blocks before. A workgroup scans a block of ${16 * workgroup}
// values. Values from span.count on count as zero; values up to and including span.count are written.
const WORKGROUP: u32 = ${workgroup}u;

struct Span {
    count: u32,
}
var<immediate> span: Span;

var<storage, read_write> values: array<vec4<u32>>;
var<storage, read> before_block: array<u32>;

// Sums of values over all invocations up to one, with a component for each quarter of the block: each invocation has a
// vec4 of values in each quarter. One half of the array is read while the other is written.
var<workgroup> upto: array<vec4<u32>, 2u * WORKGROUP>;

fn loaded(k: u32) -> vec4<u32> {
    let place = 4u * k;
    if (place >= span.count) {
        return vec4<u32>(0u);
    }
    return select(vec4<u32>(0u), values[k], vec4<u32>(place) + vec4<u32>(0u, 1u, 2u, 3u) < vec4<u32>(span.count));
}

fn store(k: u32, v: vec4<u32>, before: u32) {
    let y = before + v.x;
    let z = y + v.y;
    let sums = vec4<u32>(before, y, z, z + v.z);
    let place = 4u * k;
    if (place + 3u <= span.count) {
        values[k] = sums;
    } else {
        for (var i = 0u; i < 4u && place + i <= span.count; i += 1u) {
            values[k][i] = sums[i];
        }
    }
}

fn total(v: vec4<u32>) -> u32 {
    return v.x + v.y + v.z + v.w;
}

@compute @workgroup_size(WORKGROUP)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let block = group.y * groups.x + group.x;
    if (block * (16u * WORKGROUP) > span.count) {
        return;
    }
    let first = block * (4u * WORKGROUP) + lane;
#for q in range(4)
    let v${q} = loaded(first + ${q}u * WORKGROUP);
#endfor
    let own = vec4<u32>(total(v0), total(v1), total(v2), total(v3));
    var sum = own;
    var half = 0u;
    upto[lane] = sum;
    for (var reach = 1u; reach < WORKGROUP; reach *= 2u) {
        workgroupBarrier();
        if (lane >= reach) {
            sum += upto[half + lane - reach];
        }
        half = WORKGROUP - half;
        upto[half + lane] = sum;
    }
    workgroupBarrier();
    let quarters = upto[half + WORKGROUP - 1u];
    let before = sum - own + vec4<u32>(before_block[block]);
    store(first, v0, before.x);
    store(first + WORKGROUP, v1, before.y + quarters.x);
    store(first + 2u * WORKGROUP, v2, before.z + quarters.x + quarters.y);
    store(first + 3u * WORKGROUP, v3, before.w + quarters.x + quarters.y + quarters.z);
}
