// The time step of each particle: collision by what its cell says, half a kick of the body force, flight, the other half, and
// its share of the sums of its next cell. A particle on another rank's site goes into the message to it.
// Option `split`, with other ranks: blocks of particles that may get into cells that others use within the step are marked, so
// that their step can come first, and the message be under way during the step of all others.
#include "prelude.wgsl"
#include "main.wgsl"
#include "flight.wgsl"
#include "wall_velocity.wgsl"
#include "particles.wgsl"
#include "fixed.wgsl"
#if andersen
#include "philox.wgsl"
#include "thermal.wgsl"
#endif
#include "collided.wgsl"
#if spin
#include "spin.wgsl"
#endif
#include "leaving.wgsl"

// Largest velocity along an axis: nothing flies beyond what ranks know of each other.
const FASTEST: f32 = ${fastest};

var<storage, read> label: array<u32>;
var<storage, read_write> home: array<u32>;
var<storage, read_write> sums: array<atomic<i32>>;
// The fastest velocity beyond FASTEST, as bits; particles that are nowhere.
var<storage, read_write> health: array<atomic<u32>>;

#if split
#include "near.wgsl"

// The block of particles at a place, or none. Parts: 0 for all blocks, 1 for the listed ones, 2 for those that are not marked.
fn number_at(place: u32) -> u32 {
    if (span.part == 1u) {
        if (place < atomicLoad(&lengths[span.step & 1u])) {
            return listed[place_in_list(span.step, place)];
        }
        return ${nowhere}u;
    }
    if (span.part == 2u && is_marked(place)) {
        return ${nowhere}u;
    }
    return place;
}
#endif

fn work_on(i: u32) {
    let cell = home[i];
    if (cell == span.cells) {
        return;
    }
    var v = velocity_of(i);
    var at = position_of(i);
    let before = at >> BITS;
    if (span.moves == 1u) {
        let kick = vec3<f32>(span.kick_x, span.kick_y, span.kick_z);
#if andersen
        v = collided(v, cell, thermal_velocity(label[i], span.step));
#else
        v = collided(v, cell);
#endif
#if spin
        v += spun(cell, place_in_cell(at, vec3<i32>(span.before_x, span.before_y, span.before_z)));
#endif
        v = slowed(v + kick);
        let flight = flown(at, v);
        at = flight.at;
        v = flight.v + kick;
#for axis in axes
#if axis.periodic
        at.${axis.name} += select(0, ${axis.period}, at.${axis.name} < 0) - select(0, ${axis.period}, at.${axis.name} >= ${axis.period});
#endif
#endfor
        put(i, at, v);
    }
    let next = cell_at((at + shift()) >> BITS);
    if (next == SOLID) {
        atomicAdd(&health[1], 1u);
        home[i] = span.cells;
        return;
    }
    atomicAdd(&sums[next * WIDTH], 1);
#for axis in axes
    atomicAdd(&sums[next * WIDTH + ${1 + axis.index}u], momentum_of(v.${axis.name}));
#endfor
    atomicAdd(&sums[next * WIDTH + ENERGY], energy_of(v));
#if andersen
    let thermal = thermal_velocity(label[i], span.step + span.moves);
#for axis in axes
    atomicAdd(&sums[next * WIDTH + ENERGY + ${1 + axis.index}u], momentum_of(thermal.${axis.name}));
#endfor
#endif
#if spin
    add_spin(next, place_in_cell(at, shift()), ${"v - thermal" if andersen else "v"});
#endif
    var stays = true;
    if (any((at >> BITS) != before)) {
        let owner = owner_of(cell_at(at >> BITS));
        if (owner != 0u) {
            stays = false;
            leave(owner - 1u, i, at, v);
        }
    }
    home[i] = select(span.cells, next, stays);
#if split
    if (stays && next >= span.first_near) {
        mark(i, span.step + span.moves);
    }
#endif
}

// `v`, but no faster than FASTEST along any axis; that it was, or is no number, is noted.
fn slowed(v: vec3<f32>) -> vec3<f32> {
    let speed = max(abs(v.x), max(abs(v.y), abs(v.z)));
    if (speed <= FASTEST) {
        return v;
    }
    atomicMax(&health[0], bitcast<u32>(speed));
    return clamp(v, vec3<f32>(-FASTEST), vec3<f32>(FASTEST));
}
