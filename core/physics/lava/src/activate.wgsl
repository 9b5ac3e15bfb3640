// Blocks of ${workgroup} cells in which something may flow. `stamp[b]` is the number of the list, counted from 1, that block b entered
// last.
fn activate(block: u32) {
    if (atomicLoad(&stamp[block]) == span.generation) {
        return;
    }
    if (atomicExchange(&stamp[block], span.generation) != span.generation) {
        blocks[atomicAdd(&size[0], 1u)] = block;
    }
}

fn activate_around(n: u32) {
    activate(n / ${workgroup}u);
#for d in directions
    {
        let k = beside_${d.kind}[${d.place}u * span.own + n];
        // Other ranks see to their own cells.
        if (k < span.own) {
            activate(k / ${workgroup}u);
        }
    }
#endfor
}
