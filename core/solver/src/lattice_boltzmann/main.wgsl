// One invocation an item: the kernel's work_on(k) for each k below span.count.
@compute @workgroup_size(WORKGROUP)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let k = item(group, groups, lane);
    if (k < span.count) {
        work_on(k);
    }
}
