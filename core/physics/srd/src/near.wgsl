// Blocks of ${workgroup} particles of which one may get into a cell that other ranks use within a step. `near`: for each block the
// last such even step and the last such odd one, so that marks need not be cleared. `listed`: the blocks marked for an even step,
// then those for an odd one; `lengths`: how many, see close.wgsl.
var<storage, read_write> near: array<atomic<u32>>;
var<storage, read_write> listed: array<u32>;
var<storage, read_write> lengths: array<atomic<u32>, 2>;

fn is_marked(block: u32) -> bool {
    return atomicLoad(&near[2u * block + (span.step & 1u)]) == span.step;
}

fn place_in_list(step: u32, k: u32) -> u32 {
    return (step & 1u) * (arrayLength(&listed) / 2u) + k;
}

// Marks the block of particle i for a step.
fn mark(i: u32, step: u32) {
    let block = i / ${workgroup}u;
    let at = 2u * block + (step & 1u);
    if (atomicLoad(&near[at]) != step && atomicExchange(&near[at], step) != step) {
        listed[place_in_list(step, atomicAdd(&lengths[step & 1u], 1u))] = block;
    }
}
