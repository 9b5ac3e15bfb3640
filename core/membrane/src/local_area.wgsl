// Areas of triangles about their reference A0: E = k A0 e(a) with a = A / A0, e = (a - 1)^2 / 2 for a >= 1 as for the whole
// area, and e = a - 1 - ln a below, which has the same modulus there and lets no triangle vanish: crowded cells press
// some of them flat, whose heights bending forces are divided by. So dE/dA = k (a - 1), or k (1 - 1 / a).
fn area_tension(k: real, area: real, rest: real) -> real {
    let a = area / rest;
    return k * (a - 1.0) / min(a, real(1.0));
}
