//! Gay and Berne's potential between ellipsoids, repulsive only.

use hematite_cells::vector::{Point, cross, dot, length, plus, times};
use hematite_gpu::literal;
use minijinja::{Value, context};

use super::wca;

/// Squared distance below which two bodies have no direction, and no force.
const COINCIDENT: f64 = 1e-12;

/// What all pairs share; the formula stands in `gay_berne.wgsl`.
///
/// The contact distance is exact for spheres of one size and along common axes of equal bodies. For others it is a mean: of
/// spheres of radii a, b it is (2 (a^2 + b^2))^(1/2), more than a + b.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GayBerne {
    /// Energy at contact of bodies whose eta and chi are 1.
    pub epsilon: f64,
    /// Width of the soft layer: repulsion ends at a surface distance of (2^(1/6) - gamma) sigma.
    pub sigma: f64,
    /// Shift of the potential: 1 has its zero at contact.
    pub gamma: f64,
    /// Exponent of chi.
    pub mu: u32,
    /// Exponent of eta; Gay and Berne's nu.
    pub upsilon: u32,
    /// The force stays below this. Up to half of it, it is the gradient of the energy; between spheres in deep overlap it
    /// stays a half.
    pub largest: f64,
}

/// A kind of body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shape {
    /// Semi-axes.
    pub axes: [f64; 3],
    /// Relative well depths of contacts along the axes, `epsilon_k`.
    pub depths: [f64; 3],
}

/// A pair as it stands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Well {
    /// (h + gamma sigma) / sigma.
    pub rho: f64,
    /// epsilon_0 eta chi.
    pub epsilon: f64,
}

impl GayBerne {
    /// Identical uniaxial bodies as Gay and Berne write them (J. Chem. Phys. 74, 2916, 1981): `kappa` length over breadth,
    /// `kappa_prime` well depth side by side over end to end. The third axis is the long one, or the short one of discs.
    ///
    /// Their epsilon_0 is ours, without any factor: eta is their [1 - chi^2 c^2]^(-nu / 2), and chi is their {..}^mu for
    /// depths 1, 1 and 1 / kappa'.
    pub fn classic(
        kappa: f64,
        kappa_prime: f64,
        mu: u32,
        nu: u32,
        sigma_0: f64,
        epsilon_0: f64,
        largest: f64,
    ) -> (Self, Shape) {
        let law = Self { epsilon: epsilon_0, sigma: sigma_0, gamma: 1.0, mu, upsilon: nu, largest };
        let half = 0.5 * sigma_0;
        (law, Shape { axes: [half, half, kappa * half], depths: [1.0, 1.0, 1.0 / kappa_prime] })
    }

    /// Surface distance at which repulsion ends.
    pub fn reach(&self) -> f64 {
        (wca::CUT - self.gamma) * self.sigma
    }

    /// Distance of two centres from which on bodies never touch.
    pub fn range(&self, k1: &Shape, k2: &Shape) -> f64 {
        (2.0 * (k1.around() + k2.around())).sqrt() + self.reach()
    }

    /// Body 2 at `r` from body 1; rows of `e1`, `e2` are their axes in space.
    pub fn well(&self, r: Point, [e1, e2]: [&[Point; 3]; 2], [k1, k2]: [&Shape; 2]) -> Well {
        let n = times(1.0 / length(r), r);
        let g = added(k1.tensor(e1), k2.tensor(e2));
        let b = added(tensor(e1, k1.wells(self.mu)), tensor(e2, k2.wells(self.mu)));
        let eta = (2.0 * k1.s() * k2.s() / determinant(g)).powf(0.5 * f64::from(self.upsilon));
        let chi = (2.0 * dot(n, solved(b, n))).powf(f64::from(self.mu));
        Well { rho: self.rho(r, g), epsilon: self.epsilon * eta * chi }
    }

    /// (h + gamma sigma) / sigma of a pair at a distance `r`, whose [`Shape::tensor`]s sum up to `g`.
    pub(super) fn rho(&self, r: Point, g: Tensor) -> f64 {
        let n = times(1.0 / length(r), r);
        let h = length(r) - (0.5 * dot(n, solved(g, n))).powf(-0.5);
        h / self.sigma + self.gamma
    }

