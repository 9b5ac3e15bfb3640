    // Populations of node n, from where the AA pattern keeps them: in the node's own slots when the step is even,
    // one link upstream in the opposite slot when it is odd.
    let f0 = load(f_rest[n]);
#if odd
#include "links.wgsl"
#endif
#for p in pairs
#if odd
    let at${p.i} = from${p.i};
    let at${p.j} = from${p.j};
#else
    let at${p.i} = n;
    let at${p.j} = span.stride + n;
#endif
#endfor
