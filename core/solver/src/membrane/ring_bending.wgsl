// Bending of a ring: E = kappa / 2 sum (psi / l - c0)^2 l over vertices, l the mean of the two sides a and b that meet.
// psi = (4 sin(theta/2) + 2 tan(theta/2)) / 3 stands for the turning angle theta (Huygens): it needs no inverse
// trigonometry, is theta up to a share of theta^4 / 320, and no finite energy folds a ring.
//   dE/dpsi = kappa (psi / l - c0),  dE/dl = kappa / 2 (c0^2 - (psi / l)^2),  dpsi/dtheta = (2 cos + 1 / cos^2) / 3
//   dtheta/db = b_perp / b^2,  dtheta/da = -a_perp / a^2
// Gives dE/dtheta and dE/dl.
fn bending(a: Axes, b: Axes, length_a: real, length_b: real, c0: real) -> vec2<real> {
    let scale = 1.0 / (length_a * length_b);
    let sine = (a.x * b.y - a.y * b.x) * scale;
    let cosine = dot(a, b) * scale;
    let half_cosine = sqrt(max(0.5 + 0.5 * cosine, real(1e-6)));
    let half_sine = 0.5 * sine / half_cosine;
    let psi = (4.0 * half_sine + 2.0 * half_sine / half_cosine) / 3.0;
    let l = 0.5 * (length_a + length_b);
    let c = psi / l;
    let by_theta = real(${bending.kappa}) * (c - c0) * (2.0 * half_cosine + 1.0 / (half_cosine * half_cosine)) / 3.0;
    return vec2<real>(by_theta, real(0.5 * ${bending.kappa}) * (c0 * c0 - c * c));
}
