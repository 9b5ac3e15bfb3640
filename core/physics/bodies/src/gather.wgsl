// What the nodes of each body's region sum up to, as whole numbers: weights w, their moments w d and w d d, velocities w u
// and w u d. A ghost sums over this rank's nodes, so sums over ranks do not depend on which of them owns a node. Only w and
// w u are rounded: d, from the site below the body's centre, is whole. Where bodies are few, ${sharing} invocations share a
// body: each takes every ${sharing}th row, and adds what it finds to sums that were zero.
#include "prelude.wgsl"
#include "kernel.wgsl"
#include "region.wgsl"
#include "whole.wgsl"

var<storage, read> orientation: array<real>;
var<storage, read> directory: array<u32>;
var<storage, read> sites: array<u32>;
var<storage, read> node_velocity: array<${vector}>;
#if sharing > 1
var<storage, read_write> sums: array<atomic<i32>>;
var<storage, read_write> reached: array<atomic<u32>>;
#else
var<storage, read_write> sums: array<i32>;
var<storage, read_write> reached: array<u32>;
#endif

fn work_on(k: u32) {
    let i = span.first + k / ${sharing}u;
    var looked = false;
    var W = 0;
    // w d, w d d (xx, yy, zz and yz, zx, xy), w u, and w u d by components of u.
#for sum in sums
    var ${sum.name} = vec3<i32>();
#endfor
    let region = region_of(i);
    // One loop over all nodes, since rows side by side differ in length.
#if sharing > 1
    let wide = max(region.last.y - region.first.y + 1, 0);
    let rows = wide * max(region.last.z - region.first.z + 1, 0);
    var row_number = i32(k % ${sharing}u) - ${sharing};
    var d = vec3<i32>(1, 0, 0);
#else
    // A region without planes begins at its end.
    let none = region.first.z > region.last.z;
    var d = vec3<i32>(1, select(region.first.y - 1, region.last.y, none), region.first.z);
#endif
    var row = Row();
    var place = 0u;
    var local = 0u;
    var block = 0u;
    var sx = 0;
    loop {
        if (d.x > row.last) {
#if sharing > 1
            row_number += ${sharing};
            if (row_number >= rows) {
                break;
            }
            d.y = region.first.y + row_number % wide;
            d.z = region.first.z + row_number / wide;
#else
            d.y++;
            if (d.y > region.last.y) {
                d.y = region.first.y;
                d.z++;
                if (d.z > region.last.z) {
                    break;
                }
            }
#endif
            row = row_of(region, d.y, d.z);
            d.x = row.first;
            sx = wrapped_x(region.site.x + d.x);
            let sy = wrapped_y(region.site.y + d.y);
            let sz = wrapped_z(region.site.z + d.z);
            place = place_y(sy) + place_z(sz);
            local = (u32(sz & 7) << 6u) | (u32(sy & 7) << 3u);
            block = directory[place + place_x(sx)] << ${block_bits}u;
        }
        if (d.x <= row.last) {
            let n = sites[block | local | u32(sx & 7)];
            if (n < FLUID) {
                let w = weight(region, row, d.x);
                let most = vec3<real>(real(0.5));
                let u = clamp(node_velocity[n].xyz, -most, most);
                let weight_of_n = i32(w * real(${scale.weight}) + real(0.5));
                let wu = whole(w * real(${scale.velocity}) * u);
                let wd = weight_of_n * d;
                W += weight_of_n;
                Wd += wd;
                Ws += wd * d;
                Wo += wd.yzx * d.zxy;
                Wu += wu;
                Wxd += wu.x * d;
                Wyd += wu.y * d;
                Wzd += wu.z * d;
                looked = true;
            }
            d.x++;
            sx = after_x(sx);
            if ((sx & 7) == 0) {
                block = directory[place + place_x(sx)] << ${block_bits}u;
            }
        }
    }
#if sharing > 1
    if (looked) {
        atomicStore(&reached[i], 1u);
        atomicAdd(&sums[i], W);
#for sum in sums
#for axis in axes
        atomicAdd(&sums[${sum.first + axis.index}u * span.stride + i], ${sum.name}.${axis.name});
#endfor
#endfor
    }
#else
    reached[i] = u32(looked);
    sums[i] = W;
#for sum in sums
#for axis in axes
    sums[${sum.first + axis.index}u * span.stride + i] = ${sum.name}.${axis.name};
#endfor
#endfor
#endif
}
