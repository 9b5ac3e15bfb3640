// What each body answers the fluid, to the own nodes of its region, as integers.
#include "prelude.wgsl"
#include "region.wgsl"

var<private> g: vec3<real>;
var<private> alpha: vec3<real>;
var<private> c: vec3<real>;

fn work_on(k: u32) {
    let i = span.first + k;
    for (var a = 0u; a < 3u; a++) {
        g[a] = answer[a * span.stride + i];
        alpha[a] = answer[(3u + a) * span.stride + i];
        c[a] = answer[(6u + a) * span.stride + i];
    }
    over_region(i, kinds[kind[i]], matrix_of(quaternion(i)));
}

fn at_node(n: u32, w: real, r: vec3<real>) {
    let most = vec3<real>(real(${largest_answer}));
    let f = vec3<i32>(round(real(${scale.force}) * clamp(w * (g + cross(alpha, r - c)), -most, most)));
    atomicAdd(&node_force[n], f.x);
    atomicAdd(&node_force[span.node_stride + n], f.y);
    atomicAdd(&node_force[2u * span.node_stride + n], f.z);
}
