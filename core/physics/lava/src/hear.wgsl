// Lists the blocks of cells at the interface to which lava of another rank may flow.
struct Span {
    count: u32,
    own: u32,
    generation: u32,
    interior: u32,
}
var<immediate> span: Span;

var<storage, read> before: array<f32>;
var<storage, read> beside_axial: array<u32>;
var<storage, read> beside_diagonal: array<u32>;
var<storage, read_write> blocks: array<atomic<u32>>;
var<storage, read_write> size: array<atomic<u32>>;
var<storage, read_write> stamp: array<atomic<u32>>;
#include "activate.wgsl"
#include "main.wgsl"

fn work_on(k: u32) {
    let n = span.interior + k;
#for d in directions
    {
        let k = beside_${d.kind}[${d.place}u * span.own + n];
        if (k >= span.own && k != ${absent}u && before[${row}u * k + 1u] > 0.0) {
            activate(n / ${workgroup}u);
        }
    }
#endfor
}
