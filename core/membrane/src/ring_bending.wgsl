// Bending of a ring: E = kappa / 2 sum (psi / l - c0)^2 l over vertices, l the mean of the two sides a and b that meet.
// psi = (4 sin(theta/2) + 2 tan(theta/2)) / 3 approximates the turning angle theta (Huygens): it needs no inverse
// trigonometry, and its relative error is theta^4 / 320. Where cos(theta/2) is below OPEN, at folds, the tangent
// continues the formula, since explicit steps are unstable where the stiffness has no bound.
//   dE/dpsi = kappa (psi / l - c0),  dE/dl = kappa / 2 (c0^2 - (psi / l)^2),  dpsi/dtheta = (2 cos + 1 / cos^2) / 3
//   dtheta/db = b_perp / b^2,  dtheta/da = -a_perp / a^2
// Returns dE/dtheta and dE/dl.
const OPEN: real = real(${bending.open});

// The values of `bending` for each vertex.
var<storage, read_write> moment: array<vec2<real>>;

// asin(x) up to OPEN, its tangent beyond.
fn arcsine(x: real) -> real {
    let square = x * x;
    return x * (1.0 + square * (1.0 / 6.0 + square * (3.0 / 40.0)));
}

// l and the levers are at least `least`.
fn bending(a: Axes, b: Axes, length_a: real, length_b: real, c0: real, least: real) -> vec2<real> {
    let scale = 1.0 / (length_a * length_b);
    let sine = (a.x * b.y - a.y * b.x) * scale;
    let cosine = dot(a, b) * scale;
    let half_cosine = sqrt(max(0.5 + 0.5 * cosine, real(0.0)));
    let open = max(half_cosine, OPEN);
    let side = select(real(-1.0), real(1.0), sine >= 0.0);
    let half_sine = select(side * sqrt(1.0 - OPEN * OPEN), 0.5 * sine / open, half_cosine >= OPEN);
    let slope = (2.0 * open + 1.0 / (open * open)) / 3.0;
    let beyond = 2.0 * (arcsine(OPEN) - arcsine(min(half_cosine, OPEN)));
    let psi = (4.0 * half_sine + 2.0 * half_sine / open) / 3.0 + side * slope * beyond;
    let l = max(0.5 * (length_a + length_b), least);
    let c = psi / l;
    return real(${bending.kappa}) * vec2<real>((c - c0) * slope, 0.5 * (c0 * c0 - c * c));
}
