// Kicks momenta by all forces: constant ones, contact, and the drag of the fluid.
#include "prelude.wgsl"

var<storage, read> position: array<vec2<i32>>;
var<storage, read> orientation: array<real>;
var<storage, read> kind: array<u32>;
var<storage, read> kinds: array<Kind>;
var<storage, read_write> velocity: array<real>;
var<storage, read_write> spin: array<real>;
var<storage, read_write> force: array<real>;
var<storage, read_write> torque: array<real>;
// What others do to bodies: other bodies, walls, points of soft surfaces.
#for action in actions
var<storage, read> ${action.name}: array<i32>;
#endfor
var<storage, read> gone: array<u32>;
#if in_fluid
#include "flow_fit.wgsl"
#include "drag.wgsl"
#endif

fn work_on(k: u32) {
    let i = span.first + k;
    // What left stands still until it is dropped, and answers nothing.
    if (gone[i] != 0u) {
        for (var a = 0u; a < 3u; a++) {
            velocity[a * span.stride + i] = real(0.0);
            spin[a * span.stride + i] = real(0.0);
        }
#if in_fluid
        answer_with(i, vec3<real>(), vec3<real>(), vec3<real>());
#endif
        return;
    }
    let own = kinds[kind[i]];
    let e = matrix_of(quaternion(i));
#if in_fluid
    let W = real(sums[i]) * real(1.0 / ${scale.weight});
    if (!(W >= real(${least_weight}))) {
        break_body(i, ${damage.wall}u);
        answer_with(i, vec3<real>(), vec3<real>(), vec3<real>());
        return;
    }
#endif

    var F_other = own.F;
    var T_space = own.T;
#for action in actions
    F_other += real(${action.force}) * fixed(i, ${action.name}_of(i, 0u));
    T_space += real(${action.torque}) * fixed(i, ${action.name}_of(i, 3u));
#endfor
    let T_other = turned_back(e, T_space);
#if in_fluid
    let from_fluid = drag_on(i, flow_fit(i, W, own, e), own, e, F_other, T_other);
    let F = from_fluid.F + F_other;
    let T = from_fluid.T + T_other;
#else
    let F = F_other;
    let T = T_other;
#endif

    let V = vector_of_velocity(i) + (real(span.kick) / own.mass) * F;
    let L = vector_of_spin(i) + real(span.kick) * T;
    T_space = e * T;
    for (var a = 0u; a < 3u; a++) {
        velocity[a * span.stride + i] = V[a];
        spin[a * span.stride + i] = L[a];
        force[a * span.stride + i] = F[a];
        torque[a * span.stride + i] = T_space[a];
    }
    if (!(dot(V, V) <= real(${fastest_squared})) || !(dot(L, L) < real(1e30))) {
        break_body(i, ${damage.speed}u);
    }
}

// Three components of a sum, from `first` on.
#for action in actions
fn ${action.name}_of(i: u32, first: u32) -> vec3<i32> {
    return vec3<i32>(
        ${action.name}[first * span.stride + i],
        ${action.name}[(first + 1u) * span.stride + i],
        ${action.name}[(first + 2u) * span.stride + i],
    );
}
#endfor

fn fixed(i: u32, sum: vec3<i32>) -> vec3<real> {
    if (any(sum == vec3<i32>(OVERFLOW))) {
        break_body(i, ${damage.crowd}u);
    }
    return vec3<real>(sum);
}

// Into the body's frame.
fn turned_back(e: mat3x3<real>, v: vec3<real>) -> vec3<real> {
    return vec3<real>(dot(e[0], v), dot(e[1], v), dot(e[2], v));
}
