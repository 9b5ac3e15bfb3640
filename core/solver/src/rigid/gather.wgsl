// What the nodes of each body's region sum up to, as integers: weights w, their moments w r and w r r, velocities w u and w u r;
// sums over ranks do not depend on which of them owns a node.
#include "prelude.wgsl"
#include "kernel.wgsl"

fn work_on(k: u32) {
    let i = span.first + k;
    let own = kinds[kind[i]];
    let e = matrix_of(quaternion(i));
    let lane = 0;
    var W = 0;
    // w r, w r r (xx, yy, zz and yz, zx, xy), w u, and w u r by components of u.
#for sum in sums
    var ${sum.name} = vec3<i32>();
#endfor
#include "region.wgsl"
    sums[i] = W;
#for sum in sums
#for axis in axes
    sums[${sum.first + axis.index}u * span.stride + i] = ${sum.name}.${axis.name};
#endfor
#endfor
}

// The nearest whole numbers, halves away from zero: devices convert slowly, and round as slowly once more.
fn whole(v: vec3<real>) -> vec3<i32> {
    let half = vec3<real>(real(0.5));
    return vec3<i32>(v + select(half, -half, v < vec3<real>()));
}
