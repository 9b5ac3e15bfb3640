// `count` invocations or groups; sub-steps `begin` to `end` - 1 of a time step are done. `corner` and `places` are the block at
// which the directory of sites begins and its size. `strict`: whether beads beyond the largest velocity are noted.
struct Span {
    count: u32,
    begin: u32,
    end: u32,
    corner_x: i32,
    corner_y: i32,
    corner_z: i32,
    places_x: i32,
    places_y: i32,
    places_z: i32,
    strict: u32,
}
var<immediate> span: Span;

// Number of beads: components of vectors are as far apart in arrays.
const BEADS: u32 = ${beads}u;
// No bead.
const NONE: u32 = ${no_bead}u;
// Bits of the fraction of a position, and its unit.
const BITS: vec3<u32> = vec3<u32>(${bits}u);
const ONE: f32 = ${one};
