// Moves `count` words between an array and a message, each from or to where `list` says: gathers them, or adds them.
struct Span {
    count: u32,
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
#if add
        // Several neighbours may send a share of the same word.
        atomicAdd(&words[list[k]], message[k]);
#else
        message[k] = words[list[k]];
#endif
    }
}
