// Blocks of ${workgroup} particles of which one may get into a cell that other ranks use within a step. Of each block for even and for odd
// steps: the last such step, so that marks need not be cleared.
var<storage, read_write> near: array<atomic<u32>>;

fn is_marked(block: u32) -> bool {
    return atomicLoad(&near[2u * block + (span.step & 1u)]) == span.step;
}

// Marks the block of particle i for a step.
fn mark(i: u32, step: u32) {
    atomicStore(&near[2u * (i / ${workgroup}u) + (step & 1u)], step);
}
