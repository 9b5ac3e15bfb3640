// `count` invocations; components of particles are `room` apart in their arrays; `cells` collision cells, which is also the
// home of slots without a particle. `corner` and `places` are the block at which the directory begins and its size.
// `shift`: how far collision cells lie before their sites, in 1 / ONE: now in kernels on cells, in the next collision in
// kernels on particles. `kick`: what the body force adds to a velocity in half a step. `moves`: whether particles collide and
// move, or are only counted. `step`: low word of the time step. `before`: the shift in the collision before `shift`. `part`: which
// blocks of particles. `first_near`: from this cell on, a particle may get from a cell into one that other ranks use within a step.
struct Span {
    count: u32,
    room: u32,
    cells: u32,
    step: u32,
    corner_x: i32,
    corner_y: i32,
    corner_z: i32,
    places_x: i32,
    places_y: i32,
    places_z: i32,
    shift_x: i32,
    shift_y: i32,
    shift_z: i32,
    kick_x: f32,
    kick_y: f32,
    kick_z: f32,
    moves: u32,
    before_x: i32,
    before_y: i32,
    before_z: i32,
    part: u32,
    first_near: u32,
}
var<immediate> span: Span;

// Bits of the fraction of a position, and its unit.
const BITS: vec3<u32> = vec3<u32>(${bits}u);
const ONE: f32 = ${one};

// Words of a cell's sums: mass in that of a particle, momentum, energy, then what variants add; with embedded points last by how
// much they are heavier than particles.
const WIDTH: u32 = ${width}u;
const ENERGY: u32 = ${1 + dimension}u;
#if points
const EXCESS: u32 = ${width - 1}u;
#endif
const MOMENTUM_SCALE: f32 = ${momentum_scale};
const ENERGY_SCALE: f32 = ${energy_scale};

fn shift() -> vec3<i32> {
    return vec3<i32>(span.shift_x, span.shift_y, span.shift_z);
}
