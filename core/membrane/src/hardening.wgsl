// Sides of finite extensibility (FENE; Warner, Ind. Eng. Chem. Fundam. 11, 379, 1972, about the rest length):
// E = -k / 2 l0 s^2 ln(1 - (e / s)^2) with e = l / l0 - 1, so dE/dl = k e / (1 - (e / s)^2). s is the largest strain,
// of different size in stretching and in compression. Beyond a share of s the tangent continues the tension.
fn tension(l: real, rest: real) -> real {
    let strain = l / rest - 1.0;
    let e = clamp(strain, real(-${in_plane.largest_pressed}), real(${in_plane.largest}));
    let share = e * select(real(${in_plane.per_reach}), real(${in_plane.per_pressed}), e < 0.0);
    let room = 1.0 - share * share;
    return real(${in_plane.k}) * (e / room + (strain - e) * (1.0 + share * share) / (room * room));
}
