// One time step in place by the AA pattern, as the solver's.
#include "head.wgsl"

// The numbers of an invocation's nodes, `wide` of them side by side.
#if wide > 1
alias real = vec${wide}<f32>;
alias stored = vec${wide}<${stored}>;
#else
alias real = f32;
alias stored = ${stored};
#endif
fn load(value: stored) -> real { return real(value) * (1.0 / SCALE); }
fn store(f: real) -> stored { return stored(f * SCALE); }

@compute @workgroup_size(${workgroup})
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let first = (group.y * groups.x + group.x) * ${workgroup * many}u + lane;
    if (first < span.count) {
        work_on(first);
    }
}

fn work_on(first: u32) {
    let stride = span.stride / ${wide}u;
#for s in range(many)
#{% with t = "_" ~ s, again = "", t_nodes = s * workgroup %}
#if odd
#include "upstream.wgsl"
#else
    let n${t} = first;
#for p in pairs
    let at${p.i}${t} = n${t};
    let at${p.j}${t} = #{% if split %}n${t}#{% else %}stride + n${t}#{% endif %};
#endfor
#endif
#{% endwith %}
#endfor
#for s in range(many)
#{% with t = "_" ~ s %}
    let f0${t} = load(f_0[n${t}]);
#for p in pairs
#if split and odd
    // Where a wall is upstream, the population comes from the node's own slot in the other array.
    var f${p.i}${t}: real;
    var f${p.j}${t}: real;
    if ((word${t} & ${p.bit_i}u) != 0u) { f${p.i}${t} = load(a_${p.k}[n${t}]); } else { f${p.i}${t} = load(b_${p.k}[upstream${p.i}${t}]); }
    if ((word${t} & ${p.bit_j}u) != 0u) { f${p.j}${t} = load(b_${p.k}[n${t}]); } else { f${p.j}${t} = load(a_${p.k}[upstream${p.j}${t}]); }
#elif split
    let f${p.i}${t} = load(a_${p.k}[at${p.i}${t}]);
    let f${p.j}${t} = load(b_${p.k}[at${p.j}${t}]);
#elif apart and odd
    var f${p.i}${t} = load(f_${p.k}[stride + upstream${p.i}${t}]);
    var f${p.j}${t} = load(f_${p.k}[upstream${p.j}${t}]);
#else
    let f${p.i}${t} = load(f_${p.k}[at${p.i}${t}]);
    let f${p.j}${t} = load(f_${p.k}[at${p.j}${t}]);
#endif
#endfor
#if apart and odd
    if ((word${t} & ${all_walls}u) != 0u) {
#for p in pairs
        if ((word${t} & ${p.bit_i}u) != 0u) { f${p.i}${t} = load(f_${p.k}[n${t}]); }
        if ((word${t} & ${p.bit_j}u) != 0u) { f${p.j}${t} = load(f_${p.k}[stride + n${t}]); }
#endfor
    }
#endif
#{% endwith %}
#endfor
#for s in range(many)
#{% with t = "_" ~ s %}
    {
    let f0 = f0${t};
#for p in pairs
    let f${p.i} = f${p.i}${t};
    let f${p.j} = f${p.j}${t};
#endfor
#include "moments.wgsl"
#if reread and odd
#{% with t = "_again", again = "_again", t_nodes = 0 %}
#include "upstream.wgsl"
#{% endwith %}
#endif
#for p in pairs
    {
#include "collide.wgsl"
#if split and odd
        if ((word${t} & ${p.bit_i}u) != 0u) { a_${p.k}[n${t}] = store(to_i); } else { b_${p.k}[upstream${p.i}${t}] = store(to_i); }
        if ((word${t} & ${p.bit_j}u) != 0u) { b_${p.k}[n${t}] = store(to_j); } else { a_${p.k}[upstream${p.j}${t}] = store(to_j); }
#elif split
        a_${p.k}[at${p.i}${t}] = store(to_i);
        b_${p.k}[at${p.j}${t}] = store(to_j);
#elif reread and odd and not apart
        f_${p.k}[at${p.i}_again] = store(to_i);
        f_${p.k}[at${p.j}_again] = store(to_j);
#elif reread and odd
        if ((word_again & ${p.bit_i + p.bit_j}u) == 0u) {
            f_${p.k}[stride + upstream${p.i}_again] = store(to_i);
            f_${p.k}[upstream${p.j}_again] = store(to_j);
        } else {
            f_${p.k}[at${p.i}_again] = store(to_i);
            f_${p.k}[at${p.j}_again] = store(to_j);
        }
#else
        f_${p.k}[at${p.i}${t}] = store(to_i);
        f_${p.k}[at${p.j}${t}] = store(to_j);
#endif
    }
#endfor
    f_0[n${t}] = store(rest);
    }
#{% endwith %}
#endfor
}
