// Sums the actions of neighbours on each particle, by a law. Sums are of integers: they do not depend on the order of
// neighbours, and the actions of two particles on each other cancel exactly.
#include "span.wgsl"
#include "main.wgsl"
#include "apart.wgsl"

var<storage, read> position: array<vec2<i32>>;
var<storage, read> gone: array<u32>;
#if between
var<storage, read> own_position: array<vec2<i32>>;
var<storage, read> own_gone: array<u32>;
#else
var<storage, read> id: array<u32>;
#endif
var<storage, read> neighbours: array<u32>;
var<storage, read> neighbour_count: array<u32>;
var<storage, read_write> actions: array<i32>;

// Neighbours in range are collected before they are processed: lists hold more than these, and so adjacent invocations
// stay in step.
const CLOSE: u32 = ${close}u;

// The interaction of two particles: force F on the second and -F on the first.
struct Action {
    F: Axes,
#if others > 0
    // Other contributions to the first and to the second.
    first: array<real, ${others}>,
    second: array<real, ${others}>,
#endif
}

#if between
// Index of component a of particle i in arrays of the first and of the second set.
fn at_first(a: u32, i: u32) -> u32 {
    return a * ${first_stride} + i;
}

fn at_second(a: u32, i: u32) -> u32 {
    return a * ${second_stride} + i;
}
#endif

#include law

fn work_on(i: u32) {
    // Particles that left the domain no longer interact, here or as neighbours.
    if (${own_gone}[i] != 0u) {
        for (var a = 0u; a < ${dimension + others}u; a++) {
            actions[a * span.stride + i] = 0;
        }
        return;
    }
#for axis in axes
    let p${axis.name} = ${own_position}[${axis.index}u * span.stride + i];
#endfor
    let own = ${own_member}(i);
    // Whole sums, and coarse sums without the last bits, which show where whole sums overflow.
    var F = vec${dimension}<i32>();
    var coarse_F = vec${dimension}<i32>();
#for k in range(others)
    var sum_${k} = 0;
    var coarse_${k} = 0;
#endfor
    // A list that is too short lacks neighbours: then all particles are examined.
    let listed = neighbour_count[i];
    let crowded = listed > span.room;
    let end = select(listed, span.held, crowded);
    var n = 0u;
    while (n < end) {
        var close: array<u32, CLOSE>;
        var found = 0u;
        while ((n < end) & (found < CLOSE)) {
            let j = select(neighbours[select(n * span.stride + i, i, crowded)], n, crowded);
            n++;
            let away = Axes(
#for axis in axes
                apart_${axis.name}(p${axis.name}, ${axis.index}u * span.other_stride + j),
#endfor
            );
            if (${another}dot(away, away) < real(${range_squared})) {
                close[found] = j;
                found++;
            }
        }
        for (var k = 0u; k < found; k++) {
            let j = close[k];
            let away = Axes(
#for axis in axes
                apart_${axis.name}(p${axis.name}, ${axis.index}u * span.other_stride + j),
#endfor
            );
            let other = ${other_member}(j);
#if between
            let action = pair(${"own, other, -away" if first_side else "other, own, away"});
            let is_first = ${"true" if first_side else "false"};
#else
            // The particle with the lower number is the first on either side, so that both get the same bits.
            let is_first = id[i] < id[j];
            var one = other;
            var two = own;
            if (is_first) {
                one = own;
                two = other;
            }
            let action = pair(one, two, select(away, -away, is_first));
#endif
            let push = vec${dimension}<i32>(round(clamp(action.F, Axes(real(-${force.largest})), Axes(real(${force.largest}))) * real(${force.scale})));
            let there = select(0, 1, gone[j] == 0u);
            let pushed = there * select(push, -push, is_first);
            F += pushed;
            coarse_F += pushed >> vec${dimension}<u32>(${coarse_bits}u);
#for k in range(others)
            {
                let x = select(action.second[${k}], action.first[${k}], is_first);
                let added = i32(round(clamp(x, real(-${other.largest}), real(${other.largest})) * real(${other.scale})));
                sum_${k} += there * added;
                coarse_${k} += (there * added) >> ${coarse_bits}u;
            }
#endfor
        }
    }
#for axis in axes
    actions[${axis.index}u * span.stride + i] = checked(F.${axis.name}, coarse_F.${axis.name});
#endfor
#for k in range(others)
    actions[${dimension + k}u * span.stride + i] = checked(sum_${k}, coarse_${k});
#endfor
}

// The sum, or the mark of an overflow.
fn checked(sum: i32, coarse: i32) -> i32 {
    return select(sum, ${overflow}, abs(coarse) > ${coarse_limit});
}
