// The links of nodes, see links.rs.
var<storage, read> marks: array<vec4<u32>>;
var<storage, read> distances: array<${row}>;
var<storage, read> specials: array<u32>;
var<storage, read> lists: array<u32>;
