// One invocation an item, as the recorder spreads them: the kernel's work_on(k) for each k below span.count.
@compute @workgroup_size(${workgroup})
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let k = (group.y * groups.x + group.x) * ${workgroup}u + lane;
    if (k < span.count) {
        work_on(k);
    }
}
