// What the nodes of each body's region sum up to, as integers: weights w, their moments w r and w r r, velocities w u and w u r;
// sums over ranks do not depend on which of them owns a node.
#include "prelude.wgsl"
#include "region.wgsl"

var<private> W: i32;
var<private> Wr: vec3<i32>;
var<private> Wrr: array<vec3<i32>, 2>;
var<private> Wu: vec3<i32>;
var<private> Wur: array<vec3<i32>, 3>;

fn work_on(k: u32) {
    let i = span.first + k;
    let e = matrix_of(quaternion(i));
    W = 0;
    Wr = vec3<i32>();
    Wrr[0] = vec3<i32>();
    Wrr[1] = vec3<i32>();
    Wu = vec3<i32>();
    Wur[0] = vec3<i32>();
    Wur[1] = vec3<i32>();
    Wur[2] = vec3<i32>();
    over_region(i, kinds[kind[i]], e);
    sums[i] = W;
    for (var a = 0u; a < 3u; a++) {
        sums[(1u + a) * span.stride + i] = Wr[a];
        sums[(4u + a) * span.stride + i] = Wrr[0][a];
        sums[(7u + a) * span.stride + i] = Wrr[1][a];
        sums[(10u + a) * span.stride + i] = Wu[a];
        for (var b = 0u; b < 3u; b++) {
            sums[(13u + 3u * a + b) * span.stride + i] = Wur[a][b];
        }
    }
}

fn at_node(n: u32, w: real, r: vec3<real>) {
    let most = vec3<real>(real(0.5));
    let u = clamp(vec3<real>(node_velocity[n], node_velocity[span.node_stride + n], node_velocity[2u * span.node_stride + n]), -most, most);
    let wr = w * real(${scale.weight} / ${scale.length}) * r;
    let per = real(1.0 / ${scale.length});
    W += i32(round(w * real(${scale.weight})));
    Wr += whole(wr);
    Wrr[0] += whole(per * wr * r);
    Wrr[1] += whole(per * wr.yzx * r.zxy);
    let wu = w * real(${scale.velocity}) * u;
    Wu += whole(wu);
    Wur[0] += whole(per * wu.x * r);
    Wur[1] += whole(per * wu.y * r);
    Wur[2] += whole(per * wu.z * r);
}

fn whole(v: vec3<real>) -> vec3<i32> {
    return vec3<i32>(round(v));
}
