// A time step of each cell of the listed blocks: lava and heat that come out of vents and flow, heat that is radiated, lava that
// becomes solid.
struct Span {
    own: u32,
    generation: u32,
    // Time step, s, and that over the edge of a cell.
    dt: f32,
    dt_per_dx: f32,
    // Time at the end of the step, s.
    time: f32,
    // Where the step's numbers begin in `emissions`; ${absent} where nothing comes out.
    first: u32,
}
var<immediate> span: Span;

var<storage, read> before: array<f32>;
var<storage, read_write> after: array<f32>;
var<storage, read> beside_axial: array<u32>;
var<storage, read> beside_diagonal: array<u32>;
var<storage, read> ground: array<f32>;
// Of each cell: thickness of fluid lava and its heat; thickness of solid lava, and heat that was radiated or left in it.
var<storage, read_write> fluid: array<vec4<u32>>;
var<storage, read_write> solid: array<vec4<u32>>;
// Time at which lava came first, s; negative before.
var<storage, read_write> arrival: array<f32>;
// Of each block: 0 without vents, else its row in `vent_of`, counted from 1.
var<storage, read> vent_rows: array<u32>;
// The vent of each cell of a row; ${absent} where there is none.
var<storage, read> vent_of: array<u32>;
// Of each step and vent: thickness and heat.
var<storage, read> emissions: array<vec4<u32>>;
var<storage, read_write> blocks: array<atomic<u32>>;
var<storage, read_write> size: array<atomic<u32>>;
var<storage, read_write> stamp: array<atomic<u32>>;
// The largest rate, as bits; transfers that were limited.
var<storage, read_write> notes: array<atomic<u32>>;
#include "fixed.wgsl"
#include "lava.wgsl"
#include "flow.wgsl"
#include "rheology.wgsl"
#include "cooling.wgsl"
#include "vents.wgsl"
#include "activate.wgsl"
#include "listed.wgsl"

// What cell n has: thickness and heat.
var<private> h: vec2<u32>;
var<private> W: vec2<u32>;

// Lava that flows between cell n and another one in the step. Both find the same amounts.
fn exchange(giver: Lava, gives: bool, weight: f32, per_distance: f32, found: Flow) {
    let asked = weight * found.q * span.dt_per_dx;
    let most = giver.h * ${most};
    if (asked > most && gives) {
        atomicAdd(&notes[1], 1u);
    }
    let amount = fixed(min(asked, most));
    let heat = fixed(giver.T * number(amount));
    if (gives) {
        h = minus(h, amount);
        W = minus(W, heat);
    } else {
        h = plus(h, amount);
        W = plus(W, heat);
    }
}

fn work_on(n: u32) {
    let here = lava_at(n);
    let had = fluid[n];
    let came = emission(n);
    h = plus(had.xy, came.xy);
    W = plus(had.zw, came.zw);
#include "pairs.wgsl"
    let is_lava = any(h != vec2<u32>());
    var rest = solid[n];
    if (!is_lava && !any(had != vec4<u32>())) {
        // Nothing is here, and nothing came.
        write_row(n, Lava(ground[n] + number(rest.xy), 0.0, 0.0, 0.0, 0.0));
        return;
    }
    if (is_lava && here.h == 0.0 && arrival[n] < 0.0) {
        arrival[n] = span.time;
    }
    // Radiation.
    let T = number(W) / number(h);
    let lost = fixed(number(W) * radiated_share(T, number(h), span.dt));
    W = minus(W, lost);
    var given = plus(rest.zw, lost);
    var cooled = number(W) / number(h);
    if (!is_lava || cooled < ${solidus}) {
        // What solidifies is ground from now on, with the heat that is left in it.
        let frozen = frozen(h, cooled, is_lava);
        let left = heat_left(frozen, h, W);
        rest = vec4<u32>(plus(rest.xy, frozen), plus(given, left));
        h = minus(h, frozen);
        W = minus(W, left);
        cooled = number(W) / number(h);
    } else {
        rest = vec4<u32>(rest.xy, given);
    }
    fluid[n] = vec4<u32>(h, W);
    solid[n] = rest;
    let thickness = number(h);
    let Z = ground[n] + number(rest.xy);
    if (thickness > 0.0) {
        write_row(n, Lava(Z, thickness, cooled, fluidity(cooled), yield_strength(cooled)));
        if (here.h == 0.0) {
            activate_around(n);
        }
    } else {
        write_row(n, Lava(Z, 0.0, 0.0, 0.0, 0.0));
    }
}

fn write_row(n: u32, lava: Lava) {
    let k = ${row}u * n;
    after[k] = lava.Z;
    after[k + 1u] = lava.h;
    after[k + 2u] = lava.T;
    after[k + 3u] = lava.F;
    after[k + 4u] = lava.S;
}
