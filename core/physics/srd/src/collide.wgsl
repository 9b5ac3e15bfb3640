// The collision of each cell: from the sums of its particles to their mean velocity, the rotation, and the thermostat's factor.
// The sums become zero.
#include "prelude.wgsl"
#include "main.wgsl"
#include "lookup.wgsl"
#include "wall_velocity.wgsl"
#include "philox.wgsl"
#include "distributions.wgsl"
#if spin
#include "spin_of_cell.wgsl"
#endif

// Thermal speed along an axis, lattice units a step.
const SPEED: f32 = ${speed};
// More particles than this in a cell, and sums may not fit.
const MOST: u32 = ${most}u;

var<storage, read_write> sums: array<i32>;
// Place of each cell in the domain, for random numbers.
var<storage, read> place: array<vec2<u32>>;
var<storage, read_write> collisions: array<vec4<f32>>;
var<storage, read_write> health: array<atomic<u32>>;

#if virtual
// Virtual particles in the part of a cell that lies in the wall, with the velocity of the wall and the temperature. Returns their
// momentum and their number. As Lamura, Gompper, Ihle and Kroll, EPL 56, 319 (2001), but as many as its volume asks for.
fn virtual_particles(cell: u32) -> vec4<f32> {
    let key = place[cell];
    let s = vec3<f32>(shift()) / ONE;
    let own = place_of(key);
    var volume = 0.0;
    var drift = vec3<f32>(0.0);
    for (var k = 0u; k < ${2 ** dimension}u; k++) {
        if (((kind[cell] >> k) & 1u) == 0u) {
            continue;
        }
        var share = 1.0;
        var site = own;
#for axis in axes
        if (((k >> ${axis.index}u) & 1u) == 1u) {
            share *= 1.0 - s.${axis.name};
        } else {
            share *= s.${axis.name};
            site.${axis.name} -= 1;
        }
#endfor
        volume += share;
        drift += share * wall_velocity(site);
    }
    if (volume <= 0.0) {
        return vec4<f32>(0.0);
    }
    let words = random(key, ${purpose.virtual_number}u);
    let number = poisson(${in_wall} * volume, uniform_of(words.x));
    let more = random(key, ${purpose.virtual_momentum}u);
    let first = normals_of(more.xy);
    let second = normals_of(more.zw);
    let noise = SPEED * sqrt(number) * vec3<f32>(first, ${"0.0" if dimension == 2 else "second.x"});
    return vec4<f32>(number * drift / volume + noise, number);
}
#endif

fn work_on(cell: u32) {
    let at = cell * WIDTH;
    let number = sums[at];
    var p = vec3<f32>(0.0);
#for axis in axes
    p.${axis.name} = f32(sums[at + ${1 + axis.index}u]) / MOMENTUM_SCALE;
#endfor
    let energy = f32(sums[at + ENERGY]) / ENERGY_SCALE;
#if andersen
    var thermal = vec3<f32>(0.0);
#for axis in axes
    thermal.${axis.name} = f32(sums[at + ENERGY + ${1 + axis.index}u]) / MOMENTUM_SCALE;
#endfor
#endif
#if points
    let excess = sums[at + EXCESS];
#endif
#if not spin
    clear(at);
#endif
    if (number == 0) {
        return;
    }
    if (u32(number) > MOST) {
        atomicMax(&health[2], u32(number));
    }
    let key = place[cell];
    // Mass, and how many particles and points share it.
    let n = f32(number);
#if points
    let count = f32(number - excess);
#else
    let count = n;
#endif
    var all = n;
    var total = p;
#if virtual
    if ((kind[cell] & 255u) != 0u) {
        let more = virtual_particles(cell);
        total += more.xyz;
        all += more.w;
    }
#endif
    let u = total / all;
    let row = ${rows}u * cell;
#if andersen
    // Virtual particles get thermal velocities too, of which the mean alone matters.
    let words = random(key, ${purpose.virtual_thermal}u);
    let more = normals_of(words.zw);
    thermal += SPEED * sqrt(all - n) * vec3<f32>(normals_of(words.xy), ${"0.0" if dimension == 2 else "more.x"});
    let drift = thermal / all;
    collisions[row] = vec4<f32>(u, 0.0);
    collisions[row + 1u] = vec4<f32>(drift, 0.0);
#if spin
    var spin = Spin(vec3<f32>(0.0), vec3<f32>(0.0), 1.0);
    if ((kind[cell] & 255u) == 0u && number > 1) {
        spin = spin_of(cell, n, u - drift);
    }
#endif
#else
    let words = random(key, ${purpose.rotation}u);
    var factor = 1.0;
    let relative = energy - 2.0 * dot(u, p) + n * dot(u, u);
#if spin
    let whole = (kind[cell] & 255u) == 0u;
    // Those of a rigid rotation are left alone.
    let freedom = ${dimension}.0 * (count - n / all) - select(0.0, ${3 if dimension == 3 else 1}.0, whole);
#else
    let freedom = ${dimension}.0 * (count - n / all);
#endif
    var drawn = -1.0;
#if thermostat
    // Maxwell-Boltzmann scaling, Huang, Chatterji, Sutmann, Gompper and Winkler, J. Comput. Phys. 229, 168 (2010): the
    // energy about the mean velocity is drawn anew, with as many degrees of freedom as it has. The factor would be a wrong one
    // where that energy is not known well, as it is little beside what rounding adds: up to 1.5 units for each of `count`.
    let known = 32.0 * count / ENERGY_SCALE;
    if (uniform_of(words.z) <= ${share} && freedom > 0.5 && relative > known) {
        drawn = 2.0 * SPEED * SPEED * gamma(0.5 * freedom, key);
        factor = sqrt(drawn / relative);
    }
#endif
#if dimension == 2
    let sine = select(${sin}, -${sin}, (words.x & 1u) == 1u);
#else
    // An axis with any direction alike.
    let height = 2.0 * uniform_of(words.x) - 1.0;
    let angle = ${turn} * uniform_of(words.y);
    let radius = sqrt(max(0.0, 1.0 - height * height));
    // The length of a velocity stays the same if b b + q q = 2. The last bits of q are varied at random, so that what rounding
    // does to that sum is positive as often as negative.
    let vary = ${half_sin} * (1.0 + 5e-7 * (uniform_of(words.w) - 0.5));
    let q = vary * vec3<f32>(radius * cos(angle), radius * sin(angle), height);
    let rest = max(2.0 - dot(q, q), 1e-12);
    let rough = sqrt(rest);
    let turn = vec4<f32>(q, rough + 0.5 * (rest - rough * rough) / rough);
#endif
#if spin
    var spin = Spin(vec3<f32>(0.0), vec3<f32>(0.0), factor);
    if (whole && number > 1) {
        spin = spin_of(cell, n, u, relative, ${"sine" if dimension == 2 else "turn"}, drawn);
        factor = spin.factor;
    }
#endif
    // A factor of 0 or less: velocities stay as they are.
#if dimension == 2
    collisions[row] = vec4<f32>(u.xy, factor, sine);
#else
    collisions[row] = vec4<f32>(u, factor);
    collisions[row + 1u] = turn;
#endif
#endif
#if spin
    collisions[row + 2u] = vec4<f32>(spin.omega, 0.0);
    collisions[row + 3u] = vec4<f32>(spin.middle, 0.0);
    clear(at);
#endif
}

fn clear(at: u32) {
    for (var k = 0u; k < WIDTH; k++) {
        sums[at + k] = 0;
    }
}
