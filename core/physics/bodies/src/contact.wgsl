// Forces and torques between bodies and from walls; sums are integers, so that they do not depend on the order of neighbours and
// what two bodies do to each other cancels exactly.
#include "prelude.wgsl"
#include "apart.wgsl"

var<storage, read> position: array<vec2<i32>>;
var<storage, read> orientation: array<real>;
var<storage, read> kind: array<u32>;
var<storage, read> kinds: array<Kind>;
var<storage, read> id: array<u32>;
var<storage, read> gone: array<u32>;
var<storage, read> neighbours: array<u32>;
var<storage, read> neighbour_count: array<u32>;
var<storage, read_write> contact: array<real>;
#if walls
var<storage, read> directory: array<u32>;
var<storage, read> wall_distance: array<f32>;
#endif

fn work_on(k: u32) {
    let i = span.first + k;
    let own = kinds[kind[i]];
    let e = matrix_of(quaternion(i));
    var F = vec3<i32>();
    var T = vec3<i32>();
#for axis in axes
    let p${axis.name} = position[${axis.index}u * span.stride + i];
#endfor
    let listed = neighbour_count[i];
    if (listed > ${most_neighbours}u) {
        break_body(i, ${damage.crowd}u);
    }
    // Those that are near come first: lists hold more, and bodies side by side then keep step.
    var close: array<u32, ${most_neighbours}>;
    var found = 0u;
    for (var n = 0u; n < min(listed, ${most_neighbours}u); n++) {
        let j = neighbours[n * span.stride + i];
        let r = Axes(
#for axis in axes
            apart_${axis.name}(p${axis.name}, ${axis.index}u * span.stride + j),
#endfor
        );
        if (dot(r, r) < real(${range_squared})) {
            close[found] = j;
            found++;
        }
    }
    for (var n = 0u; n < found; n++) {
        let j = close[n];
        let r = Axes(
#for axis in axes
            apart_${axis.name}(p${axis.name}, ${axis.index}u * span.stride + j),
#endfor
        );
        let other = kinds[kind[j]];
        // The lower number is body 1, whoever asks: then both get the same bits.
        let lower = id[i] < id[j];
        var e1 = matrix_of(quaternion(j));
        var e2 = e;
        var k1 = other.shape;
        var k2 = own.shape;
        if (lower) {
            e2 = e1;
            e1 = e;
            k2 = k1;
            k1 = own.shape;
        }
        let pair = gay_berne(select(r, -r, lower), e1, e2, k1, k2);
        // What left is there no more.
        let there = select(0, 1, gone[j] == 0u);
        F += there * whole(select(pair.F, -pair.F, lower));
        T += there * whole(select(pair.T2, pair.T1, lower));
    }
#if walls
#include "wall_distance.wgsl"
#endif
    for (var a = 0u; a < 3u; a++) {
        contact[a * span.stride + i] = real(F[a]) * real(1.0 / ${scale.contact});
        contact[(3u + a) * span.stride + i] = real(T[a]) * real(1.0 / ${scale.contact});
    }
}

fn whole(v: vec3<real>) -> vec3<i32> {
    return vec3<i32>(round(clamp(v, vec3<real>(real(-${largest_contact})), vec3<real>(real(${largest_contact}))) * real(${scale.contact})));
}
