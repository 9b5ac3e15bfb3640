// Forces on the vertices of rings. All energies except the volume's depend on the sides d_i = r_(i+1) - r_i. With the
// pull P_i = dE/dd_i of side i, the force on vertex i is P_i - P_(i-1).
#include "prelude.wgsl"
#if stretch
#include stretch
#endif
#if bends
#include "ring_bending.wgsl"
#endif
#if fairing
#include "fairing.wgsl"
#endif

var<storage, read_write> place: array<vec2<real>>;
var<storage, read_write> pull: array<vec2<real>>;
var<storage, read> reference: array<vec2<real>>;

// Least length of a side in bending, half of the mean side at rest: a side that is compressed to a point has no
// direction, and a moment over its length would be a force without bound.
const LEAST_SIDE: real = real(${least_side});

fn next(v: u32) -> u32 {
    return select(v + 1u, 0u, v + 1u == VERTICES);
}

fn previous(v: u32) -> u32 {
    return select(v, VERTICES, v == 0u) - 1u;
}

fn across(d: Axes) -> Axes {
    return Axes(-d.y, d.x);
}

@compute @workgroup_size(WORKGROUP)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let work = work_of(group, groups, lane);
    let first = work.first;
    for (var v = work.member; v < work.vertices; v += TEAM) {
        place[first + v] = from_origin(first + v, first);
    }
    storageBarrier();
#if fairing
    for (var v = work.member; v < work.vertices; v += TEAM) {
        offset[first + v] = offset_of(first, v);
    }
    storageBarrier();
#endif

    let s = size_of(work);
#if fairing
    for (var v = work.member; v < work.vertices; v += TEAM) {
        unevenness[first + v] = unevenness_of(first, v, s);
    }
#endif
    var share = vec2<real>(0.0);
    for (var v = work.member; v < work.vertices; v += TEAM) {
        let r = place[first + v];
        let r_next = place[first + next(v)];
        let b = r_next - r;
        let length_b = sqrt(dot(b, b));
        share += vec2<real>(length_b, 0.5 * (r.x * r_next.y - r.y * r_next.x));
#if bends
        let a = r - place[first + previous(v)];
#if curved
        let c0 = reference[v].y / s;
#else
        let c0 = real(0.0);
#endif
        moment[first + v] = bending(a, b, sqrt(dot(a, a)), length_b, c0, s * LEAST_SIDE);
#endif
    }
    let sums = sum_of_team(work, share);
    if (work.member == 0u && work.vertices > 0u) {
        put_shape(work, sums, s);
    }

    for (var v = work.member; v < work.vertices; v += TEAM) {
        let w = next(v);
        let d = place[first + w] - place[first + v];
        let l = sqrt(dot(d, d));
        var along = real(0.0);
#if stretch
        along += tension(l, s * reference[v].x);
#endif
#if viscosity
        along += damping(d, l, velocity(first + w) - velocity(first + v));
#endif
#if global_area
        along += restoring(real(${global_area}), sums.x, s * FULL_AREA);
#endif
#if bends
        let here = moment[first + v];
        let there = moment[first + w];
        along += 0.5 * (here.y + there.y);
        pull[first + v] = (along * d + (here.x - there.x) / max(l, s * LEAST_SIDE) * across(d)) / l;
#else
        pull[first + v] = along / l * d;
#endif
    }
    storageBarrier();

#if keeps_volume
    // The gradient of the area at a vertex is half the vector between its neighbours, rotated outwards.
    let pressure = -restoring(real(${keeps_volume}), sums.y, s * s * FULL_VOLUME);
#endif
    for (var v = work.member; v < work.vertices; v += TEAM) {
        let before = previous(v);
        var f = pull[first + v] - pull[first + before];
#if keeps_volume
        f -= 0.5 * pressure * across(place[first + next(v)] - place[first + before]);
#endif
#if fairing
        f += fairing_force(first, v) / s;
#endif
        put_force(work, v, f);
    }
}
