// Copies properties of particles in a new order to `ordered`, or back from there; one invocation for each particle.
struct Span {
    count: u32,
    // Distance between the components of a particle.
    stride: u32,
}
var<immediate> span: Span;

#for k in range(properties)
var<storage, ${"read_write" if back else "read"}> words_${k}: array<u32>;
#endfor
#if back
var<storage, read> ordered: array<u32>;
#else
var<storage, read> order: array<u32>;
var<storage, read_write> ordered: array<u32>;
#endif
#include "main.wgsl"

fn work_on(k: u32) {
#if back
    let i = k;
#else
    let i = order[k];
#endif
#for word in words
    {
        let at = (${word.component}u * span.stride + i) * ${word.width}u + ${word.part}u;
#if back
        words_${word.property}[at] = ordered[${loop.index0}u * span.stride + k];
#else
        ordered[${loop.index0}u * span.stride + k] = words_${word.property}[at];
#endif
    }
#endfor
}
