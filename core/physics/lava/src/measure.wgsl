// Sums over the cells k, k + ${strides}, ... as rows of ${sums} words: fluid, heat, solid, heat given away (low and high word each), cells with fluid
// lava, cells with any lava, cells with fluid lava at the edge of the domain, largest thickness as bits.
struct Span {
    count: u32,
    own: u32,
}
var<immediate> span: Span;

var<storage, read> fluid: array<vec4<u32>>;
var<storage, read> solid: array<vec4<u32>>;
var<storage, read> beside_axial: array<u32>;
var<storage, read> beside_diagonal: array<u32>;
var<storage, read_write> sums: array<u32>;
#include "fixed.wgsl"
#include "main.wgsl"

fn work_on(k: u32) {
    var flowing = vec4<u32>();
    var resting = vec4<u32>();
    var cells = vec3<u32>();
    var thickest = 0.0;
    for (var n = k; n < span.own; n += ${strides}u) {
        let f = fluid[n];
        let s = solid[n];
        flowing = vec4<u32>(plus(flowing.xy, f.xy), plus(flowing.zw, f.zw));
        resting = vec4<u32>(plus(resting.xy, s.xy), plus(resting.zw, s.zw));
        let is_fluid = any(f.xy != vec2<u32>());
        var is_at_edge = false;
#for d in directions
        is_at_edge = is_at_edge || beside_${d.kind}[${d.place}u * span.own + n] == ${absent}u;
#endfor
        let is_lava = is_fluid || any(s.xy != vec2<u32>());
        cells += select(vec3<u32>(), vec3<u32>(1u), vec3<bool>(is_fluid, is_lava, is_fluid && is_at_edge));
        thickest = max(thickest, number(f.xy));
    }
    let at = ${sums}u * k;
    sums[at] = flowing.x;
    sums[at + 1u] = flowing.y;
    sums[at + 2u] = flowing.z;
    sums[at + 3u] = flowing.w;
    sums[at + 4u] = resting.x;
    sums[at + 5u] = resting.y;
    sums[at + 6u] = resting.z;
    sums[at + 7u] = resting.w;
    sums[at + 8u] = cells.x;
    sums[at + 9u] = cells.y;
    sums[at + 10u] = cells.z;
    sums[at + 11u] = bitcast<u32>(thickest);
}
