// Which cells hold a node, a bit a viscosity: what rates.wgsl needs.
#if contrast
var<storage, read> inside: array<bits>;
#endif
