// What pressure openings take from the state before a step, direction by direction: what leaves the node, but for its density,
//   f_j* - 2 w_j (rho - 1)
// openings.wgsl makes what comes in of it. One invocation an (opening, node) entry.
#include "prelude.wgsl"
#{% with access = "read" %}
#include "state.wgsl"
#{% endwith %}
#include "forces.wgsl"
#include "contrast.wgsl"
#include "entry.wgsl"
var<storage, read> entries: array<Entry>;
var<storage, read_write> before: array<real>;
#include "main.wgsl"

fn work_on(k: u32) {
    let entry = entries[k];
    if (entry.pressure == 0u) {
        return;
    }
    let n = entry.node;
#include "gather.wgsl"
#include "pairs.wgsl"
#include "moments_of_pairs.wgsl"
#include "rates.wgsl"
#include "speeds.wgsl"
#for p in pairs
    {
#include "collide.wgsl"
        let density = real(2.0) * W${p.shell} * drho;
        before[${p.i - 1}u * span.count + k] = after_plus + after_minus - density;
        before[${p.j - 1}u * span.count + k] = after_plus - after_minus - density;
    }
#endfor
}
