// Entry point of kernels that work on the cells of the listed blocks: calls the kernel's work_on(n) for each cell n below span.own.
// `blocks` holds the numbers of blocks, counted from 1, and ends with the first 0. Blocks that enter while the kernel runs may be
// left out: nothing flows in them yet. The workgroups may be fewer than the blocks.
@compute @workgroup_size(${workgroup})
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    var place = group.y * groups.x + group.x;
    var block = block_at(place);
    if (block == 0u) {
        return;
    }
    loop {
        let n = (block - 1u) * ${workgroup}u + lane;
        if (n < span.own) {
            work_on(n);
        }
        continuing {
            place += groups.x * groups.y;
            block = block_at(place);
            break if block == 0u;
        }
    }
}

fn block_at(place: u32) -> u32 {
    if (place >= arrayLength(&blocks)) {
        return 0u;
    }
    return atomicLoad(&blocks[place]);
}
