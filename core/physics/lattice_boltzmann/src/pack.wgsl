// Copies the populations that cross to other parts between their places and the message, `span.count` of them.
// A place is (pair, index in the pair's array), or (0, node) for the rest population; other pairs stand for a word
// without meaning.
#include "prelude.wgsl"
#{% with access = "read_write" if unpack else "read" %}
var<storage, ${access}> f_rest: array<stored>;
#include "populations.wgsl"
#{% endwith %}
var<storage, read> places: array<vec2<u32>>;
#if unpack
#include "take.wgsl"
#else
#include "put.wgsl"
#endif
#include "main.wgsl"

fn work_on(k: u32) {
    let place = places[k];
#if unpack
    let f = take(k);
#endif
    switch (place.x) {
        case 0u: {
#if unpack
            f_rest[place.y] = f;
#else
            put(k, f_rest[place.y]);
#endif
        }
#for p in pairs
        case ${p.k}u: {
#if unpack
            f_${p.k}[place.y] = f;
#else
            put(k, f_${p.k}[place.y]);
#endif
        }
#endfor
        default: {
#if not unpack
            put(k, stored(0.0));
#endif
        }
    }
}
