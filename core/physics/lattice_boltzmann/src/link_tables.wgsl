// The links of nodes, see links.rs.
#if joined
var<storage, read> marks: array<vec2<u64>>;
// For each run the distances to the nodes upstream along the two directions of each pair.
var<storage, read> distances: array<u64>;
#else
var<storage, read> marks: array<vec4<u32>>;
var<storage, read> distances: array<${row}>;
var<storage, read> lists: array<u32>;
#endif
var<storage, read> specials: array<u32>;
