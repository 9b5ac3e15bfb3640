// The populations, and where those of odd steps stand: what gather.wgsl needs.
var<storage, ${access}> f_rest: array<stored>;
#include "populations.wgsl"
#if odd
#include "link_tables.wgsl"
#endif
