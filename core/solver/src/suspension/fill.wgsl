// Sets `count` words from `first` on to `value`.
struct Span {
    count: u32,
    value: u32,
    first: u32,
}
var<immediate> span: Span;

${declarations}
@compute @workgroup_size(${workgroup})
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let k = (group.y * groups.x + group.x) * ${workgroup}u + lane;
    if (k < span.count) {
        words[span.first + k] = span.value;
    }
}
