// Copies the populations that cross to other parts between their places and the message, `span.count` of them.
// A place is (pair, index in the pair's array), or (0, node) for the rest population.
#include "prelude.wgsl"
#if unpack
var<storage, read_write> f_rest: array<stored>;
#for p in pairs
var<storage, read_write> f_${p.k}: array<stored>;
#endfor
var<storage, read> places: array<vec2<u32>>;
var<storage, read> message: array<stored>;
#else
var<storage, read> f_rest: array<stored>;
#for p in pairs
var<storage, read> f_${p.k}: array<stored>;
#endfor
var<storage, read> places: array<vec2<u32>>;
var<storage, read_write> message: array<stored>;
#endif
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
