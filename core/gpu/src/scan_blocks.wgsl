// Sums each of the first span.blocks blocks of ${16 * workgroup} values; one workgroup sums a block.
const WORKGROUP: u32 = ${workgroup}u;

struct Span {
    blocks: u32,
}
var<immediate> span: Span;

var<storage, read> values: array<vec4<u32>>;
var<storage, read_write> before_block: array<u32>;

var<workgroup> sums: array<u32, WORKGROUP>;

@compute @workgroup_size(WORKGROUP)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let block = group.y * groups.x + group.x;
    if (block >= span.blocks) {
        return;
    }
    let first = block * (4u * WORKGROUP) + lane;
    let v = values[first] + values[first + WORKGROUP] + values[first + 2u * WORKGROUP] + values[first + 3u * WORKGROUP];
    sums[lane] = v.x + v.y + v.z + v.w;
    for (var reach = WORKGROUP / 2u; reach > 0u; reach /= 2u) {
        workgroupBarrier();
        if (lane < reach) {
            sums[lane] += sums[lane + reach];
        }
    }
    if (lane == 0u) {
        before_block[block] = sums[0];
    }
}
