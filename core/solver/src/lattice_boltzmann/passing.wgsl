// The velocity along the opening's normal, into the domain, at each (opening, node) entry, in units of 2^-30 of a lattice
// spacing a step: whole numbers, so that sums are the same in any order.
#include "prelude.wgsl"
#include "main.wgsl"

const PASSING: real = real(1073741824.0);
// What a word holds, with room.
const FASTEST: real = real(1.9);

fn work_on(k: u32) {
    let n = entries[k].node;
    let opening = 3u * entries[k].opening;
#include "gather.wgsl"
#include "pairs.wgsl"
#include "moments_of_pairs.wgsl"
    var into = real(0.0);
#for a in axes
    into += u${a.name} * normals[opening + ${a.index}u];
#endfor
    passing[k] = i32(round(clamp(into, -FASTEST, FASTEST) * PASSING));
}
