// Areas of triangles about their reference A0: E = k A0 e(a) with a = A / A0. For a >= 1, e = (a - 1)^2 / 2 as for the
// whole area. Below, e = a - 1 - ln a, which has the same modulus at 1 and lets no triangle vanish: crowded cells press
// some triangles flat, and bending forces are divided by their heights. So dE/dA = k (a - 1), or k (1 - 1 / a).
fn area_tension(k: real, area: real, rest: real) -> real {
    let a = area / rest;
    return k * (a - 1.0) / min(a, real(1.0));
}
