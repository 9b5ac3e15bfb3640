// The flight of a particle for a time step, with the walls that it meets. Walls lie half-way between sites.
#include "lookup.wgsl"

// Most walls that a particle meets in a step, and most sites that it passes; beyond that it stays where it is.
const MOST_LEGS: u32 = 16u;
const MOST_SITES: u32 = ${most_sites}u;
const NO_AXIS: u32 = 3u;

struct Flight {
    at: vec3<i32>,
    v: vec3<f32>,
}

// A wall in the way: the axis across which it lies, the time until then, the last site before it, its site.
struct Hit {
    axis: u32,
    time: f32,
    before: vec3<i32>,
    wall: vec3<i32>,
}

// The first wall on the straight way from `at` to `end`, from site to site.
fn first_wall(at: vec3<i32>, end: vec3<i32>, way: vec3<f32>) -> Hit {
    var site = at >> BITS;
    let last = end >> BITS;
    let within = vec3<f32>(at - (site << BITS)) / ONE;
    let ahead = way > vec3<f32>(0.0);
    let turn = select(vec3<i32>(-1), vec3<i32>(1), ahead);
    let lap = 1.0 / max(abs(way), vec3<f32>(1e-30));
    var due = select(within, 1.0 - within, ahead) * lap;
    for (var k = 0u; k < MOST_SITES; k++) {
        if (all(site == last)) {
            break;
        }
        var axis = NO_AXIS;
        var time = 0.0;
#for axis in axes
        if (site.${axis.name} != last.${axis.name} && (axis == NO_AXIS || due.${axis.name} < time)) {
            axis = ${axis.index}u;
            time = due.${axis.name};
        }
#endfor
        let before = site;
#for axis in axes
        if (axis == ${axis.index}u) {
            site.${axis.name} += turn.${axis.name};
            due.${axis.name} += lap.${axis.name};
        }
#endfor
        let cell = cell_at(site);
        if (cell == SOLID || (kind[cell] & SITE_IS_WALL) != 0u) {
            return Hit(axis, clamp(time, 0.0, 1.0), before, site);
        }
    }
    return Hit(NO_AXIS, 1.0, site, site);
}

// The velocity after a bounce.
fn bounced(v: vec3<f32>, hit: Hit) -> vec3<f32> {
#if slip
    var after = v;
#for axis in axes
    if (hit.axis == ${axis.index}u) {
        after.${axis.name} = -v.${axis.name};
    }
#endfor
    return after;
#else
    return 2.0 * wall_velocity(hit.wall) - v;
#endif
}

fn flown(start: vec3<i32>, velocity: vec3<f32>) -> Flight {
    var at = start;
    var v = velocity;
    var left = 1.0;
    for (var leg = 0u; leg < MOST_LEGS; leg++) {
        let way = v * left;
        let end = at + vec3<i32>(round(way * ONE));
        if (all((end >> BITS) == (at >> BITS))) {
            return Flight(end, v);
        }
        let hit = first_wall(at, end, way);
        if (hit.axis == NO_AXIS) {
            return Flight(end, v);
        }
        let low = hit.before << BITS;
        at = clamp(at + vec3<i32>(round(way * hit.time * ONE)), low, low + vec3<i32>(${one_less}));
        v = bounced(v, hit);
        left *= 1.0 - hit.time;
    }
    return Flight(at, v);
}
