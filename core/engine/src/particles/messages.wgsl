// Packs properties of particles into a message, unpacks them, or adds what a message holds to them; one invocation for
// each word. In the message, words are ordered by particle, then by property.
struct Span {
    count: u32,
    // Distance between the components of a particle.
    stride: u32,
    // The first particle, where they are not listed.
    first: u32,
    // The number of the message.
    round: u32,
}
var<immediate> span: Span;

#for p in properties
var<storage, ${"read" if packs else "read_write"}> words_${loop.index}: array<${"atomic<u32>" if adds else "u32"}>;
#endfor
var<storage, ${"read_write" if packs else "read"}> message: array<u32>;
#if listed
var<storage, read> list: array<u32>;
#endif
#include "main.wgsl"

fn work_on(k: u32) {
    let particle = k / ${record}u;
    let word = k % ${record}u;
#if listed
    let i = list[particle];
#else
    let i = span.first + particle;
#endif
#for p in properties
    if (word >= ${p.begin}u && word < ${p.end}u) {
        let w = word - ${p.begin}u;
        let at = (w / ${p.width}u * span.stride + i) * ${p.width}u + w % ${p.width}u;
#if packs
        message[k] = words_${loop.index}[at];
#elif adds
        atomicAdd(&words_${loop.index}[at], message[k]);
#else
        words_${loop.index}[at] = message[k];
#endif
    }
#endfor
}
