// What all prototypes begin with. Rates of 1.25 and 8/9; `force_k` is the body force along the first velocity of pair k.
#if stored == "f16"
enable f16;
#endif
struct Span {
    count: u32,
    stride: u32,
#for p in pairs
    force_${p.k}: f32,
#endfor
}
var<immediate> span: Span;

const W0: f32 = ${w0};
const W1: f32 = ${weights[0]};
const W2: f32 = ${weights[1]};
const OMEGA_PLUS: f32 = 1.25;
const OMEGA_MINUS: f32 = 0.8888888888888888;
const SCALE: f32 = #{% if stored == "f16" %}32768.0#{% else %}1.0#{% endif %};

#if links == "tiles"
#for m in range(moments)
var<storage, read_write> m_${m}: array<${stored}>;
#endfor
var<storage, read_write> ghosts: array<${stored}>;
#else
var<storage, read_write> f_0: array<${stored_wide}>;
#for p in pairs
#if links == "esoteric"
var<storage, read_write> ${p.near}: array<${stored_wide}>;
var<storage, read_write> ${p.far}: array<${stored}>;
#elif split
var<storage, read_write> a_${p.k}: array<${stored_wide}>;
var<storage, read_write> b_${p.k}: array<${stored_wide}>;
#else
var<storage, read_write> f_${p.k}: array<${stored_wide}>;
#endif
#if odd and links == "table"
var<storage, read> links_${p.k}: array<u32>;
#endif
#endfor
#if odd and (links == "directions" or links == "split")
var<storage, read> words: array<u32>;
var<storage, read> first_run: array<u32>;
var<storage, read> distances: array<vec4<u32>>;
#endif
#if odd and links == "groups" or links == "esoteric"
var<storage, read> groups: array<vec4<u32>>;
var<storage, read> specials: array<u32>;
var<storage, read> lists: array<u32>;
var<storage, read> distances: array<${row}>;
#endif
#if odd and links == "groups" and reread
var<storage, read> groups_again: array<vec4<u32>>;
var<storage, read> distances_again: array<${row}>;
#endif
#endif
