// One time step in place: gather, collide, scatter. AA pattern: Bailey et al., ICPP 2009.
// Where bodies are in the fluid, the last workgroups, which have the interface's nodes, put what crosses to other parts into the message.
#include "prelude.wgsl"
#{% with access = "read_write" %}
#include "state.wgsl"
#{% endwith %}
#include "forces.wgsl"
#include "contrast.wgsl"
#if odd and apart
var<storage, read> marks_again: array<vec4<u32>>;
var<storage, read> distances_again: array<${row}>;
#endif
#if immersed
#if joined and axes | length == 3
var<storage, read_write> node_velocity: array<vec2<u64>>;
#elif joined
var<storage, read_write> node_velocity: array<u64>;
#else
var<storage, read_write> node_velocity: array<${vector}>;
#endif
#endif
#{% with last_first = odd and backwards, numbered = packs_after %}
#include "main.wgsl"
#{% endwith %}
#if packs_after
#include "crossing.wgsl"
#endif

fn work_on(k: u32) {
    let n = span.first + k;

#if odd and apart
#include "gather_apart.wgsl"
    // Read again, by other names: numbers of nodes that stay in registers from load to store leave room for fewer invocations.
#{% with again = "_again" %}
#include "upstream.wgsl"
#{% endwith %}
#else
#include "gather.wgsl"
#include "pairs.wgsl"
#endif

#include "moments_of_pairs.wgsl"
#include "rates.wgsl"
#if immersed
#for u in velocities
#if joined and axes | length == 3
    let u_${loop.index0} = bitcast<vec4<u32>>(${u});
    node_velocity[${width}u * n + ${loop.index0}u] = vec2(join(u_${loop.index0}.xy), join(u_${loop.index0}.zw));
#elif joined
    node_velocity[${width}u * n + ${loop.index0}u] = join(bitcast<vec2<u32>>(${u}));
#else
    node_velocity[${width}u * n + ${loop.index0}u] = ${u};
#endif
#endfor
#endif

#include "speeds.wgsl"

    var rest = drho;
#for p in pairs
    {
#include "collide.wgsl"
        // Each value goes where its opposite came from.
#if odd and apart
        if ((word_again & ${p.ij.bit + p.ji.bit}u) == 0u) {
            f_${p.k}[span.stride + upstream_again${p.i}] = store(after_plus - after_minus);
            f_${p.k}[upstream_again${p.j}] = store(after_plus + after_minus);
        } else {
            let from_wall${p.i} = (word_again & ${p.ij.bit}u) != 0u;
            let from_wall${p.j} = (word_again & ${p.ji.bit}u) != 0u;
            f_${p.k}[select(span.stride + upstream_again${p.i}, n, from_wall${p.i})] = store(after_plus - after_minus);
            f_${p.k}[select(upstream_again${p.j}, span.stride + n, from_wall${p.j})] = store(after_plus + after_minus);
        }
#else
        f_${p.k}[at${p.i}] = store(after_plus - after_minus);
        f_${p.k}[at${p.j}] = store(after_plus + after_minus);
#endif
        rest -= real(2.0) * after_plus;
    }
#endfor
    // f0* is what mass conservation leaves for it. Relaxing it on its own is the same in exact arithmetic, but the
    // weights as rounded do not sum to 1, which would make or lose mass steadily.
    f_rest[n] = store(rest);
}
