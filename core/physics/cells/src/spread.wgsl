// The force on each vertex to the own nodes around, with the weights of interpolation. The weights are summed node by
// node; each node gets the difference of two successive rounded products of sum and force. So all nodes together, those of
// other ranks included, get exactly the vertex's force in fixed point.
#if pushed
// The force is that of membrane and contact, and what others push with.
#endif
#include "prelude.wgsl"
#include "sites.wgsl"
#include "fraction.wgsl"
#include "add_force.wgsl"

var<storage, read> position: array<vec2<i32>>;
var<storage, read> slot_of: array<u32>;
var<storage, read> carrier: array<u32>;
var<storage, read_write> broken: array<atomic<u32>>;
var<storage, read> force: array<real>;
#if pushed
var<storage, read> pushes: array<i32>;
#endif
var<storage, read_write> node_load: array<atomic<i32>>;
var<storage, read> directory: array<u32>;
var<storage, read> sites: array<u32>;

alias Part = vec${dimension}<i32>;

// Bits of the largest sane force as f32: those of larger numbers, infinity and NaN are larger.
const LIMIT: u32 = ${force_limit}u;
// Bits of the smallest strong force: strong ones are also added to the load of a node.
const STRONG: u32 = ${strong}u;

fn work_on(v: u32) {
    let slot = slot_of[v];
    // What a column carries is moved by it alone.
    if (slot == NONE || carrier[slot] != NONE) {
        return;
    }
    var worst = 0u;
#for axis in axes
#if pushed
    let push${axis.name} = real(pushes[${axis.index}u * span.stride + v]) * real(${push_quantum});
    let F${axis.name} = force[${axis.index}u * span.stride + v] + push${axis.name};
#else
    let F${axis.name} = force[${axis.index}u * span.stride + v];
#endif
    worst = max(worst, bitcast<u32>(f32(F${axis.name})) & 0x7fffffffu);
#endfor
    if (worst >= LIMIT) {
        atomicMin(&broken[slot], span.step << ${damage.bits}u | ${damage.contact}u);
        return;
    }
#include "weights.wgsl"
    let strong = worst >= STRONG;
    let scale = real(${force_scale}) / around;
#for axis in axes
    let total${axis.name} = i32(round(F${axis.name} * real(${force_scale})));
    var before${axis.name} = 0;
#endfor
#for site in stencil
    if (n${site.index} != SOLID) {
        let share = sum${site.index} * scale;
        let last = sum${site.index} == around;
        var part = Part();
#for axis in axes
        let upto${axis.name} = select(i32(round(F${axis.name} * share)), total${axis.name}, last);
        part.${axis.name} = upto${axis.name} - before${axis.name};
        before${axis.name} = upto${axis.name};
#endfor
        if (n${site.index} < FLUID) {
            add(n${site.index}, part, strong);
            if (strong) {
                load(n${site.index}, part, slot);
            }
        }
    }
#endfor
}

// Checks that strong parts are not too much for a node. The load of a node repeats the sum of its strong parts,
// rounded to 1/256 lattice units, with all components in one word, 11 bits apart. Each part checks the load that
// includes it, so no sum wraps unseen. Additions that return the sums of forces would do without the load, but they
// slow weak parts too.
fn load(node: u32, part: Part, slot: u32) {
    let rounded = (part + Part(${half_load_unit})) >> vec${dimension}<u32>(${load_shift}u);
    let added = rounded.x + (rounded.y << 11u)#{% if dimension == 3 %} + (rounded.z << 22u)#{% endif %};
    var rest = atomicAdd(&node_load[node], added) + added;
    var largest = 0;
#for axis in axes
    let sum${axis.name} = rest << 21u >> 21u;
    largest = max(largest, abs(sum${axis.name}));
    rest = (rest - sum${axis.name}) >> 11u;
#endfor
    if (largest > ${largest_load}) {
        atomicMin(&broken[slot], span.step << ${damage.bits}u | ${damage.crowd}u);
    }
}

#if joins
#include "join.wgsl"
#else
fn add(node: u32, part: Part, strong: bool) {
    add_force(node, part);
}
#endif

// A vertex in the wall spreads nothing.
fn refuse(v: u32) {}
