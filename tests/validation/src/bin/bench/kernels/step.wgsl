// One time step in place, as the solver's, for rates of 1.25 and 8/9 and a force of 1e-6 along x.
#if stored == "f16"
enable f16;
#endif
struct Span {
    count: u32,
    stride: u32,
}
var<immediate> span: Span;

const W0: f32 = ${w0};
const W1: f32 = ${weights[0]};
const W2: f32 = ${weights[1]};
const OMEGA_PLUS: f32 = 1.25;
const OMEGA_MINUS: f32 = 0.8888888888888888;

// The numbers of an invocation's nodes, `wide` of them side by side.
#if wide > 1
alias real = vec${wide}<f32>;
alias stored = vec${wide}<${stored}>;
#else
alias real = f32;
alias stored = ${stored};
#endif
const SCALE: f32 = #{% if stored == "f16" %}32768.0#{% else %}1.0#{% endif %};

${declarations}
fn load(value: stored) -> real { return real(value) * (1.0 / SCALE); }
fn store(f: real) -> stored { return stored(f * SCALE); }

@compute @workgroup_size(${workgroup})
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
#if odd
    let begin = (group.y * groups.x + group.x) * ${workgroup * many * rounds}u + lane;
#if rounds > 1
    for (var round = 0u; round < ${rounds}u; round++) {
        if (begin + round * ${workgroup}u < span.count) {
            work_on(begin + round * ${workgroup}u);
        }
    }
#else
    if (begin < span.count) {
        work_on(begin);
    }
#endif
#else
    let n = (group.y * groups.x + group.x) * ${workgroup}u + lane;
    if (n < span.count) {
        work_on(n);
    }
#endif
}

fn work_on(first: u32) {
    let stride = span.stride / ${wide}u;
#if ahead and odd
    // What a later workgroup will read, so that it is near by then.
    let later = min(first + ${ahead}u, span.count - 1u);
    let word_ahead = words[later];
    let run_ahead = first_run[later >> 8u];
#endif
#for s in range(many)
#{% with t = "_" ~ s, again = "", t_nodes = s * workgroup %}
#if odd
#include "upstream.wgsl"
#elif live
    let n${t} = first;
    if ((live[(first * ${wide}u) >> 5u] >> ((first * ${wide}u) & 31u) & ${2 ** wide - 1}u) == 0u) {
        return;
    }
#else
    let n${t} = first;
#endif
#if not odd
#for p in pairs
    let at${p.i}${t} = n${t};
    let at${p.j}${t} = #{% if split %}n${t}#{% else %}stride + n${t}#{% endif %};
#endfor
#elif links == "chunks"
    if ((word${t} & ${2 * listed_bit}u) != 0u) {
        return;
    }
#endif
#{% endwith %}
#endfor
#for turn in turns
#for s in turn
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
    if ((word${t} & ${walls}u) != 0u) {
#for p in pairs
        if ((word${t} & ${p.bit_i}u) != 0u) { f${p.i}${t} = load(f_${p.k}[n${t}]); }
        if ((word${t} & ${p.bit_j}u) != 0u) { f${p.j}${t} = load(f_${p.k}[stride + n${t}]); }
#endfor
    }
#endif
#{% endwith %}
#endfor
#for s in turn
#{% with t = "_" ~ s %}
    {
#for p in pairs
    let f${p.i} = f${p.i}${t};
    let f${p.j} = f${p.j}${t};
    let sum${p.k} = f${p.i} + f${p.j};
    let difference${p.k} = f${p.i} - f${p.j};
#endfor
    let drho = f0${t}${sum_of_pairs};
#for a in axes
    let u${a.name} = ${a.momentum} + 5e-7 * f32(${a.index}u == 0u);
#endfor
    let uu = 1.5 * (${squares});
    let uF = ux * 1e-6;
    var rest = drho;
#if ahead and odd
    let distance_ahead = distances[run_ahead * ${row_loads}u + (later & 7u)].x;
#endif
#if reread and odd
#{% with t = "_again", again = "_again", t_nodes = 0 %}
#include "upstream.wgsl"
#{% endwith %}
#for p in pairs
    var new${p.i}: real;
    var new${p.j}: real;
#endfor
#endif
#for p in pairs
    {
#if copy
        let to_i = f${p.i} + OMEGA_PLUS;
        let to_j = f${p.j} + OMEGA_PLUS;
#else
        let cu = ${p.c_dot_u};
        let e_plus = W${p.shell} * (drho + 4.5 * cu * cu - uu);
        let e_minus = W${p.shell} * 3.0 * cu;
        let f_plus = 0.5 * sum${p.k};
        let f_minus = 0.5 * difference${p.k};
        let cF = f32(${p.cx}) * 1e-6;
        let S_plus = (1.0 - 0.5 * OMEGA_PLUS) * W${p.shell} * (9.0 * cu * cF - 3.0 * uF);
        let S_minus = (1.0 - 0.5 * OMEGA_MINUS) * W${p.shell} * 3.0 * cF;
        let after_plus = f_plus - OMEGA_PLUS * (f_plus - e_plus) + S_plus;
        let after_minus = f_minus - OMEGA_MINUS * (f_minus - e_minus) + S_minus;
        let to_i = after_plus - after_minus;
        let to_j = after_plus + after_minus;
        rest -= 2.0 * after_plus;
#endif
#if split and odd
        if ((word${t} & ${p.bit_i}u) != 0u) { a_${p.k}[n${t}] = store(to_i); } else { b_${p.k}[upstream${p.i}${t}] = store(to_i); }
        if ((word${t} & ${p.bit_j}u) != 0u) { b_${p.k}[n${t}] = store(to_j); } else { a_${p.k}[upstream${p.j}${t}] = store(to_j); }
#elif split
        a_${p.k}[at${p.i}${t}] = store(to_i);
        b_${p.k}[at${p.j}${t}] = store(to_j);
#elif reread and odd
        new${p.i} = to_i;
        new${p.j} = to_j;
        if ((word_again & ${p.bit_i}u) == 0u) { f_${p.k}[stride + upstream${p.i}_again] = store(to_i); }
        if ((word_again & ${p.bit_j}u) == 0u) { f_${p.k}[upstream${p.j}_again] = store(to_j); }
#else
        f_${p.k}[at${p.i}${t}] = store(to_i);
        f_${p.k}[at${p.j}${t}] = store(to_j);
#endif
    }
#endfor
    f_0[n${t}] = store(rest);
#if reread and odd
    if ((word_again & ${walls}u) != 0u) {
#for p in pairs
        if ((word_again & ${p.bit_i}u) != 0u) { f_${p.k}[n${t}] = store(new${p.i}); }
        if ((word_again & ${p.bit_j}u) != 0u) { f_${p.k}[stride + n${t}] = store(new${p.j}); }
#endfor
    }
#endif
#if ahead and odd
    // Never, but the compiler does not know.
    if (word_ahead == 0xffffffffu || distance_ahead == 0x7fffffffu) {
        f_0[n${t}] = stored();
    }
#endif
    }
#{% endwith %}
#endfor
#endfor
}
