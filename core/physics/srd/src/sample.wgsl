// The sums of particles at the sites, for averages.
#include "prelude.wgsl"
#include "main.wgsl"
#include "lookup.wgsl"
#include "particles.wgsl"
#include "fixed.wgsl"

var<storage, read> home: array<u32>;
var<storage, read_write> sampled: array<atomic<i32>>;

fn work_on(i: u32) {
    if (home[i] == span.cells) {
        return;
    }
    let to = cell_at(position_of(i) >> BITS) * ${2 + dimension}u;
    let v = velocity_of(i);
    atomicAdd(&sampled[to], 1);
#for axis in axes
    atomicAdd(&sampled[to + ${1 + axis.index}u], momentum_of(v.${axis.name}));
#endfor
    atomicAdd(&sampled[to + ENERGY], energy_of(v));
}
