// What the nodes of each body's region sum up to, as integers: weights w, their moments w r and w r r, velocities w u and w u r;
// sums over ranks do not depend on which of them owns a node.
#include "prelude.wgsl"
#include "region.wgsl"

var<private> W: i32;
var<private> Wr: vec3<i32>;
// xx, yy, zz and yz, zx, xy.
var<private> Wd: vec3<i32>;
var<private> Wo: vec3<i32>;
var<private> Wu: vec3<i32>;
// Of each component of u.
var<private> Wxr: vec3<i32>;
var<private> Wyr: vec3<i32>;
var<private> Wzr: vec3<i32>;

fn work_on(k: u32) {
    let i = span.first + k;
    let e = matrix_of(quaternion(i));
    W = 0;
#for sum in sums
    ${sum.name} = vec3<i32>();
#endfor
    over_region(i, kinds[kind[i]], e);
    sums[i] = W;
#for sum in sums
#for axis in axes
    sums[${sum.first + axis.index}u * span.stride + i] = ${sum.name}.${axis.name};
#endfor
#endfor
}

fn at_node(n: u32, w: real, r: vec3<real>) {
    let most = vec3<real>(real(0.5));
    let u = clamp(vec3<real>(node_velocity[n], node_velocity[span.node_stride + n], node_velocity[2u * span.node_stride + n]), -most, most);
    let wr = w * real(${scale.weight} / ${scale.length}) * r;
    let per = real(1.0 / ${scale.length});
    W += i32(round(w * real(${scale.weight})));
    Wr += whole(wr);
    Wd += whole(per * wr * r);
    Wo += whole(per * wr.yzx * r.zxy);
    let wu = w * real(${scale.velocity}) * u;
    Wu += whole(wu);
    Wxr += whole(per * wu.x * r);
    Wyr += whole(per * wu.y * r);
    Wzr += whole(per * wu.z * r);
}

fn whole(v: vec3<real>) -> vec3<i32> {
    return vec3<i32>(round(v));
}
