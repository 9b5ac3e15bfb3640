// Adds to the force on each listed vertex that of walls and of the vertices that it may touch in its range.
// The lists of tiles have no order: forces of pairs are summed as integers, and both sides find the same ones.
#if few
// This is the kernel of vertices with few neighbours and no wall near.
#endif
#include "prelude.wgsl"
#include "sites.wgsl"
#include "fraction.wgsl"
#include "tiles.wgsl"
#include "apart.wgsl"
#if contact.pairs
#include "may_touch.wgsl"
#endif
#if walls
#include "wall_at.wgsl"
#endif
#include "repulsion.wgsl"
#if contact.morse
#include "morse.wgsl"
#endif

var<storage, read> position: array<vec2<i32>>;
var<storage, read> slot_of: array<u32>;
var<storage, read> listing: array<u32>;
var<storage, read> listed: array<u32>;
var<storage, read> neighbours: array<u32>;
var<storage, read> directory: array<u32>;
var<storage, read> links: array<u32>;
var<storage, read> cells: array<vec2<u32>>;
var<storage, read> slot_contact: array<vec2<f32>>;
var<storage, read> wall_distance: array<f32>;
var<storage, read_write> force: array<real>;

fn work_on(n: u32) {
#if few
    if (n >= listing[3]) {
        return;
    }
    let at = span.stride - 1u - n;
#else
    if (n >= listing[2]) {
        return;
    }
    let at = n;
#endif
    let v = listed[at];
    let near = listed[span.stride + at];
    let slot = slot_of[v];
#for axis in axes
    let p${axis.name} = position[${axis.index}u * span.stride + v];
#if contact.pairs and not few
    // Where it was when the lists were made.
    let s${axis.name} = bitcast<i32>(listed[${axis.index + 2}u * span.stride + at]);
#endif
#endfor
    let area = real(slot_contact[slot].x);
    var total = Axes();
#if walls
    if ((near & ${contact.wall_bit}u) != 0u) {
        let wall = wall_at(${positions});
        let steepness = max(sqrt(dot(wall.gradient, wall.gradient)), real(${wall.flat}));
        let push = real(${contact.wall_strength}) * area * repulsion_of_wall(max(wall.distance, real(0.0)));
        total += wall.gradient * (min(push, real(${contact.largest})) / steepness);
    }
#endif
#if contact.pairs
    let own = cells[slot];
    var sum = vec${dimension}<i32>();
    let count = near >> ${contact.count_shift}u;
#if few
    for (var k = 0u; k < count; k += 1u) {
        sum += force_of(neighbours[k * span.stride + v], ${positions}, area, own);
    }
#else
    // Sum of the magnitudes of all pairs' forces: it tells where the sum of integers may wrap.
    var load = 0u;
    if (count != ${contact.walk}u) {
        for (var k = 0u; k < count; k += 1u) {
            sum += force_of(neighbours[k * span.stride + v], ${positions}, area, own);
        }
    } else {
        // Walking the lists and weighing up what is found take turns, each for as many vertices as eight words hold: so
        // the lanes of a subgroup do the same for longer.
#include "around.wgsl"
        let beside = u32(slot_contact[slot].y);
        var tiles = near & ${contact.tile_mask}u;
        var u = NONE;
        loop {
            var first = vec4(NONE);
            var second = vec4(NONE);
            while (second.w == NONE) {
                var link = u;
                if (u == NONE) {
                    if (tiles == 0u) {
                        break;
                    }
                    let tile = firstTrailingBit(tiles);
                    tiles &= tiles - 1u;
#include "first_link.wgsl"
                }
                u = links[link];
                if (u != NONE && may_touch(v, u, own, beside)) {
                    second = vec4(first.w, second.xyz);
                    first = vec4(u, first.xyz);
                }
            }
            if (first.x == NONE) {
                break;
            }
            while (first.x != NONE) {
                let pair = force_of(first.x, ${positions}, area, own);
                sum += pair;
                load = min(load + most_of(pair), MOST_LOAD);
                first = vec4(first.yzw, second.x);
                second = vec4(second.yzw, NONE);
            }
        }
    }
#endif
    total += Axes(sum) * real(${contact.quantum});
#if not few
    if (load == MOST_LOAD) {
        // No sane force: its cell is broken.
        total = Axes(real(1e9));
    }
#endif
#endif
#for axis in axes
    force[${axis.index}u * span.stride + v] += total.${axis.name};
#endfor
}

#if contact.pairs and not few
// One lattice unit: a quarter of what a sum holds.
const MOST_LOAD: u32 = ${contact.most_load}u;

fn most_of(pair: vec${dimension}<i32>) -> u32 {
    let size = abs(pair);
    return u32(max(${"max(size.x, size.y)" if dimension == 2 else "max(max(size.x, size.y), size.z)"}, 0));
}
#endif

#if contact.pairs
// The force of vertex u on one of area `area` at position p, whose cell's first and last vertex are `own`, in fixed point.
fn force_of(u: u32, ${declared_positions}, area: real, own: vec2<u32>) -> vec${dimension}<i32> {
    let away = Axes(
#for axis in axes
        apart_${axis.name}(p${axis.name}, ${axis.index}u * span.stride + u),
#endfor
    );
    let squared = dot(away, away);
    if (squared >= real(${contact.reach_squared}) || squared == real(0.0)) {
        return vec${dimension}<i32>();
    }
    let r = sqrt(squared);
#if contact.alike
    let mean = area;
#else
    let mean = real(0.5) * (area + real(slot_contact[slot_of[u]].x));
#endif
    let push = clamp(mean * pressure(r, u < own.x || u > own.y), real(-${contact.largest}), real(${contact.largest}));
    return vec${dimension}<i32>(round(away * (push / r * real(${contact.scale}))));
}

// Between membranes at distance r: a membrane does not attract itself.
fn pressure(r: real, others: bool) -> real {
    return real(${contact.strength}) * repulsion(r)${" + select(real(0.0), morse(r), others)" if contact.morse else ""};
}
#endif
