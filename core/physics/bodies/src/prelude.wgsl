alias real = ${real};

// What sites hold that have no own node.
const FLUID: u32 = ${fluid}u;

// An opening: its nodes stand at `plane` along its normal; bodies leave there from `low` to `high`, looked at every `ahead` steps.
struct Gate {
    normal: vec3<real>,
    plane: real,
    low: vec3<real>,
    ahead: real,
    high: vec3<real>,
    spare: real,
}

// `count` invocations for bodies from `first` on, in arrays whose components are `stride` apart; components over nodes are
// `node_stride` apart; `kick` is the share of a step that forces act; `corner` and `places` are the block at which the
// directory begins and its size.
struct Span {
    count: u32,
    first: u32,
    stride: u32,
    node_stride: u32,
    step: u32,
    kick: f32,
    corner_x: i32,
    corner_y: i32,
    corner_z: i32,
    places_x: i32,
    places_y: i32,
    places_z: i32,
}
var<immediate> span: Span;

// What a sum of contact is that does not fit.
const OVERFLOW: i32 = -2147483648;

#include "main.wgsl"
#include "sites.wgsl"
#include "fraction.wgsl"
#include "wca.wgsl"
#include "symmetric.wgsl"
#include "gay_berne.wgsl"
#include "rotation.wgsl"
#include "kind.wgsl"
#if at_wall
#include "wall.wgsl"
#endif
#include "members.wgsl"

#if breaking

var<storage, read_write> damage: array<u32>;
var<storage, read_write> broken: array<atomic<u32>>;

// Marks a body as broken, for the first reason.
fn break_body(i: u32, why: u32) {
    if (damage[i] == 0u) {
        damage[i] = (span.step << ${damage.bits}u) | why;
        atomicMax(&broken[0], 1u);
    }
}
#endif
