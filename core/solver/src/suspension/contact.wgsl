// Adds to the force on each listed vertex that of the vertices of other cells and of walls in its range.
// The lists of tiles have no order: forces of pairs are summed as integers, and both sides find the same ones.
#include "prelude.wgsl"
#include "sites.wgsl"
#include "fraction.wgsl"
#include "tiles.wgsl"
#include "apart.wgsl"
#include "repulsion.wgsl"
#if contact.morse
#include "morse.wgsl"
#endif

fn work_on(n: u32) {
    if (n >= listing[2]) {
        return;
    }
    let v = listed[n];
    let near = listed[span.stride + n];
    let slot = slot_of[v];
#for axis in axes
    let p${axis.name} = position[${axis.index}u * span.stride + v];
    // Where it was when the lists were made.
    let s${axis.name} = bitcast<i32>(listed[${axis.index + 2}u * span.stride + n]);
#endfor
    let area = real(slot_area[slot]);
    var total = Axes();
#if contact.walls
    if ((near & ${contact.wall_bit}u) != 0u) {
        var place = 0u;
        var local = 0u;
#for axis in axes
        place += place_${axis.name}(s${axis.name});
        local |= u32((s${axis.name} & 7) >> ${contact.wall_tile.bits}u) << ${contact.wall_tile.axis_bits[axis.index]}u;
#endfor
        let list = wall_lists[(directory[place] << ${contact.wall_tile.block_bits}u) | local];
        // Distance from the wall and its normal are averages over its points.
        var weight = real(0.0);
        var depth = real(0.0);
        var normal = Axes();
        let end = list + wall_lists[list];
        for (var k = list + 1u; k <= end; k += 1u) {
            let point = ${3 * dimension}u * wall_lists[k];
            let away = Axes(
#for axis in axes
                real(nearest_${axis.name}(p${axis.name}.x - wall_points[point + ${axis.index}u])) + (fraction(p${axis.name}.y) - number(point + ${dimension + axis.index}u)),
#endfor
            );
            let near = real(1.0) - dot(away, away) * real(1.0 / ${contact.wall_reach_squared});
            if (near > real(0.0)) {
                let n = Axes(
#for axis in axes
                    number(point + ${2 * dimension + axis.index}u),
#endfor
                );
                weight += near * near;
                depth += near * near * dot(away, n);
                normal += near * near * n;
            }
        }
        let length = sqrt(dot(normal, normal));
        if (length > real(1e-6)) {
            total += normal * (real(${contact.wall_strength}) * area * repulsion(depth / weight) / length);
        }
    }
#endif
#if contact.pairs
    var sum = vec${dimension}<i32>();
    let count = near >> ${contact.count_shift}u;
    if (count != ${contact.walk}u) {
        for (var k = 0u; k < count; k += 1u) {
            sum += force_of(neighbours[k * span.stride + v], ${positions}, area);
        }
    } else {
        // Walking the lists and weighing up what is found take turns, each for as many vertices as eight words hold: so
        // the lanes of a subgroup do the same for longer.
#include "around.wgsl"
        let own = cells[slot];
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
                if (u != NONE && (u < own.x || u > own.y)) {
                    second = vec4(first.w, second.xyz);
                    first = vec4(u, first.xyz);
                }
            }
            if (first.x == NONE) {
                break;
            }
            while (first.x != NONE) {
                sum += force_of(first.x, ${positions}, area);
                first = vec4(first.yzw, second.x);
                second = vec4(second.yzw, NONE);
            }
        }
    }
    total += Axes(sum) * real(${contact.quantum});
#endif
#for axis in axes
    force[${axis.index}u * span.stride + v] += total.${axis.name};
#endfor
}

#if contact.pairs
// The force of vertex u on one of area `area` at position p, in fixed point.
fn force_of(u: u32, ${declared_positions}, area: real) -> vec${dimension}<i32> {
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
    let mean = real(0.5) * (area + real(slot_area[slot_of[u]]));
    let push = clamp(mean * pressure(r), real(-${contact.largest}), real(${contact.largest}));
    return vec${dimension}<i32>(round(away * (push / r * real(${contact.scale}))));
}

// Between membranes at distance r.
fn pressure(r: real) -> real {
    return real(${contact.strength}) * repulsion(r)${" + morse(r)" if contact.morse else ""};
}
#endif

// A number among the wall's points.
fn number(at: u32) -> real {
    return real(bitcast<f32>(wall_points[at]));
}
