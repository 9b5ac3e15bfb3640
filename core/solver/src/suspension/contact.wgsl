// Adds to the force on each vertex that of the vertices of other cells and of walls in its range.
// The lists of tiles have no order: forces of pairs are summed as integers, and both sides find the same ones.
#include "prelude.wgsl"
#include "sites.wgsl"
#include "fraction.wgsl"
#include "tiles.wgsl"
#include "repulsion.wgsl"
#if contact.morse
#include "morse.wgsl"
#endif

alias Axes = vec${dimension}<real>;

#for axis in axes
// The site before site s.
fn before_${axis.name}(s: i32) -> i32 {
#if axis.periodic
    return select(s - 1, ${axis.extent - 1}, s == 0);
#else
    return s - 1;
#endif
}

// The whole number nearest to zero that `whole` stands for along ${axis.name}.
fn nearest_${axis.name}(whole: i32) -> i32 {
#if axis.periodic
    return whole - i32(round(f32(whole) * ${axis.inverse_extent})) * ${axis.extent};
#else
    return whole;
#endif
}

// To position p along ${axis.name} from the vertex at `at` in tile i, or its nearest image: rounded once, so exactly the
// negative of the way back.
fn apart_${axis.name}(p: vec2<i32>, at: u32, i: u32) -> real {
#if contact.tile.edge == 1
    let sites = 1 - i32(i);
    let q = bitcast<u32>(position[at].y);
#else
    let sites = nearest_${axis.name}(p.x - position[at].x);
    let q = bitcast<u32>(position[at].y);
#endif
    let part = bitcast<u32>(p.y) - q;
    let borrow = i32(bitcast<u32>(p.y) < q);
    return real(sites - borrow + i32(part >> 31u)) + real(bitcast<i32>(part)) * real(${fraction_32});
}

// Place in its block of the tile that holds site s.
fn local_${axis.name}(s: i32) -> u32 {
    return u32((s & 7) >> ${contact.tile.bits}u) << ${contact.tile.axis_bits[axis.index]}u;
}

// The end of the tile that begins at site `low`.
fn end_${axis.name}(low: i32) -> i32 {
#if axis.periodic
    return select(low + ${contact.tile.edge}, ${axis.extent}, low + ${2 * contact.tile.edge} > ${axis.extent});
#else
    return low + ${contact.tile.edge};
#endif
}
#endfor