    /// The energy of a pair, whatever its force.
    pub fn energy(&self, r: Point, e: [&[Point; 3]; 2], k: [&Shape; 2]) -> f64 {
        let Well { rho, epsilon } = self.well(r, e, k);
        epsilon * wca::energy(rho, self.least())
    }

    /// Half of the largest force goes with this rho, where epsilon is epsilon_0.
    fn least(&self) -> f64 {
        wca::least(0.5 * self.largest * self.sigma / self.epsilon)
    }

    /// What templates with `gay_berne.wgsl` call `gay_berne`, for bodies of `kinds`.
    pub fn context(&self, kinds: &[Shape]) -> Value {
        let power = |root: bool, base: &str, whole: u32| {
            let root = root.then(|| format!("sqrt({base})"));
            root.into_iter().chain((0..whole).map(|_| base.to_owned())).collect::<Vec<_>>().join(" * ")
        };
        context! {
            epsilon => literal(self.epsilon),
            per_sigma => literal(1.0 / self.sigma),
            gamma => literal(self.gamma),
            cut => literal(self.reach()),
            least => literal(self.least()),
            per_largest => literal(1.0 / self.largest),
            coincident => literal(COINCIDENT),
            mu => self.mu,
            upsilon => self.upsilon,
            eta => power(self.upsilon % 2 == 1, "ratio", self.upsilon / 2),
            chi => power(false, "well", self.mu),
            wells => self.mu > 0 && kinds.iter().any(|kind| kind.depths != [1.0; 3]),
        }
    }
}

impl Shape {
    /// With the same depth all around.
    pub fn new(axes: [f64; 3]) -> Self {
        Self { axes, depths: [1.0; 3] }
    }

    /// The numbers of a `Shape` in WGSL, in its order.
    pub fn words(&self, law: &GayBerne) -> [f64; 8] {
        let ([a, b, c], [x, y, z]) = (self.squares(), self.wells(law.mu));
        [a, b, c, self.s(), x, y, z, self.around()]
    }

    /// A^T diag(squares of semi-axes) A of a body, rows of `e` its axes in space.
    pub(super) fn tensor(&self, e: &[Point; 3]) -> Tensor {
        tensor(e, self.squares())
    }

    fn squares(&self) -> [f64; 3] {
        self.axes.map(|a| a * a)
    }

    fn wells(&self, mu: u32) -> [f64; 3] {
        self.depths.map(|depth| depth.powf(-1.0 / f64::from(mu)))
    }

    /// (a b + c^2) (a b)^(1/2) with c the axis that differs most, in ratio, from the middle one, so that the order of axes
    /// does not matter.
    fn s(&self) -> f64 {
        let mut sorted = self.axes;
        sorted.sort_by(f64::total_cmp);
        let [short, middle, long] = sorted;
        let (ab, c) = if middle * middle <= short * long { (short * middle, long) } else { (middle * long, short) };
        (ab + c * c) * ab.sqrt()
    }

    fn around(&self) -> f64 {
        self.squares().into_iter().fold(0.0, f64::max)
    }
}

/// A symmetric tensor by its rows.
pub(super) type Tensor = [Point; 3];

/// A^T diag(s) A, rows of `e` the axes.
pub(super) fn tensor(e: &[Point; 3], s: [f64; 3]) -> Tensor {
    [0, 1, 2].map(|i| (0..3).fold([0.0; 3], |sum, k| plus(sum, times(s[k] * e[k][i], e[k]))))
}

pub(super) fn added(g: Tensor, h: Tensor) -> Tensor {
    [0, 1, 2].map(|i| plus(g[i], h[i]))
}

fn determinant(g: Tensor) -> f64 {
    dot(g[0], cross(g[1], g[2]))
}

