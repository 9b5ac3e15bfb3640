// Totals of the cells that this rank counts, of every ${strides}th cell by one invocation: mass, momentum, energy, energy about the
// mean velocity of each cell, and number of particles and points but for one in each cell.
#include "prelude.wgsl"
#include "main.wgsl"
#include "wide.wgsl"

var<storage, read> kind: array<u32>;
var<storage, read> sums: array<i32>;
var<storage, read_write> totals: array<vec2<u32>>;

fn work_on(k: u32) {
    var found: array<vec2<u32>, ${4 + dimension}>;
    for (var cell = k; cell < span.cells; cell += ${strides}u) {
        let at = cell * WIDTH;
        let number = sums[at];
        if ((kind[cell] & 256u) == 0u || number == 0) {
            continue;
        }
        var squared = 0.0;
        for (var a = 0u; a < ${2 + dimension}u; a++) {
            found[a] = wide_sum(found[a], sums[at + a]);
        }
#for axis in axes
        squared += pow2(f32(sums[at + ${1 + axis.index}u]) / MOMENTUM_SCALE);
#endfor
        let mean = i32(round(squared / f32(number) * ENERGY_SCALE));
        found[${2 + dimension}] = wide_sum(found[${2 + dimension}], max(0, sums[at + ENERGY] - mean));
        found[${3 + dimension}] = wide_sum(found[${3 + dimension}], number ${"- sums[at + EXCESS] " if points else ""}- 1);
    }
    for (var a = 0u; a < ${4 + dimension}u; a++) {
        totals[k * ${4 + dimension}u + a] = found[a];
    }
}

fn pow2(x: f32) -> f32 {
    return x * x;
}
