// Worm-like chains with a power-law repulsion on the edges (Fedosov, Caswell and Karniadakis, Biophys. J. 98, 2215,
// 2010):
//   E = B lm / 4 (3 x^2 - 2 x^3) / (1 - x) + kp / ((m - 1) l^(m - 1)),  x = l / lm,  lm = l0 / x0,  B = kB T / p
//   dE/dl = B (1 / (4 (1 - x)^2) - 1 / 4 + x) - kp / l^m
// (m = 1: -kp ln l). kp follows from dE/dl = 0 at each edge's l0, B from the shear modulus of the hexagonal network,
//   mu = sqrt(3) B / (4 l0) (x0 / (2 (1 - x0)^3) - 1 / (4 (1 - x0)^2) + 1 / 4) + sqrt(3) kp (m + 1) / (4 l0^(m + 1)),
// with each edge's own l0, so that B / l0 is the same everywhere and so is the modulus.
// Beyond 95 % of lm the tangent continues the attraction.
fn tension(l: real, rest: real) -> real {
    let stretch = l / rest;
    let share = real(${in_plane.x0}) * stretch;
    let x = min(share, real(${in_plane.largest}));
    let attraction = 0.25 / ((1.0 - x) * (1.0 - x)) - 0.25 + x + real(${in_plane.slope}) * (share - x);
    let inverse = 1.0 / stretch;
    let repulsion = real(${in_plane.repulsion}) * ${in_plane.inverse_power};
    return real(${in_plane.b}) * rest * (attraction - repulsion);
}
