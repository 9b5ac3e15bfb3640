// Forces on the vertices of triangle meshes. Each invocation walks around its vertex v, counter-clockwise: triangle k
// is (v, n_k, n_(k+1)), and o_k is the vertex beyond the edge from n_k to n_(k+1).
#include "prelude.wgsl"
#if springs
#include "wlc_power.wgsl"
#endif
#if strains
#include strains
#include "triangle.wgsl"
#endif
#if local_area
#include "local_area.wgsl"
#endif
#if kantor_nelson
#include "kantor_nelson.wgsl"
#endif
#if gompper_kroll
#include "gompper_kroll.wgsl"
var<storage, read_write> bend: array<vec4<real>>;
#endif
#if fairing
#include "fairing.wgsl"
#endif

var<storage, read_write> place: array<vec4<real>>;
var<storage, read> valence: array<u32>;
var<storage, read> ring: array<u32>;
var<storage, read> triangles: array<vec2<u32>>;
var<storage, read> reference: array<real>;

const TRIANGLES: u32 = ${triangles}u;
const VALENCE: u32 = ${valence}u;

// Quantity `which` of the reference at neighbour k of vertex v.
fn rest_of(which: u32, k: u32, v: u32) -> real {
    return reference[(which * VALENCE + k) * VERTICES + v];
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
        place[first + v] = vec4<real>(from_origin(first + v, first), 0.0);
    }
    storageBarrier();
    let s = size_of(work);
#if fairing
    for (var v = work.member; v < work.vertices; v += TEAM) {
        offset[first + v] = vec4<real>(offset_of(first, v), 0.0);
    }
    storageBarrier();
    for (var v = work.member; v < work.vertices; v += TEAM) {
        unevenness[first + v] = vec4<real>(unevenness_of(first, v, s), 0.0);
    }
#endif

    var share = vec2<real>(0.0);
    for (var t = work.member; t < select(0u, TRIANGLES, work.vertices > 0u); t += TEAM) {
        let corners = triangles[t];
        let p = place[first + (corners.x & 0xffffu)].xyz;
        let q = place[first + (corners.x >> 16u)].xyz;
        let r = place[first + corners.y].xyz;
        let normal = cross(q - p, r - p);
        share += vec2<real>(0.5 * sqrt(dot(normal, normal)), dot(p, normal) / 6.0);
    }
#if gompper_kroll
    for (var v = work.member; v < work.vertices; v += TEAM) {
        let x = place[first + v].xyz;
        let count = valence[v];
        var a = place[first + (ring[(count - 1u) * VERTICES + v] & 0xffffu)].xyz - x;
        var sum = vec4<real>(0.0);
        for (var k = 0u; k < count; k += 1u) {
            let b = place[first + (ring[k * VERTICES + v] & 0xffffu)].xyz - x;
            sum += laplacian(a, b);
            a = b;
        }
        bend[first + v] = curvature(sum);
    }
#endif
    let sums = sum_of_team(work, share);
    if (work.member == 0u && work.vertices > 0u) {
        put_shape(work, sums, s);
    }
#if global_area
    let whole = restoring(real(${global_area}), sums.x, s * s * FULL_AREA);
#else
    let whole = real(0.0);
#endif
#if keeps_volume
    let pressure = -restoring(real(${keeps_volume}), sums.y, s * s * s * FULL_VOLUME);
#endif
    for (var v = work.member; v < work.vertices; v += TEAM) {
        let x = place[first + v].xyz;
        let count = valence[v];
        var n = ring[(count - 1u) * VERTICES + v] & 0xffffu;
        var a = place[first + n].xyz - x;
#if kantor_nelson
        // The triangle before the first: its normal over the square of the normal, and its unit normal.
        var a_before = place[first + (ring[(count - 2u) * VERTICES + v] & 0xffffu)].xyz - x;
        let normal_before = cross(a_before, a);
        var lever_before = normal_before / dot(normal_before, normal_before);
        var unit_before = normal_before / sqrt(dot(normal_before, normal_before));
#endif
#if gompper_kroll
        let here = bend[first + v];
        var at_a = bend[first + n];
#endif
#if viscosity
        let u = velocity(first + v);
#endif
        var f = vec3<real>(0.0);
        var normals = vec3<real>(0.0);
        for (var k = 0u; k < count; k += 1u) {
            let entry = ring[k * VERTICES + v];
            let n_next = entry & 0xffffu;
            let b = place[first + n_next].xyz - x;
            let rim = b - a;
            let normal = cross(a, b);
            let square = dot(normal, normal);
            let twice = sqrt(square);
            normals += normal;
#if springs or viscosity or kantor_nelson
            let l = sqrt(dot(a, a));
#endif
#if springs
            f += tension(l, s * rest_of(${rest.length}u, k, v)) / l * a;
#endif
#if viscosity
            f += damping(a, l, velocity(first + n) - u) / l * a;
#endif
#if strains or local_area
            let rest_area = s * s * rest_of(${rest.area}u, k, v);
#endif
#if strains
            f += triangle_force(a, b, vec2<real>(rest_of(${rest.metric}u, k, v), rest_of(${rest.metric + 1}u, k, v)), rest_area);
#endif
#if local_area
            let stretch = whole + area_tension(real(${local_area}), 0.5 * twice, rest_area);
#else
            let stretch = whole;
#endif
#if local_area or global_area
            f -= 0.5 * stretch / twice * cross(normal, rim);
#endif
#if kantor_nelson
            let lever = normal / square;
            let unit = normal / twice;
            let beyond = place[first + (entry >> 16u)].xyz - x - a;
            let outer = cross(beyond, rim);
            let unit_outer = outer / sqrt(dot(outer, outer));
            let length_rim = sqrt(dot(rim, rim));
#if curved
            let half_spoke = rest_of(${rest.spoke}u, k, v);
            let half_rim = rest_of(${rest.rim}u, k, v);
#else
            let half_spoke = real(0.0);
            let half_rim = real(0.0);
#endif
            let spoke = torque(-dot(unit_before, b) * l / twice, dot(unit, unit_before), half_spoke);
            f += spoke / l * (dot(rim, a) * lever + dot(a_before - a, a) * lever_before);
            let far = torque(dot(unit_outer, a) * length_rim / twice, dot(unit, unit_outer), half_rim);
            f += far * length_rim * lever;
            a_before = a;
            lever_before = lever;
            unit_before = unit;
#endif
#if gompper_kroll
            let at_b = bend[first + n_next];
            f += bending_force(a, b, here, at_a, at_b);
            at_a = at_b;
#endif
            a = b;
            n = n_next;
        }
#if keeps_volume
        f += pressure / 6.0 * normals;
#endif
#if fairing
        f += fairing_force(first, v);
#endif
        put_force(work, v, f);
    }
}
