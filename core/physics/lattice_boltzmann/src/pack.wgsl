// Copies the populations that cross to other parts between their places and the message, `span.count` of them.
// A place is (pair, index in the pair's array), or (0, node) for the rest population.
#include "prelude.wgsl"
#{% with access = "read_write" if unpack else "read" %}
var<storage, ${access}> f_rest: array<stored>;
#include "populations.wgsl"
#{% endwith %}
var<storage, read> places: array<vec2<u32>>;
var<storage, ${"read" if unpack else "read_write"}> message: array<stored>;
#include "main.wgsl"

fn work_on(k: u32) {
    let place = places[k];
    switch (place.x) {
        case 0u: {
#if unpack
            f_rest[place.y] = message[k];
#else
            message[k] = f_rest[place.y];
#endif
        }
#for p in pairs
        case ${p.k}u: {
#if unpack
            f_${p.k}[place.y] = message[k];
#else
            message[k] = f_${p.k}[place.y];
#endif
        }
#endfor
        default: {}
    }
}
