// The collision of each embedded point on this rank's sites, by what its cell says, and the first half of the body force's
// kick. Notes which points are here.
#include "prelude.wgsl"
#include "main.wgsl"
#include "lookup.wgsl"
#include "particles.wgsl"
#include "here.wgsl"
#if andersen
#include "philox.wgsl"
#include "thermal.wgsl"
#endif
#include "collided.wgsl"

var<storage, read> mass: array<u32>;
// Whether each point is on this rank's sites.
var<storage, read_write> here: array<u32>;

fn work_on(i: u32) {
    let at = position_of(i);
    let found = is_here(at);
    here[i] = u32(found);
    if (!found) {
        return;
    }
    let cell = cell_at((at + shift()) >> BITS);
#if andersen
    let v = collided(velocity_of(i), cell, thermal_of_point(i, f32(mass[i]), span.step));
#else
    let v = collided(velocity_of(i), cell);
#endif
    put(i, at, v + vec3<f32>(span.kick_x, span.kick_y, span.kick_z));
}
