// The flow rate into the domain at each (opening, node) entry: the sum of 6 w_j c_j . u over its links, which is what openings.wgsl
// lets in where the velocity u is prescribed. It is counted in units of `Passing::QUANTUM`: sums of whole numbers are the same in
// any order.
#include "prelude.wgsl"
#{% with access = "read" %}
#include "state.wgsl"
#{% endwith %}
#include "forces.wgsl"
#include "entry.wgsl"
var<storage, read> entries: array<Entry>;
var<storage, read_write> passing: array<i32>;
#include "main.wgsl"

const PASSING: real = real(${passing_scale});
// What a word holds, with room.
const MOST: real = real(1.9);

fn work_on(k: u32) {
    let entry = entries[k];
    let n = entry.node;
#include "gather.wgsl"
#include "pairs.wgsl"
#include "moments_of_pairs.wgsl"
    var into = real(0.0);
#for p in pairs
    let cu${p.k} = ${p.c_dot_u};
#for way in [p.ij, p.ji]
    if ((entry.links & (1u << ${way.out}u)) != 0u) {
        into += real(${way.sign}6.0) * W${p.shell} * cu${p.k};
    }
#endfor
#endfor
    passing[k] = i32(round(clamp(into, -MOST, MOST) * PASSING));
}
