// Adds to the force on each vertex that of the vertices of other cells and of walls in its range.
// The lists of tiles have no order: forces of pairs are summed as integers, and both sides find the same ones.
#include "prelude.wgsl"
#include "sites.wgsl"
#include "fraction.wgsl"
#include "repulsion.wgsl"
#if contact.morse
#include "morse.wgsl"
#endif

alias Axes = vec${dimension}<real>;

// A tile's place along one axis: in the directory, in its block, and its distance from a vertex.
struct Slab {
    place: u32,
    local: u32,
    distance: real,
}

#for axis in axes
// The slab `offset` tiles from that of site s, `part` of a site above which a vertex is.
fn slab_${axis.name}(s: i32, part: real, offset: i32) -> Slab {
    var site = s;
    var distance = real(0.0);
    if (offset != 0) {
        let low = s & ~${contact.tile.edge - 1};
        let high = end_${axis.name}(low);
        site = select(after_${axis.name}(high - 1), before_${axis.name}(low), offset < 0);
        distance = select(real(high - s) - part, real(s - low) + part, offset < 0);
#if axis.half == 2
        if (offset < -1) {
            let last = site;
            site = before_${axis.name}(last & ~${contact.tile.edge - 1});
            distance += real((last & ${contact.tile.edge - 1}) + 1);
        }
        if (offset > 1) {
            let first = site;
            let end = end_${axis.name}(first);
            site = after_${axis.name}(end - 1);
            distance += real(end - first);
        }
#endif
    }
    let local = u32((site & 7) >> ${contact.tile.bits}u) << ${contact.tile.axis_bits[axis.index]}u;
    return Slab(place_${axis.name}(site), local, distance);
}

// The end of the slab that begins at site `low`.
fn end_${axis.name}(low: i32) -> i32 {
#if axis.half == 2
    return min(low + ${contact.tile.edge}, ${axis.extent});
#else
    return low + ${contact.tile.edge};
#endif
}

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

// From position q to position p along ${axis.name}, to the nearest image; its negative the other way.
fn apart_${axis.name}(p: vec2<i32>, q: vec2<i32>) -> real {
    return real(nearest_${axis.name}(p.x - q.x)) + (fraction(p.y) - fraction(q.y));
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
    var sum = vec${dimension}<i32>();
#for slab in contact.slabs
    for (var i${slab.name} = -${slab.half}; i${slab.name} <= ${slab.half}; i${slab.name} += 1) {
        let slab_${slab.name} = slab_${slab.name}(s${slab.name}, f${slab.name}, i${slab.name});
        let near_${slab.name} = ${slab.near_before}slab_${slab.name}.distance * slab_${slab.name}.distance;
        if (near_${slab.name} >= real(${contact.reach_squared})) {
            continue;
        }
#endfor
        let here = ${contact.place};
        if (here != place) {
            place = here;
            block = directory[place];
        }
        var u = heads[(block << ${contact.tile.block_bits}u) | ${contact.local}];
        while (u != NONE) {
            let other = slot_of[u];
            if (other != slot) {
                let away = Axes(
#for axis in axes
                    apart_${axis.name}(p${axis.name}, position[${axis.index}u * span.stride + u]),
#endfor
                );
                let squared = dot(away, away);
                if (squared < real(${contact.reach_squared}) && squared > real(0.0)) {
                    let r = sqrt(squared);
                    let mean = real(0.5) * (area + real(slot_area[other]));
                    let push = clamp(mean * pressure(r), real(-${contact.largest}), real(${contact.largest}));
                    sum += vec${dimension}<i32>(round(away * (push / r * real(${contact.scale}))));
                }
            }
            u = next[u];
        }
#for slab in contact.slabs
    }
#endfor
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
