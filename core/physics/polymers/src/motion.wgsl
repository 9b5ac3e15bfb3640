// The way of a bead in a sub-step, with the walls that it meets. Walls lie half-way between sites.
const SOLID: u32 = ${solid}u;

var<storage, read> directory: array<u32>;
// Of each site: 0 in the fluid, the number of a moving wall, or SOLID.
var<storage, read> sites: array<u32>;
var<storage, read> walls: array<f32>;

#include "sites.wgsl"
#include "entry_of.wgsl"

struct Motion {
    at: vec3<i32>,
    v: vec3<f32>,
    image: vec3<i32>,
}

// After the way v h from `at`. A bead that would enter a wall stays where it is and turns round.
fn motion(at: vec3<i32>, v: vec3<f32>) -> Motion {
    var next = at + vec3<i32>(round(v * (${h} * ONE)));
    var after = v;
    let site = next >> BITS;
    if (any(site != (at >> BITS))) {
#if slip
        // Along each axis by itself; where only the way across an edge is shut, along all.
        let old = at >> BITS;
#for axis in axes
        {
            var beside = old;
            beside.${axis.name} = site.${axis.name};
            if (entry_of(beside) != 0u) {
                next.${axis.name} = at.${axis.name};
                after.${axis.name} = -v.${axis.name};
            }
        }
#endfor
        if (entry_of(next >> BITS) != 0u) {
            next = at;
            after = -v;
        }
#else
        let wall = entry_of(site);
        if (wall != 0u) {
            next = at;
#if moving
            let u = select(3u * wall, 0u, wall == SOLID);
            after = 2.0 * vec3<f32>(walls[u], walls[u + 1u], ${"walls[u + 2u]" if dimension == 3 else "0.0"}) - v;
#else
            after = -v;
#endif
        }
#endif
    }
    var image = vec3<i32>(0);
#for axis in axes
#if axis.periodic
    image.${axis.name} = i32(next.${axis.name} >= ${axis.period}) - i32(next.${axis.name} < 0);
    next.${axis.name} -= image.${axis.name} * ${axis.period};
#endif
#endfor
    return Motion(next, after, image);
}
