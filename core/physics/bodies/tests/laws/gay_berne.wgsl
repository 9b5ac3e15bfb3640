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
#include "gay_berne.wgsl"
#include "main.wgsl"

fn quaternion(at: u32) -> vec4<real> {
    return vec4<real>(pairs[at], pairs[at + 1u], pairs[at + 2u], pairs[at + 3u]);
}

fn put(at: u32, v: vec3<real>) {
    answers[at] = v.x;
    answers[at + 1u] = v.y;
    answers[at + 2u] = v.z;
}

// A pair: r and two quaternions; two shapes.
fn work_on(k: u32) {
    let at = 11u * k;
    let r = vec3<real>(pairs[at], pairs[at + 1u], pairs[at + 2u]);
    let e1 = matrix_of(quaternion(at + 3u));
    let e2 = matrix_of(quaternion(at + 7u));
    let pair = gay_berne(r, e1, e2, shapes[2u * k], shapes[2u * k + 1u]);
    put(10u * k, pair.F);
    put(10u * k + 3u, pair.T1);
    put(10u * k + 6u, pair.T2);
    answers[10u * k + 9u] = pair.U;
}
