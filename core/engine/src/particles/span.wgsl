alias real = ${real};

// `count` particles from `first` on, in arrays whose components are `stride` apart. The other set holds `held`
// particles; its components are `other_stride` apart. Lists have room for `room` neighbours of each particle. `corner`
// is the block at which the directory begins, `places` its size.
struct Span {
    count: u32,
    first: u32,
    stride: u32,
    other_stride: u32,
    held: u32,
    room: u32,
    corner_x: i32,
    corner_y: i32,
    corner_z: i32,
    places_x: i32,
    places_y: i32,
    places_z: i32,
}
var<immediate> span: Span;
