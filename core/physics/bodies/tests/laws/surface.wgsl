alias real = ${real};

struct Span {
    count: u32,
}
var<immediate> span: Span;

${declarations}
var<storage, read_write> answers: array<real>;
#include "rotation.wgsl"
#include "surface.wgsl"
#include "main.wgsl"

fn vector(at: u32) -> vec3<real> {
    return vec3<real>(pairs[at], pairs[at + 1u], pairs[at + 2u]);
}

fn put(at: u32, v: vec3<real>) {
    answers[at] = v.x;
    answers[at + 1u] = v.y;
    answers[at + 2u] = v.z;
}

// A pair: r, a quaternion, squared semi-axes, the strength.
fn work_on(k: u32) {
    let at = 11u * k;
    let q = vec4<real>(pairs[at + 3u], vector(at + 4u));
    let act = touch(vector(at), matrix_of(q), vector(at + 7u), pairs[at + 10u]);
    put(6u * k, act.F);
    put(6u * k + 3u, act.T);
}
