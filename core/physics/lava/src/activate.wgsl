// Blocks of ${workgroup} cells in which something may flow. `${entered}` holds their numbers, counted from 1; `stamp[b]` is the number of the
// list, counted from 1, that block b entered last.
fn activate(block: u32) {
    if (atomicLoad(&stamp[block]) == span.generation) {
        return;
    }
    if (atomicExchange(&stamp[block], span.generation) != span.generation) {
        atomicStore(&${entered}[atomicAdd(&size[0], 1u)], block + 1u);
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
