// Sides of finite extensibility (FENE; Warner, Ind. Eng. Chem. Fundam. 11, 379, 1972, about the rest length):
// E = -k / 2 l0 (s - 1)^2 ln(1 - (e / (s - 1))^2) with e = l / l0 - 1, so dE/dl = k e / (1 - (e / (s - 1))^2).
// Beyond 99 % of the largest strain the tension stays as it is there.
fn tension(l: real, rest: real) -> real {
    let e = clamp(l / rest - 1.0, real(-${in_plane.largest}), real(${in_plane.largest}));
    let share = e * real(${in_plane.per_reach});
    return real(${in_plane.k}) * e / (1.0 - share * share);
}
