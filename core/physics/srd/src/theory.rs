//! Transport coefficients of the fluid by kinetic theory, in units of the lattice spacing and the time step.

/// What fixes the transport coefficients.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gas {
    /// 2 or 3.
    pub dimension: usize,
    /// M: mean number of particles in a cell.
    pub particles: f64,
    /// lambda: way of a particle in a time step with the thermal speed along an axis, lattice spacings.
    pub mean_free_path: f64,
    /// alpha: angle of the rotation, radians; `None` where velocities are drawn anew (Andersen).
    pub angle: Option<f64>,
    /// Whether collisions conserve angular momentum.
    pub angular_momentum: bool,
}

impl Gas {
    /// M - 1 + exp(-M): the mean number of particles that a particle meets in its cell, times M.
    fn met(&self) -> f64 {
        self.particles - 1.0 + (-self.particles).exp()
    }

    /// Kinematic viscosity: kinetic and collisional part. Rotations by Kikuchi, Pooley, Ryder and Yeomans, J. Chem. Phys.
    /// 119, 6388 (2003) in 2-D, and Gompper, Ihle, Kroll and Winkler, Adv. Polym. Sci. 221, 1 (2009), eq. 38 and 39 in
    /// 3-D; Andersen's, and the collisional part where collisions conserve angular momentum, by Noguchi and Gompper, Phys.
    /// Rev. E 78, 016706 (2008). The kinetic part, small in a liquid, is then taken as that without.
    pub fn viscosity(&self) -> [f64; 2] {
        let (m, met, squared) = (self.particles, self.met(), self.mean_free_path.powi(2));
        let [correlation, collisional] = match (self.angle, self.dimension) {
            (Some(alpha), 2) => [0.5 * m / (met * alpha.sin().powi(2)), (1.0 - alpha.cos()) / 12.0],
            (Some(alpha), _) => {
                [2.5 * m / (met * (2.0 - alpha.cos() - (2.0 * alpha).cos())), (1.0 - alpha.cos()) / 18.0]
            }
            (None, _) => [m / met, 1.0 / 12.0],
        };
        let share = match (self.angular_momentum, self.dimension) {
            (false, _) => met / m,
            (true, 2) => 0.5 * (m - 1.5) / m,
            (true, _) => 0.5 * (m - 1.4) / m,
        };
        [squared * (correlation - 0.5), collisional * share]
    }

    /// Self-diffusion coefficient of a particle, by molecular chaos (Ihle and Kroll, Phys. Rev. E 67, 066706, 2003).
    pub fn self_diffusion(&self) -> f64 {
        let (m, met, squared) = (self.particles, self.met(), self.mean_free_path.powi(2));
        match self.angle {
            Some(alpha) => 0.5 * squared * (self.dimension as f64 * m / ((1.0 - alpha.cos()) * met) - 1.0),
            None => squared * (m / met - 0.5),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Published values of nu and D in units of kT = m = a = 1.
    #[test]
    fn coefficients_are_the_published_ones() {
        let rows = [
            (3, 10.0, 130.0, 0.1, 0.870_025, 0.051_453),
            (3, 5.0, 130.0, 0.1, 0.792_127, 0.063_943),
            (3, 10.0, 90.0, 0.1, 0.542_595, 0.116_666),
            (3, 5.0, 90.0, 1.0, 0.584_434, 1.371_847),
            (3, 10.0, 130.0, 0.05, 1.667_109, 0.025_727),
            (2, 10.0, 130.0, 0.1, 1.276_768, 0.017_635),
            (2, 10.0, 90.0, 0.1, 0.755_559, 0.061_111),
            (2, 10.0, 90.0, 1.0, 0.130_553, 0.611_106),
            (2, 35.0, 90.0, 0.0361, 2.242_979, 0.019_112),
        ];
        for (dimension, particles, degrees, mean_free_path, nu, diffusion) in rows {
            let angle = Some(f64::to_radians(degrees));
            let gas = Gas { dimension, particles, mean_free_path, angle, angular_momentum: false };
            // With kT = m = a = 1 a time step is as long as the mean free path.
            let found = [gas.viscosity().iter().sum::<f64>(), gas.self_diffusion()].map(|x| x / mean_free_path);
            assert!((found[0] - nu).abs() < 2e-6 && (found[1] - diffusion).abs() < 2e-6, "{gas:?}: {found:?}");
        }
    }
}