/// G^-1 v
fn solved(g: Tensor, v: Point) -> Point {
    let (cofactors, d) = ([cross(g[1], g[2]), cross(g[2], g[0]), cross(g[0], g[1])], determinant(g));
    cofactors.map(|row| dot(row, v) / d)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Arrangements of R = x: side by side, end to end, T, crossed.
    const TABLE: [([Point; 2], f64, f64, f64); 4] = [
        ([[0.0, 0.0, 1.0], [0.0, 0.0, 1.0]], 1.0, 5.0 / 3.0, -1.484_942),
        ([[1.0, 0.0, 0.0], [1.0, 0.0, 0.0]], 3.0, 1.0 / 3.0, -0.296_988),
        ([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], 2.236_068, 0.381_966, -0.340_318),
        ([[0.0, 1.0, 0.0], [0.0, 0.0, 1.0]], 1.0, 1.0, -0.890_965),
    ];

    /// Axes of a body whose third one is along `u`.
    fn along(u: Point) -> [Point; 3] {
        let u = times(1.0 / length(u), u);
        let aside = cross(u, if u[0].abs() < 0.6 { [1.0, 0.0, 0.0] } else { [0.0, 1.0, 0.0] });
        let first = times(1.0 / length(aside), aside);
        [first, cross(u, first), u]
    }

    fn lennard_jones(well: Well) -> f64 {
        4.0 * well.epsilon * (well.rho.powi(-12) - well.rho.powi(-6))
    }

    #[test]
    fn uniaxial_bodies_are_those_of_gay_and_berne() {
        let (law, kind) = GayBerne::classic(3.0, 5.0, 2, 1, 1.0, 1.0, 1e3);
        for ([u1, u2], sigma, epsilon, energy) in TABLE {
            let r = sigma + 0.2;
            let well = law.well([r, 0.0, 0.0], [&along(u1), &along(u2)], [&kind; 2]);
            let ours = [r - (well.rho - 1.0), well.epsilon, lennard_jones(well)];
            for (ours, theirs) in ours.into_iter().zip([sigma, epsilon, energy]) {
                assert!((ours - theirs).abs() < 1e-6, "{u1:?} {u2:?}: {ours} {theirs}");
            }
        }
        let (u1, u2, r) = ([1.0, 1.0, 1.0], [1.0, 0.0, 0.0], [0.3, 0.5, 2.2]);
        let well = law.well(r, [&along(u1), &along(u2)], [&kind; 2]);
        assert!((length(r) - (well.rho - 1.0) - 1.432_084_37).abs() < 1e-8);
        assert!((well.epsilon - 0.682_901_20).abs() < 1e-8);
        assert!((lennard_jones(well) + 0.067_738_01).abs() < 1e-8);
    }

    #[test]
    fn red_cells_touch_where_ellipsoids_do() {
        let law = GayBerne { epsilon: 1.0, sigma: 1.0, gamma: 1.0, mu: 1, upsilon: 1, largest: 1e3 };
        let kind = Shape::new([4.0, 4.0, 1.3]);
        let distance = |u1, u2| 10.0 - law.well([10.0, 0.0, 0.0], [&along(u1), &along(u2)], [&kind; 2]).rho + 1.0;
        let (x, y) = ([1.0, 0.0, 0.0], [0.0, 1.0, 0.0]);
        for (u1, u2, theirs) in [(x, x, 2.6), (y, y, 8.0), (x, y, 5.948_11)] {
            assert!((distance(u1, u2) - theirs).abs() < 1e-5, "{u1:?} {u2:?}");
        }
    }

    #[test]
    fn the_order_of_axes_does_not_matter() {
        for [a, b, c] in [[4.0, 4.0, 1.3], [1.0, 1.0, 3.0], [1.0, 1.5, 3.5], [3.0, 2.9, 1.0]] {
            let s = Shape::new([a, b, c]).s();
            assert_eq!(s, Shape::new([b, c, a]).s());
            assert_eq!(s, Shape::new([c, b, a]).s());
            assert!((s - (a * b + c * c) * (a * b).sqrt()).abs() < 1e-12 * s);
        }
    }
}
