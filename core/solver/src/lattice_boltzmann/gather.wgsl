    // Populations of node n, from where the AA pattern keeps them: in the node's own slots when the step is even,
    // one link upstream in the opposite slot when it is odd; the link table has the wall links' own slots.
    let f0 = load(f_rest[n]);
#for p in pairs
#if odd
    let at${p.i} = links_${p.k}[n];
    let at${p.j} = links_${p.k}[span.stride + n];
#else
    let at${p.i} = n;
    let at${p.j} = span.stride + n;
#endif
#endfor
