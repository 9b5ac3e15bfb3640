alias real = ${real};

const WORKGROUP: u32 = ${workgroup}u;
// An empty slot; the end of a list.
const NONE: u32 = ${empty}u;
// What sites hold that have no own node, see map.rs.
const FLUID: u32 = ${fluid}u;
const SOLID: u32 = ${solid}u;

// What one dispatch works on: `count` items; `stride` and `node_stride` separate the axes of arrays over vertices and
// nodes; `first` is the first of a population's vertices, or where a list of workgroups begins; `vertices` and `faces`
// are those of one cell; `mark` is the bit of nodes inside these; `which` cells are worked on, see which.wgsl; `corner`
// and `places` are the block at which the directory begins and its size.
struct Span {
    count: u32,
    stride: u32,
    node_stride: u32,
    step: u32,
    steps: u32,
    first: u32,
    vertices: u32,
    faces: u32,
    mark: u32,
    which: u32,
    corner_x: i32,
    corner_y: i32,
    corner_z: i32,
    places_x: i32,
    places_y: i32,
    places_z: i32,
}
var<immediate> span: Span;

#include "main.wgsl"
