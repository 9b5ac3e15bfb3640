// What the nodes of each body's region sum up to, as integers: weights w, their moments w d and w d d, velocities w u and w u d;
// sums over ranks do not depend on which of them owns a node. Only w and w u are rounded: d, from the site below the body's
// centre, is whole.
// With a message, the first workgroups are for ghosts: their sums go into the message to owners, and those are marked that have own nodes in
// the box around their region. The other workgroups make the forces on nodes zero, which are added up anew after this: first, since nothing waits for
// that. They are as many as own bodies need, or as that needs.
#include "prelude.wgsl"
#include "kernel.wgsl"
#include "region.wgsl"
#include "whole.wgsl"

var<storage, read> orientation: array<real>;
var<storage, read> directory: array<u32>;
var<storage, read> sites: array<u32>;
var<storage, read> node_velocity: array<${vector}>;
var<storage, read_write> sums: array<i32>;
var<storage, read_write> going: array<i32>;
var<storage, read_write> reached: array<u32>;
var<storage, read_write> words: array<vec4<u32>>;

// Zero in an invocation's fours of words, that of number k of `all`, which are whole workgroups; a workgroup's are side by side.
fn clear(k: u32, all: u32) {
    let fours = arrayLength(&words);
    let each = (fours + all - 1u) / all;
    var at = k / ${workgroup}u * each * ${workgroup}u + k % ${workgroup}u;
    for (var n = 0u; n < each; n++) {
        if (at < fours) {
            words[at] = vec4<u32>();
        }
        at += ${workgroup}u;
    }
}

fn work_on(k: u32) {
    let items_of_ghosts = groups_of_ghosts() * ${workgroup}u;
    if (k >= items_of_ghosts) {
        clear(k - items_of_ghosts, span.count - items_of_ghosts);
    }
    if (k < items_of_ghosts + span.own - span.first) {
        gather(k, items_of_ghosts);
    }
}

fn gather(k: u32, items_of_ghosts: u32) {
    let of_ghost = k < items_of_ghosts;
    if (of_ghost && k >= span.ghosts) {
        return;
    }
    let i = select(span.first + k - items_of_ghosts, span.own + k, of_ghost);
    var looked = false;
    var W = 0;
    // w d, w d d (xx, yy, zz and yz, zx, xy), w u, and w u d by components of u.
#for sum in sums
    var ${sum.name} = vec3<i32>();
#endfor
    let region = region_of(i);
    // One loop over all nodes, not one over rows and one within: rows have different lengths side by side. Where there is no plane
    // to begin with, that is as if it were done.
    let none = region.first.z > region.last.z;
    var d = vec3<i32>(1, select(region.first.y - 1, region.last.y, none), region.first.z);
    var row = Row();
    var place = 0u;
    var local = 0u;
    var block = 0u;
    var sx = 0;
    loop {
        if (d.x > row.last) {
            d.y++;
            if (d.y > region.last.y) {
                d.y = region.first.y;
                d.z++;
                if (d.z > region.last.z) {
                    break;
                }
            }
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
    if (of_ghost) {
        let at = ${sum_count}u * k;
        going[at] = W;
#for sum in sums
#for axis in axes
        going[at + ${sum.first + axis.index}u] = ${sum.name}.${axis.name};
#endfor
#endfor
        reached[i] = u32(looked);
        return;
    }
    sums[i] = W;
#for sum in sums
#for axis in axes
    sums[${sum.first + axis.index}u * span.stride + i] = ${sum.name}.${axis.name};
#endfor
#endfor
}
