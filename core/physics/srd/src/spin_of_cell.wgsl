// The rotation about the middle of mass that a collision gives to a cell, so that its angular momentum stays what it was:
// Noguchi, Kikuchi and Gompper, EPL 78, 10005 (2007), eq. 4, and Noguchi and Gompper, Phys. Rev. E 78, 016706 (2008), eq. 7.
const LENGTH_SCALE: f32 = ${length_scale};
const SPIN: u32 = ${first_of_spin}u;

// `middle`: middle of mass from the middle of the cell. `omega`: angular velocity that is added. `factor`: what velocities about the
// mean are multiplied by, after their rotation; below 0, the cell is left alone, since hardly anything of its energy is free
// to turn.
struct Spin {
    middle: vec3<f32>,
    omega: vec3<f32>,
    factor: f32,
}

fn spin_word(cell: u32, k: u32) -> f32 {
    return f32(sums[cell * WIDTH + SPIN + k]);
}

#if dimension == 2
#if andersen
// `u`: mean velocity less the mean of those drawn.
fn spin_of(cell: u32, n: f32, u: vec3<f32>) -> Spin {
    let middle = vec3<f32>(spin_word(cell, 0u), spin_word(cell, 1u), 0.0) / (LENGTH_SCALE * n);
    let inertia = spin_word(cell, 2u) / LENGTH_SCALE - n * dot(middle, middle);
    let L = spin_word(cell, 3u) / MOMENTUM_SCALE - n * (middle.x * u.y - middle.y * u.x);
    return Spin(middle, vec3<f32>(0.0, 0.0, L / max(inertia, 1e-4)), 1.0);
}
#else
// `u`: mean velocity; `energy`: twice the energy about it; `sine`: that of the rotation; `drawn`: twice the energy drawn anew for what
// turns, or below 0.
fn spin_of(cell: u32, n: f32, u: vec3<f32>, energy: f32, sine: f32, drawn: f32) -> Spin {
    let middle = vec3<f32>(spin_word(cell, 0u), spin_word(cell, 1u), 0.0) / (LENGTH_SCALE * n);
    let inertia = max(spin_word(cell, 2u) / LENGTH_SCALE - n * dot(middle, middle), 1e-4);
    let L = spin_word(cell, 3u) / MOMENTUM_SCALE - n * (middle.x * u.y - middle.y * u.x);
    let radial = spin_word(cell, 4u) / MOMENTUM_SCALE - n * dot(middle, u);
    let turned = ${cos} * L + sine * radial;
    let before = select(energy - L * L / inertia, drawn, drawn >= 0.0);
    let after = energy - turned * turned / inertia;
    if (before < 0.01 * energy || after < 0.01 * energy) {
        return Spin(middle, vec3<f32>(0.0), -1.0);
    }
    let factor = sqrt(before / after);
    return Spin(middle, vec3<f32>(0.0, 0.0, (L - factor * turned) / inertia), factor);
}
#endif
#else
// The tensor of inertia about the middle of mass.
fn inertia_of(cell: u32, n: f32, middle: vec3<f32>) -> mat3x3<f32> {
    let square = vec3<f32>(spin_word(cell, 3u), spin_word(cell, 4u), spin_word(cell, 5u)) / LENGTH_SCALE - n * middle * middle;
    // xy, yz, xz.
    let mixed = vec3<f32>(spin_word(cell, 6u), spin_word(cell, 7u), spin_word(cell, 8u)) / LENGTH_SCALE
        - n * vec3<f32>(middle.x * middle.y, middle.y * middle.z, middle.x * middle.z);
    return mat3x3<f32>(
        vec3<f32>(square.y + square.z, -mixed.x, -mixed.z),
        vec3<f32>(-mixed.x, square.x + square.z, -mixed.y),
        vec3<f32>(-mixed.z, -mixed.y, square.x + square.y),
    );
}

// The angular velocity omega with I omega = L.
fn spinning(I: mat3x3<f32>, L: vec3<f32>, n: f32) -> vec3<f32> {
    // Particles in a line have no inertia about it: a little keeps the inverse finite. Two or three often are, nearly.
    let little = select(2e-6, 1e-4, n < 3.5);
    let xx = I[0].x + little;
    let yy = I[1].y + little;
    let zz = I[2].z + little;
    let xy = I[0].y;
    let yz = I[1].z;
    let xz = I[0].z;
    let c = vec3<f32>(yy * zz - yz * yz, xz * yz - xy * zz, xy * yz - xz * yy);
    let cyy = xx * zz - xz * xz;
    let cyz = xy * xz - xx * yz;
    let czz = xx * yy - xy * xy;
    let scale = 1.0 / dot(vec3<f32>(xx, xy, xz), c);
    let inverse = mat3x3<f32>(c, vec3<f32>(c.y, cyy, cyz), vec3<f32>(c.z, cyz, czz)) * scale;
    // What the little leaves over is taken in a second time.
    let first = inverse * L;
    return first + inverse * (L - I * first);
}

#if andersen
fn spin_of(cell: u32, n: f32, u: vec3<f32>) -> Spin {
    let middle = vec3<f32>(spin_word(cell, 0u), spin_word(cell, 1u), spin_word(cell, 2u)) / (LENGTH_SCALE * n);
    let all = vec3<f32>(spin_word(cell, 9u), spin_word(cell, 10u), spin_word(cell, 11u)) / MOMENTUM_SCALE;
    let L = all - n * cross(middle, u);
    return Spin(middle, spinning(inertia_of(cell, n, middle), L, n), 1.0);
}
#else
#include "turned.wgsl"

// `u`: mean velocity; `energy`: twice the energy about it; `turn`: the rotation; `drawn`: twice the energy drawn anew for what
// turns, or below 0.
fn spin_of(cell: u32, n: f32, u: vec3<f32>, energy: f32, turn: vec4<f32>, drawn: f32) -> Spin {
    let middle = vec3<f32>(spin_word(cell, 0u), spin_word(cell, 1u), spin_word(cell, 2u)) / (LENGTH_SCALE * n);
    // Row a is the sum of r_a w, of which each is turned as velocities are.
    var L = vec3<f32>(0.0);
    var after_turn = vec3<f32>(0.0);
    for (var a = 0u; a < 3u; a++) {
        var row = vec3<f32>(spin_word(cell, 9u + 3u * a), spin_word(cell, 10u + 3u * a), spin_word(cell, 11u + 3u * a));
        row = row / MOMENTUM_SCALE - n * middle[a] * u;
        var unit = vec3<f32>(0.0);
        unit[a] = 1.0;
        L += cross(unit, row);
        after_turn += cross(unit, turned(row, turn));
    }
    let I = inertia_of(cell, n, middle);
    let kept = spinning(I, L, n);
    let lost = spinning(I, after_turn, n);
    let before = select(energy - dot(L, kept), drawn, drawn >= 0.0);
    let after = energy - dot(after_turn, lost);
    if (before < 0.01 * energy || after < 0.01 * energy) {
        return Spin(middle, vec3<f32>(0.0), -1.0);
    }
    let factor = sqrt(before / after);
    return Spin(middle, kept - factor * lost, factor);
}
#endif
#endif
