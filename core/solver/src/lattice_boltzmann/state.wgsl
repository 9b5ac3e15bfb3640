// The populations, and where those of odd steps stand: what gather.wgsl needs.
var<storage, ${access}> f_rest: array<stored>;
#for p in pairs
var<storage, ${access}> f_${p.k}: array<stored>;
#endfor
#if odd
#include "link_tables.wgsl"
#endif
