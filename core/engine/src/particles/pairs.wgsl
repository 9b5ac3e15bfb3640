// What neighbours do to each particle, by a law: sums of integers, so that none depends on the order of neighbours,
// and what two particles do to each other cancels exactly.
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

// Neighbours in range that are collected before any is worked on: lists hold more, and particles side by side then
// keep step.
const CLOSE: u32 = ${close}u;

// What two particles do to each other: F to the second and -F to the first.
struct Action {
    F: Axes,
#if others > 0
    // What else adds up at the first, and at the second.
    first: array<real, ${others}>,
    second: array<real, ${others}>,
#endif
}

#if between
// Component a of number i in arrays of the first set, and in those of the second.
fn at_first(a: u32, i: u32) -> u32 {
    return a * ${first_stride} + i;
}

fn at_second(a: u32, i: u32) -> u32 {
    return a * ${second_stride} + i;
}
#endif

#include law

fn work_on(i: u32) {
    // What left is there no more, neither here nor among neighbours.
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
    // Whole sums, and sums of the same without their last bits, which tell where whole ones do not fit.
    var F = vec${dimension}<i32>();
    var coarse_F = vec${dimension}<i32>();
#for k in range(others)
    var sum_${k} = 0;
    var coarse_${k} = 0;
#endfor
    // A list that is too short misses some: then all particles are looked at.
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
            // The lower number is the first, whoever asks: then both get the same bits.
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

// The sum, or what says that it does not fit.
fn checked(sum: i32, coarse: i32) -> i32 {
    return select(sum, ${overflow}, abs(coarse) > ${coarse_limit});
}
