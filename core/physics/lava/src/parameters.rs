//! Numbers of lava that do not change in a run.

use hematite_units::STEFAN_BOLTZMANN;

use crate::rheology::Rheology;

/// Numbers of lava that do not change in a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parameters {
    /// Edge of a cell, m.
    pub dx: f64,
    /// Mass density, kg/m3.
    pub density: f64,
    /// Acceleration of gravity, m/s2.
    pub gravity: f64,
    /// Heat capacity of a mass, J/(kg K).
    pub heat_capacity: f64,
    /// Share of a black body's radiation.
    pub emissivity: f64,
    /// Temperature below which lava is solid, K; 0 where it never is.
    pub solidus: f64,
    /// Latent heat of a mass, J/kg; 0 where all lava of a cell freezes at once.
    pub latent_heat: f64,
    /// Viscosity and yield strength.
    pub rheology: Rheology,
    /// Whether lava spreads alike in all directions.
    pub isotropic: bool,
}

impl Parameters {
    /// Weight of a volume, N/m3.
    pub fn weight(&self) -> f64 {
        self.density * self.gravity
    }

    /// Heat capacity of a volume, J/(m3 K).
    pub fn heat_of_volume(&self) -> f64 {
        self.density * self.heat_capacity
    }

    /// 3 eps sigma / (rho c), m/(s K3).
    pub fn cooling(&self) -> f64 {
        3.0 * self.emissivity * STEFAN_BOLTZMANN / self.heat_of_volume()
    }

    /// Temperature of lava that freezes, K: so far above the solidus that rounding does not lead below it.
    pub fn just_fluid(&self) -> f64 {
        self.solidus * (1.0 + 1e-6)
    }

    /// c / L, 1/K: which share of lava freezes by each kelvin below the solidus; `None` without latent heat.
    pub fn freezing(&self) -> Option<f64> {
        (self.latent_heat > 0.0).then(|| self.heat_capacity / self.latent_heat)
    }

    /// Flow of a sheet of thickness `h` at temperature `t` over a unit of width, m2/s, where the surface has the slope
    /// `surface` and the ground the slope `ground`: q = S h_cr^2 / (3 eta) (a^3 - 3/2 a^2 + 1/2), a = h / h_cr > 1 (Dragoni,
    /// Bonafede and Boschi, J. Volcanol. Geotherm. Res. 30, 305, 1986).
    pub fn flow(&self, h: f64, t: f64, surface: f64, ground: f64) -> f64 {
        let (eta, strength) = (self.rheology.viscosity(t), self.rheology.yield_strength(t));
        let g = self.weight() * surface / (1.0 + ground * ground).sqrt();
        let stress = g * h;
        if stress <= strength {
            return 0.0;
        }
        (stress - strength).powi(2) * (stress + 0.5 * strength) / (3.0 * eta * g * g)
    }

    /// Numbers for tests.
    #[cfg(test)]
    pub fn samples() -> Vec<Self> {
        let rheology = Rheology { a: 10.0, b: 0.0, c: -1.0, s_0: 500.0, t_0: 1360.0, e: 0.0 };
        let base = Self {
            dx: 10.0,
            density: 2600.0,
            gravity: 9.81,
            heat_capacity: 1150.0,
            emissivity: 0.9,
            solidus: 1143.0,
            latent_heat: 350e3,
            rheology,
            isotropic: true,
        };
        vec![base, Self { isotropic: false, solidus: 0.0, emissivity: 0.0, latent_heat: 0.0, ..base }]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_cells_on_a_slope_of_ten_degrees() {
        // Thickness and flow: dx 10 m, S 500 Pa, eta 1000 Pa s, rho 2600 kg/m3.
        let rheology = Rheology { a: 1000.0_f64.log2(), b: 0.0, c: -1.0, s_0: 500.0, t_0: 0.0, e: 0.0 };
        let parameters = Parameters { rheology, ..Parameters::samples()[0] };
        let slope = 10.0_f64.to_radians().tan();
        for (h, q) in [(0.25, 0.08505), (0.5, 1.23107), (1.0, 12.27419), (2.0, 108.11916), (0.11289, 0.0)] {
            let found = 10.0 * parameters.flow(h, 1360.0, slope, slope);
            assert!((found - q).abs() < 1e-5 * (1.0 + q), "{h}: {found}, {q}");
        }
    }
}