fn work_on(v: u32) {
    let slot = slot_of[v];
    if (slot == NONE) {
        return;
    }
    var place = 0u;
    var local = 0u;
#for axis in axes
    let p${axis.name} = position[${axis.index}u * span.stride + v];
    let f${axis.name} = fraction(p${axis.name}.y);
    let s${axis.name} = wrapped_${axis.name}(p${axis.name}.x);
    place += place_${axis.name}(s${axis.name});
    local |= u32((s${axis.name} & 7) >> ${contact.wall_tile.bits}u) << ${contact.wall_tile.axis_bits[axis.index]}u;
#endfor
    var block = directory[place];
    if (block == 0u) {
        return;
    }
    let area = real(slot_area[slot]);
    var total = Axes();
#if contact.walls
    let list = wall_lists[(block << ${contact.wall_tile.block_bits}u) | local];
    if (list != 0u) {
        // Distance from the wall and its normal are averages over its points.
        var weight = real(0.0);
        var depth = real(0.0);
        var normal = Axes();
        let end = list + wall_lists[list];
        for (var k = list + 1u; k <= end; k += 1u) {
            let point = ${3 * dimension}u * wall_lists[k];
            let away = Axes(
#for axis in axes
                real(nearest_${axis.name}(p${axis.name}.x - wall_points[point + ${axis.index}u])) + (f${axis.name} - number(point + ${dimension + axis.index}u)),
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
    // Along each axis the tile before (0), the vertex's own (1) and the one after (2): places in the directory k and in the
    // block l, squares of the distances d.
#for axis in axes
    let t${axis.name} = tiled_${axis.name}(s${axis.name});
    let low${axis.name} = t${axis.name} & ~${contact.tile.edge - 1};
    let end${axis.name} = end_${axis.name}(low${axis.name});
    let t${axis.name}0 = tiled_${axis.name}(before_${axis.name}(low${axis.name}));
    let t${axis.name}2 = after_${axis.name}(end${axis.name} - 1);
    let past${axis.name} = real(s${axis.name} - low${axis.name}) + f${axis.name};
    let left${axis.name} = real(end${axis.name} - s${axis.name}) - f${axis.name};
    let k${axis.name} = vec3(place_${axis.name}(t${axis.name}0), place_${axis.name}(t${axis.name}), place_${axis.name}(t${axis.name}2));
    let l${axis.name} = vec3(local_${axis.name}(t${axis.name}0), local_${axis.name}(t${axis.name}), local_${axis.name}(t${axis.name}2));
    let d${axis.name} = vec3(past${axis.name} * past${axis.name}, real(0.0), left${axis.name} * left${axis.name});
#endfor
    // The tiles in reach that hold any vertices, one bit each.
    var tiles = 0u;
#for tile in contact.tiles
    {
        let here = ${tile.place};
        if (here != place) {
            place = here;
            block = directory[place];
        }
        let head = links[span.stride + ((block << ${contact.tile.block_bits}u) | ${tile.local})];
        tiles |= select(0u, 1u << ${tile.index}u, head != NONE && ${tile.distance} < real(${contact.reach_squared}));
    }
#endfor
    // Walking the lists and weighing up what is found take turns, each for as many vertices as eight words hold: so the
    // lanes of a subgroup do the same for longer. A word is a vertex and its tile.
    let own = cells[slot];
    var sum = vec${dimension}<i32>();
    var u = NONE;
    var tile = 0u;
    loop {
        var first = vec4(NONE);
        var second = vec4(NONE);
        while (second.w == NONE) {
            var link = u;
            if (u == NONE) {
                if (tiles == 0u) {
                    break;
                }
                tile = firstTrailingBit(tiles);
                tiles &= tiles - 1u;
#for axis in axes
                let i${axis.name} = tile${axis.tile_digit};
#endfor
                let here = ${contact.chosen_place};
                if (here != place) {
                    place = here;
                    block = directory[place];
                }
                link = span.stride + ((block << ${contact.tile.block_bits}u) | ${contact.chosen_local});
            }
            u = links[link];
            if (u != NONE && (u < own.x || u > own.y)) {
                second = vec4(first.w, second.xyz);
                first = vec4(u | (tile << ${contact.vertex_bits}u), first.xyz);
            }
        }
        if (first.x == NONE) {
            break;
        }
        while (first.x != NONE) {
            let at = first.x & ${contact.vertex_mask}u;
            let around = first.x >> ${contact.vertex_bits}u;
            first = vec4(first.yzw, second.x);
            second = vec4(second.yzw, NONE);
            let away = Axes(
#for axis in axes
                apart_${axis.name}(p${axis.name}, ${axis.index}u * span.stride + at, around${axis.tile_digit}),
#endfor
            );
            let squared = dot(away, away);
            if (squared < real(${contact.reach_squared}) && squared > real(0.0)) {
                let r = sqrt(squared);
                let mean = real(0.5) * (area + real(slot_area[slot_of[at]]));
                let push = clamp(mean * pressure(r), real(-${contact.largest}), real(${contact.largest}));
                sum += vec${dimension}<i32>(round(away * (push / r * real(${contact.scale}))));
            }
        }
    }
    total += Axes(sum) * real(${contact.quantum});
#endif
#for axis in axes
    force[${axis.index}u * span.stride + v] += total.${axis.name};
#endfor
}

// Between membranes at distance r.
fn pressure(r: real) -> real {
    return real(${contact.strength}) * repulsion(r)${" + morse(r)" if contact.morse else ""};
}

// A number among the wall's points.
fn number(at: u32) -> real {
    return real(bitcast<f32>(wall_points[at]));
}
