// Puts one property of `count` particles into another order.
struct Span {
    count: u32,
    // Distance between the components of a particle, words of an element, number of components.
    stride: u32,
    width: u32,
    components: u32,
}
var<immediate> span: Span;

${declarations}
#include "main.wgsl"

fn work_on(k: u32) {
    let i = order[k];
    for (var c = 0u; c < span.components; c++) {
        for (var j = 0u; j < span.width; j++) {
            ordered[(c * span.stride + k) * span.width + j] = words[(c * span.stride + i) * span.width + j];
        }
    }
}
