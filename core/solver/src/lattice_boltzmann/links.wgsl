    // Where each population of node n is on odd steps; see links.rs. A wall or an opening upstream: in the node's own slot.
    let word = words[n];
    let run = (first_run[n / ${block}u] + (word >> ${2 * (pairs | length)}u)) * ${rows}u;
#for r in range(rows)
    let distance${r} = distances[run + ${r}u];
#endfor
#for p in pairs
    let from${p.i} = select(span.stride + n + ${p.ij.distance}, n, (word & ${p.ij.bit}u) != 0u);
    let from${p.j} = select(n + ${p.ji.distance}, span.stride + n, (word & ${p.ji.bit}u) != 0u);
#endfor
