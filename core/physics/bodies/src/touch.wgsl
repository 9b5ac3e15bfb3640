// Contact of a body with points of soft surfaces: the first set is that of bodies, the second that of points.
#include "wca.wgsl"
#include "symmetric.wgsl"
#include "gay_berne.wgsl"
#include "rotation.wgsl"
#include "surface.wgsl"
#include "kind.wgsl"

var<storage, read> orientation: array<real>;
var<storage, read> kind: array<u32>;
var<storage, read> kinds: array<Kind>;
var<storage, read> area: array<f32>;

struct First {
    // Its axes as columns.
    e: mat3x3<real>,
    squares: vec3<real>,
    pressure: real,
}

struct Second {
    area: real,
}

fn first(i: u32) -> First {
    let q = vec4<real>(
        orientation[at_first(0u, i)],
        orientation[at_first(1u, i)],
        orientation[at_first(2u, i)],
        orientation[at_first(3u, i)],
    );
    let own = kinds[kind[i]];
    return First(matrix_of(q), own.shape.squares, own.pressure);
}

fn second(j: u32) -> Second {
    return Second(real(area[j]));
}

fn pair(one: First, two: Second, r: Axes) -> Action {
    let act = touch(r, one.e, one.squares, one.pressure * two.area);
    return Action(act.F, array<real, 3>(act.T.x, act.T.y, act.T.z), array<real, 3>());
}
