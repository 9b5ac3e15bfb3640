// The rotation about the middle of mass that a collision gives to a cell, so that its angular momentum stays what it was:
// Noguchi, Kikuchi and Gompper, EPL 78, 10005 (2007), eq. 4, and Noguchi and Gompper, Phys. Rev. E 78, 016706 (2008), eq. 7.
const LENGTH_SCALE: f32 = ${length_scale};
const SPIN: u32 = ${first_of_spin}u;

// `middle`: middle of mass from the middle of the cell. `omega`: angular velocity that is added. `factor`: what velocities about the
// mean are multiplied by, after their rotation.
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
    let factor = sqrt(max(before, 0.0) / max(after, 1e-3 * energy));
    return Spin(middle, vec3<f32>(0.0, 0.0, (L - factor * turned) / inertia), factor);
}
#endif
#else
// The inverse of the tensor of inertia about the middle of mass.
fn inverse_inertia(cell: u32, n: f32, middle: vec3<f32>) -> mat3x3<f32> {
    let square = vec3<f32>(spin_word(cell, 3u), spin_word(cell, 4u), spin_word(cell, 5u)) / LENGTH_SCALE - n * middle * middle;
    // xy, yz, xz.
    let mixed = vec3<f32>(spin_word(cell, 6u), spin_word(cell, 7u), spin_word(cell, 8u)) / LENGTH_SCALE
        - n * vec3<f32>(middle.x * middle.y, middle.y * middle.z, middle.x * middle.z);
    // Particles in a line have no inertia about it: a little keeps the inverse finite. Two or three often are, nearly.
    let little = select(2e-6, 1e-4, n < 3.5);
    let xx = square.y + square.z + little;
    let yy = square.x + square.z + little;
    let zz = square.x + square.y + little;
    let xy = -mixed.x;
    let yz = -mixed.y;
    let xz = -mixed.z;
    let cxx = yy * zz - yz * yz;
    let cxy = xz * yz - xy * zz;
    let cxz = xy * yz - xz * yy;
    let cyy = xx * zz - xz * xz;
    let cyz = xy * xz - xx * yz;
    let czz = xx * yy - xy * xy;
    let determinant = xx * cxx + xy * cxy + xz * cxz;
    return mat3x3<f32>(vec3<f32>(cxx, cxy, cxz), vec3<f32>(cxy, cyy, cyz), vec3<f32>(cxz, cyz, czz)) * (1.0 / determinant);
}

#if andersen
fn spin_of(cell: u32, n: f32, u: vec3<f32>) -> Spin {
    let middle = vec3<f32>(spin_word(cell, 0u), spin_word(cell, 1u), spin_word(cell, 2u)) / (LENGTH_SCALE * n);
    let all = vec3<f32>(spin_word(cell, 9u), spin_word(cell, 10u), spin_word(cell, 11u)) / MOMENTUM_SCALE;
    let L = all - n * cross(middle, u);
    return Spin(middle, inverse_inertia(cell, n, middle) * L, 1.0);
}
#else
// `u`: mean velocity; `energy`: twice the energy about it; `axis`: that of the rotation; `drawn`: twice the energy drawn anew for what
// turns, or below 0.
fn spin_of(cell: u32, n: f32, u: vec3<f32>, energy: f32, axis: vec3<f32>, drawn: f32) -> Spin {
    let middle = vec3<f32>(spin_word(cell, 0u), spin_word(cell, 1u), spin_word(cell, 2u)) / (LENGTH_SCALE * n);
    // Row a is the sum of r_a w, of which each is turned as velocities are.
    var L = vec3<f32>(0.0);
    var turned = vec3<f32>(0.0);
    for (var a = 0u; a < 3u; a++) {
        var row = vec3<f32>(spin_word(cell, 9u + 3u * a), spin_word(cell, 10u + 3u * a), spin_word(cell, 11u + 3u * a));
        row = row / MOMENTUM_SCALE - n * middle[a] * u;
        var unit = vec3<f32>(0.0);
        unit[a] = 1.0;
        let along = dot(axis, row) * axis;
        L += cross(unit, row);
        turned += cross(unit, along + ${cos} * (row - along) + ${sin} * cross(axis, row));
    }
    let inverse = inverse_inertia(cell, n, middle);
    let before = select(energy - dot(L, inverse * L), drawn, drawn >= 0.0);
    let after = energy - dot(turned, inverse * turned);
    let factor = sqrt(max(before, 0.0) / max(after, 1e-3 * energy));
    return Spin(middle, inverse * (L - factor * turned), factor);
}
#endif
#endif
