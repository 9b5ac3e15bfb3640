#if half
enable f16;
#endif
// The numbers of an invocation's node, or of several nodes side by side.
alias real = ${real};
alias stored = ${stored};
alias bits = ${bits};

const WORKGROUP: u32 = ${workgroup}u;
const W0: real = real(${w0});
#for w in weights
const W${loop.index}: real = real(${w});
#endfor
const OMEGA_PLUS: real = real(${omega_plus});
const OMEGA_MINUS: real = real(${omega_minus});
#if immersed
const FORCE_QUANTUM: real = real(1.0 / ${force_scale});
#endif
#if held
const WALL_FORCE_QUANTUM: real = real(1.0 / ${wall_force_scale});
#endif

// What one dispatch works on: `count` items from `first` on; `stride` items separate the two slots of a pair array, `row`
// is the time step's line in `schedule`. Workgroups from number `packs` on pack what crosses of theirs into message
// number `round`, and signal where `sends` is 1 that it is there. What packs or unpacks may have the number of its
// message as `round` there.
#if immediate_force
// `force_k` is the body force at the beginning of the step along the first velocity of pair k; the first pairs are the axes.
// One number a pair: sums of two axes', the same for all, would each wait in a register of every invocation.
#endif
struct Span {
    first: u32,
    count: u32,
    stride: u32,
    ${row_or_round}: u32,
#if packs_after
    packs: u32,
    sends: u32,
    round: u32,
#endif
#if immediate_force
#for p in pairs
    force_${p.k}: f32,
#endfor
#endif
}
var<immediate> span: Span;

// Numbers that a time step has in `schedule`, and how many of them are factors of one opening.
const ROW: u32 = ${row_of_schedule}u;
const TERMS: u32 = ${terms}u;

#if joined
// Two words as one.
fn join(words: vec2<u32>) -> u64 {
    return u64(words.x) | (u64(words.y) << 32u);
}

fn split(both: u64) -> vec2<u32> {
    return vec2(u32(both), u32(both >> 32u));
}

#endif
// Populations are stored as f - w.
fn load(value: stored) -> real {
#if half
    return real(value) * real(1.0 / ${storage_scale});
#elif joined and width == 2
    return bitcast<real>(split(value));
#else
    return value;
#endif
}

fn store(f: real) -> stored {
#if half
    return stored(f * real(${storage_scale}));
#elif joined and width == 2
    return join(bitcast<vec2<u32>>(f));
#else
    return f;
#endif
}
