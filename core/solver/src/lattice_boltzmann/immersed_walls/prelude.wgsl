alias real = ${real};

const WORKGROUP: u32 = ${workgroup}u;
// Sites of a kernel.
const SITES: u32 = ${sites}u;
const ELSEWHERE: u32 = ${elsewhere}u;

// `count` points; `nodes` separates the axes of `near_velocity`, `stride` those of `wall_force`.
struct Span {
    count: u32,
    nodes: u32,
    stride: u32,
}
var<immediate> span: Span;

${declarations}
// One invocation a point.
@compute @workgroup_size(WORKGROUP)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let k = (group.y * groups.x + group.x) * WORKGROUP + lane;
    if (k < span.count) {
        work_on(k);
    }
}
