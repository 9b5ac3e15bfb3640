// main.wgsl from the last workgroup's items to the first's. A kernel that follows another over the same arrays so begins with what that
// one left in the cache.
@compute @workgroup_size(${workgroup})
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let after = group.y * groups.x + group.x + 1u;
    let k = (groups.x * groups.y - after) * ${workgroup}u + lane;
    if (k < span.count) {
        work_on(k);
    }
}
