//! Worm-like chains with a power-law repulsion.

/// Share of the largest length beyond which the tangent continues the attraction, 500 times as stiff as a red cell at
/// rest: explicit steps are unstable where the stiffness has no bound.
pub(crate) const LARGEST_SHARE: f64 = 0.95;

/// One kind of spring, for any rest length.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Spring {
    /// Rest length over largest length.
    pub x0: f64,
    /// Exponent m of the repulsion.
    pub power: i32,
    /// kp / (B l0^m), with which the force vanishes at the rest length.
    pub repulsion: f64,
    /// B / l0 with B = kB T / p, which gives the hexagonal network its shear modulus.
    pub strength: f64,
}

/// Attraction over B at length `x lm`.
fn attraction(x: f64) -> f64 {
    0.25 / (1.0 - x).powi(2) - 0.25 + x
}

/// Derivative of the attraction with respect to x.
pub(crate) fn slope(x: f64) -> f64 {
    0.5 / (1.0 - x).powi(3) + 1.0
}

impl Spring {
    pub(crate) fn new(mu: f64, x0: f64, power: i32) -> Self {
        let repulsion = attraction(x0);
        let attractive = 0.5 * x0 / (1.0 - x0).powi(3) - 0.25 / (1.0 - x0).powi(2) + 0.25;
        let strength = 4.0 * mu / (3f64.sqrt() * (attractive + repulsion * f64::from(power + 1)));
        Self { x0, power, repulsion, strength }
    }

    /// `B lm / 4 (3 x^2 - 2 x^3) / (1 - x) + kp / ((m - 1) l^(m - 1))`; the attraction is linear beyond
    /// [`LARGEST_SHARE`] of lm.
    pub(crate) fn energy(&self, l: f64, rest: f64) -> f64 {
        let b = self.strength * rest;
        let longest = rest / self.x0;
        let x = (l / longest).min(LARGEST_SHARE);
        let beyond = l - x * longest;
        let attractive = 0.25 * longest * (3.0 * x * x - 2.0 * x * x * x) / (1.0 - x)
            + attraction(x) * beyond
            + 0.5 * slope(x) / longest * beyond * beyond;
        let kp = self.repulsion * rest.powi(self.power);
        let repulsive = match self.power {
            1 => -kp * l.ln(),
            m => kp / (f64::from(m - 1) * l.powi(m - 1)),
        };
        b * (attractive + repulsive)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Energy an area of a flat hexagonal network with rest length `l0`, deformed by `f`.
    fn density(spring: Spring, l0: f64, f: [[f64; 2]; 2]) -> f64 {
        let half = 0.5 * 3f64.sqrt();
        let edges = [[1.0, 0.0], [0.5, half], [-0.5, half]];
        let energy: f64 = edges
            .iter()
            .map(|e| {
                let [x, y] = [0, 1].map(|k| l0 * (f[k][0] * e[0] + f[k][1] * e[1]));
                spring.energy(x.hypot(y), l0)
            })
            .sum();
        energy / (half * l0 * l0)
    }

    #[test]
    fn a_hexagonal_patch_has_the_modulus_asked_for() {
        let bracket = 0.5 / 2.2 / (1.0 - 1.0 / 2.2f64).powi(3) - 0.25 / (1.0 - 1.0 / 2.2f64).powi(2) + 0.25;
        assert!((bracket - 0.810185).abs() < 1e-6);
        for power in [1, 2, 6] {
            for (mu, l0) in [(5e-6, 5e-7), (2e-3, 1.3)] {
                let spring = Spring::new(mu, 1.0 / 2.2, power);
                let energy = |f| density(spring, l0, f) - density(spring, l0, [[1.0, 0.0], [0.0, 1.0]]);
                let e = 0.01;
                let sheared = |e: f64| energy([[1.0, e], [0.0, 1.0]]);
                let pure = |e: f64| energy([[1.0 + e, 0.0], [0.0, 1.0 / (1.0 + e)]]);
                let swollen = |e: f64| energy([[1.0 + e, 0.0], [0.0, 1.0 + e]]);
                // W = mu / 2 gamma^2, 2 mu e^2, and K / 2 (2 e)^2 with K = 2 mu of such networks.
                let shear = (sheared(e) + sheared(-e)) / (e * e) / mu;
                let stretch = (pure(e) + pure(-e)) / (4.0 * e * e) / mu;
                let area = (swollen(e) + swollen(-e)) / (4.0 * e * e) / (2.0 * mu);
                println!("power {power}: shear {shear:.4}, stretch {stretch:.4}, area {area:.4}");
                for ratio in [shear, stretch, area] {
                    assert!((ratio - 1.0).abs() < 0.02, "{power} {mu}: {ratio}");
                }
            }
        }
    }
}
