    // Where each population of node n is on odd steps: with a wall or an opening upstream in the node's own slot.
#include "upstream.wgsl"
#for p in pairs
    let from${p.i} = select(span.stride + upstream${p.i}, n, (word & ${p.ij.bit}u) != 0u);
    let from${p.j} = select(upstream${p.j}, span.stride + n, (word & ${p.ji.bit}u) != 0u);
#endfor
