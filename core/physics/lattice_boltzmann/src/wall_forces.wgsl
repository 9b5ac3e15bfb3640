// Momentum that nodes give to walls in a time step, link by link (momentum exchange, Ladd, J. Fluid Mech. 271 (1994) 285;
// Mei, Yu, Shyy and Luo, Phys. Rev. E 65 (2002) 041203):
//   F = sum over links into the wall of c_i (f*_i(x, t) + f_j(x, t+1)),   j = -i
// A half-way wall sends back f_j(x, t+1) = f*_i(x, t), which a step leaves in the node's own slot j; what walls.wgsl and
// openings.wgsl mend afterwards is that slot. So this kernel runs twice in a step, before they do (row 0, which begins the
// sum) and after them (row 1, which adds to it). Populations are stored as f - w, which leaves out the pressure at rest.
// Each axis is an integer in two words, a coarse part and the rest in a finer unit, so that sums do not depend on their order.
// One invocation an entry: a node and its links into one part of the wall.
#include "prelude.wgsl"
#{% with access = "read" %}
#include "populations.wgsl"
#{% endwith %}
var<storage, read> force_entries: array<vec2<u32>>;
var<storage, read_write> exchanged: array<i32>;
#include "main.wgsl"

const COARSE: real = real(${coarse_scale});
const FINE: real = real(${fine_scale});

fn work_on(k: u32) {
    let entry = force_entries[k];
    let n = entry.x;
#for a in axes
    var F${a.name} = real(0.0);
#endfor
#for p in pairs
#for way in [p.ij, p.ji]
    if ((entry.y & (1u << ${way.out}u)) != 0u) {
        let f = load(f_${p.k}[${way.slot_back}]);
#for term in way.along
        F${term.axis} ${term.sign}= f;
#endfor
    }
#endfor
#endfor
    var at = ${2 * (axes | length)}u * k;
#for a in axes
    let coarse${a.name} = i32(round(F${a.name} * COARSE));
    let fine${a.name} = i32(round((F${a.name} - real(coarse${a.name}) / COARSE) * FINE));
    if (span.row == 0u) {
        exchanged[at] = coarse${a.name};
        exchanged[at + 1u] = fine${a.name};
    } else {
        exchanged[at] += coarse${a.name};
        exchanged[at + 1u] += fine${a.name};
    }
    at += 2u;
#endfor
}
