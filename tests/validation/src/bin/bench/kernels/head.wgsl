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

${declarations}
