alias real = ${real};

struct Span {
    count: u32,
}
var<immediate> span: Span;

${declarations}
var<storage, read_write> answers: array<real>;
#include "symmetric.wgsl"
#include "wca.wgsl"
#include "rotation.wgsl"
#include "wall.wgsl"
#include "main.wgsl"

fn vector(at: u32) -> vec3<real> {
    return vec3<real>(bodies[at], bodies[at + 1u], bodies[at + 2u]);
}

fn put(at: u32, v: vec3<real>) {
    answers[at] = v.x;
    answers[at + 1u] = v.y;
    answers[at + 2u] = v.z;
}

// A body: d, n, a quaternion, squared semi-axes.
fn work_on(k: u32) {
    let at = 11u * k;
    let q = vec4<real>(bodies[at + 4u], vector(at + 5u));
    let push = wall(bodies[at], vector(at + 1u), matrix_of(q), vector(at + 8u));
    put(7u * k, push.F);
    put(7u * k + 3u, push.T);
    answers[7u * k + 6u] = push.U;
}
