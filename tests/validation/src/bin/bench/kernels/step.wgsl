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
    let first = (group.y * groups.x + group.x) * ${workgroup * many}u + lane;
    if (first < span.count) {
        work_on(first);
    }
}

fn work_on(first: u32) {
    let stride = span.stride / ${wide}u;
#for s in range(many)
    let n_${s} = first + ${s * workgroup}u;
#if odd
#if links == "table"
#for p in pairs
    let at${p.i}_${s} = links_${p.k}[n_${s}];
    let at${p.j}_${s} = links_${p.k}[stride + n_${s}];
#endfor
#elif links == "fixed"
#for p in pairs
    let at${p.i}_${s} = stride + n_${s} + ${p.k * 640 + shift * p.k}u;
    let at${p.j}_${s} = n_${s} + ${p.k * 6400 + shift * p.k}u;
#endfor
#elif links == "rows"
    let word_${s} = words[n_${s}];
    let run_${s} = first_run[n_${s} >> 8u] + (word_${s} >> ${directions + 1}u);
#for r in range(rows_loads)
    let d${r}_${s} = distances[run_${s} * ${rows_loads}u + ${r}u];
#endfor
#for p in pairs
    var at${p.i}_${s} = select(stride + n_${s} ${p.upstream_i}#{% if p.beside_i %} + d${p.beside_i | replace("_0", "_" ~ s)}#{% endif %}, n_${s}, (word_${s} & ${p.bit_i}u) != 0u);
    var at${p.j}_${s} = select(n_${s} ${p.upstream_j}#{% if p.beside_j %} + d${p.beside_j | replace("_0", "_" ~ s)}#{% endif %}, stride + n_${s}, (word_${s} & ${p.bit_j}u) != 0u);
#endfor
    if ((word_${s} & ${listed_bit}u) != 0u) {
        let list = d0_${s}.x * ${directions}u;
#for p in pairs
        at${p.i}_${s} = select(stride + n_${s} + lists[list + ${p.i - 1}u], n_${s}, (word_${s} & ${p.bit_i}u) != 0u);
        at${p.j}_${s} = select(n_${s} + lists[list + ${p.j - 1}u], stride + n_${s}, (word_${s} & ${p.bit_j}u) != 0u);
#endfor
    }
#else
    let word_${s} = words[n_${s}];
    let run_${s} = (first_run[n_${s} >> 8u] + (word_${s} >> ${directions}u)) * ${rows}u;
#for r in range(rows)
    let d${r}_${s} = distances[run_${s} + ${r}u];
#endfor
#for p in pairs
#if links == "split"
    let at${p.i}_${s} = n_${s} + d${p.row_i}_${s}[${p.at_i}];
    let at${p.j}_${s} = n_${s} + d${p.row_j}_${s}[${p.at_j}];
#else
    let at${p.i}_${s} = select(stride + n_${s} + d${p.row_i}_${s}[${p.at_i}], n_${s}, (word_${s} & ${p.bit_i}u) != 0u);
    let at${p.j}_${s} = select(n_${s} + d${p.row_j}_${s}[${p.at_j}], stride + n_${s}, (word_${s} & ${p.bit_j}u) != 0u);
#endif
#endfor
#endif
#else
#for p in pairs
    let at${p.i}_${s} = n_${s};
    let at${p.j}_${s} = #{% if links == "split" %}n_${s}#{% else %}stride + n_${s}#{% endif %};
#endfor
#endif
#endfor
#for turn in turns
#for s in turn
    let f0_${s} = load(f_0[n_${s}]);
#for p in pairs
#if links == "split" and odd
    // Where a wall is upstream, the population comes from the node's own slot in the other array.
    var f${p.i}_${s}: real;
    var f${p.j}_${s}: real;
    if ((word_${s} & ${p.bit_i}u) != 0u) { f${p.i}_${s} = load(a_${p.k}[n_${s}]); } else { f${p.i}_${s} = load(b_${p.k}[at${p.i}_${s}]); }
    if ((word_${s} & ${p.bit_j}u) != 0u) { f${p.j}_${s} = load(b_${p.k}[n_${s}]); } else { f${p.j}_${s} = load(a_${p.k}[at${p.j}_${s}]); }
#elif links == "split"
    let f${p.i}_${s} = load(a_${p.k}[at${p.i}_${s}]);
    let f${p.j}_${s} = load(b_${p.k}[at${p.j}_${s}]);
#else
    let f${p.i}_${s} = load(f_${p.k}[at${p.i}_${s}]);
    let f${p.j}_${s} = load(f_${p.k}[at${p.j}_${s}]);
#endif
#endfor
#endfor
#for s in turn
    {
#for p in pairs
    let f${p.i} = f${p.i}_${s};
    let f${p.j} = f${p.j}_${s};
    let sum${p.k} = f${p.i} + f${p.j};
    let difference${p.k} = f${p.i} - f${p.j};
#endfor
    let drho = f0_${s}${sum_of_pairs};
#for a in axes
    let u${a.name} = ${a.momentum} + 5e-7 * f32(${a.index}u == 0u);
#endfor
    let uu = 1.5 * (${squares});
    let uF = ux * 1e-6;
    var rest = drho;
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
#if links == "split" and odd
        if ((word_${s} & ${p.bit_i}u) != 0u) { a_${p.k}[n_${s}] = store(to_i); } else { b_${p.k}[at${p.i}_${s}] = store(to_i); }
        if ((word_${s} & ${p.bit_j}u) != 0u) { b_${p.k}[n_${s}] = store(to_j); } else { a_${p.k}[at${p.j}_${s}] = store(to_j); }
#elif links == "split"
        a_${p.k}[at${p.i}_${s}] = store(to_i);
        b_${p.k}[at${p.j}_${s}] = store(to_j);
#else
        f_${p.k}[at${p.i}_${s}] = store(to_i);
        f_${p.k}[at${p.j}_${s}] = store(to_j);
#endif
    }
#endfor
    f_0[n_${s}] = store(rest);
    }
#endfor
#endfor
}
