//! Viscosity and yield strength as functions of temperature.

use std::f64::consts::{LN_2, LOG2_10};

use hematite_config::{Fault, Result};

use crate::config::{SofteningConfig, ViscosityConfig, YieldConfig};

/// Viscosity eta = 2^(A + B / (T - C)), Pa s, and yield strength S = S_0 2^(-E (T - T_0)), Pa, at temperature T, K.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rheology {
    /// Logarithm of the viscosity of the hottest lava.
    pub a: f64,
    /// K.
    pub b: f64,
    /// K.
    pub c: f64,
    /// Pa.
    pub s_0: f64,
    /// K.
    pub t_0: f64,
    /// 1/K.
    pub e: f64,
}

/// Water, per cent of the weight, for which the viscosity of Giordano and Dingwell was measured.
const WATER: [f64; 2] = [0.02, 4.0];

impl Rheology {
    /// Resolves a config.
    ///
    /// # Errors
    /// A usage fault with the key where a number is out of range.
    pub fn new(viscosity: &ViscosityConfig, strength: &YieldConfig) -> Result<Self> {
        let [a, b, c] = of_viscosity(viscosity).map_err(|fault| fault.within("viscosity"))?;
        let [s_0, t_0, e] = match strength {
            YieldConfig::Constant(strength) => [strength.si(), 0.0, 0.0],
            YieldConfig::Exponential(SofteningConfig { strength, at, decades_per_kelvin }) => {
                [strength.si(), at.si(), decades_per_kelvin * LOG2_10]
            }
        };
        if s_0 < 0.0 || e < 0.0 {
            return Err(Fault::usage("yield_strength: its numbers must not be negative"));
        }
        Ok(Self { a, b, c, s_0, t_0, e })
    }

    /// Viscosity at a temperature, Pa s.
    pub fn viscosity(&self, t: f64) -> f64 {
        (self.a + self.b / (t - self.c)).exp2()
    }

    /// Yield strength at a temperature, Pa.
    pub fn yield_strength(&self, t: f64) -> f64 {
        self.s_0 * (self.e * (self.t_0 - t)).exp2()
    }

    /// Whether it depends on temperature.
    pub fn varies(&self) -> bool {
        self.b != 0.0 || self.e != 0.0
    }

    /// Temperature above which it holds, K.
    pub fn coldest(&self) -> f64 {
        if self.b == 0.0 { 0.0 } else { self.c.max(0.0) }
    }
}

/// A, B and C of a viscosity.
fn of_viscosity(config: &ViscosityConfig) -> Result<[f64; 3]> {
    let positive = |viscosity: f64| match viscosity > 0.0 {
        true => Ok(viscosity.log2()),
        false => Err(Fault::usage(format!("{viscosity} Pa s must be above 0"))),
    };
    match config {
        // Without B, C has no effect, if no temperature is as low.
        ViscosityConfig::Constant(viscosity) => Ok([positive(viscosity.si())?, 0.0, -1.0]),
        ViscosityConfig::Arrhenius(config) => {
            let (at, b) = (config.at.si(), config.activation.si());
            if at <= 0.0 || b <= 0.0 {
                return Err(Fault::usage("arrhenius: \"at\" and \"activation\" must be above 0 K"));
            }
            Ok([positive(config.viscosity.si())? - b / LN_2 / at, b / LN_2, 0.0])
        }
        ViscosityConfig::GiordanoDingwell(config) => {
            let w = config.water;
            if !(WATER[0]..=WATER[1]).contains(&w) {
                return Err(Fault::usage(format!(
                    "giordano_dingwell: water {w} must be {} to {} per cent of the weight",
                    WATER[0], WATER[1]
                )));
            }
            Ok([-4.643 * LOG2_10, (5812.44 - 427.04 * w) * LOG2_10, 499.31 - 28.74 * w.ln()])
        }
    }
}

#[cfg(test)]
mod tests {
    use hematite_units::quantity::{DynamicViscosity, Pressure, Temperature};

    use super::*;
    use crate::config::{ArrheniusConfig, WaterConfig};

    #[test]
    fn laws_have_the_values_of_their_formulas() {
        let none = YieldConfig::default();
        let of = |viscosity: ViscosityConfig| Rheology::new(&viscosity, &none).expect("valid");
        let constant = of(ViscosityConfig::Constant(DynamicViscosity(1000.0)));
        assert!((constant.viscosity(900.0) / 1000.0 - 1.0).abs() < 1e-12 && !constant.varies());
        let etna = of(ViscosityConfig::GiordanoDingwell(WaterConfig { water: 0.1 }));
        let wanted = 10_f64.powf(-4.643 + (5812.44 - 42.704) / (1360.0 - 499.31 + 28.74 * 0.1_f64.ln()));
        assert!((etna.viscosity(1360.0) / wanted - 1.0).abs() < 1e-12 && etna.varies());
        let arrhenius = of(ViscosityConfig::Arrhenius(ArrheniusConfig {
            viscosity: DynamicViscosity(500.0),
            at: Temperature(1300.0),
            activation: Temperature(40_000.0),
        }));
        let wanted = 500.0 * (40_000.0_f64 / 1200.0 - 40_000.0 / 1300.0).exp();
        assert!((arrhenius.viscosity(1200.0) / wanted - 1.0).abs() < 1e-12);
        let softening =
            SofteningConfig { strength: Pressure(8.0), at: Temperature(1360.0), decades_per_kelvin: 0.0089 };
        let viscosity = ViscosityConfig::Constant(DynamicViscosity(1.0));
        let strength = Rheology::new(&viscosity, &YieldConfig::Exponential(softening)).expect("valid");
        assert!((strength.yield_strength(1260.0) / (8.0 * 10_f64.powf(0.89)) - 1.0).abs() < 1e-12);
        let dry = ViscosityConfig::GiordanoDingwell(WaterConfig { water: 0.0 });
        assert!(Rheology::new(&dry, &none).expect_err("no water").message.contains("giordano_dingwell: water"));
    }
}
