// The velocities of embedded points that other ranks tell of. Exactly one rank tells of each point: of the words that come
// for it all but one are 0.
struct Span {
    count: u32,
    others: u32,
}
var<immediate> span: Span;

var<storage, read> inbox: array<u32>;
var<storage, read> here: array<u32>;
var<storage, read_write> velocity: array<f32>;
var<storage, read_write> health: array<atomic<u32>>;
#include "main.wgsl"

fn work_on(i: u32) {
    let piece = ${1 + dimension}u * span.count;
    var tellers = here[i];
    for (var rank = 0u; rank < span.others; rank++) {
        tellers += inbox[rank * piece + ${dimension}u * span.count + i];
    }
    if (tellers != 1u) {
        atomicMax(&health[5], i + 1u);
        return;
    }
    if (here[i] == 1u) {
        return;
    }
#for axis in axes
    {
        var told = 0u;
        for (var rank = 0u; rank < span.others; rank++) {
            told += inbox[rank * piece + ${axis.index}u * span.count + i];
        }
        velocity[${axis.index}u * span.count + i] = bitcast<f32>(told);
    }
#endfor
}
