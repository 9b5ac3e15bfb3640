//! Quantities of one dimension each, held in SI, read from and written to configs as text with a unit.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};

use crate::{Dimension, parse};

macro_rules! quantities {
    ($($(#[$doc:meta])* $name:ident, $what:literal, $dimension:expr, $si:literal, $example:literal;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd)]
        pub struct $name(pub f64);

        impl $name {
            /// Its value in SI units.
            pub fn si(self) -> f64 {
                self.0
            }
        }

        impl std::str::FromStr for $name {
            type Err = crate::UnitError;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                let (value, dimension) = parse(text)?;
                let wanted: Dimension = $dimension;
                if dimension == wanted {
                    return Ok(Self(value));
                }
                Err(crate::UnitError(format!(
                    concat!("\"{}\" is not ", $what, ": its unit is {}, wanted {} (e.g. \"", $example, "\")"),
                    text.trim(), dimension, wanted
                )))
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(f, "{} {}", crate::number::exact(self.0), $si)
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                let text = String::deserialize(from)?;
                text.parse().map_err(D::Error::custom)
            }
        }

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
                to.collect_str(self)
            }
        }

        impl JsonSchema for $name {
            fn schema_name() -> Cow<'static, str> {
                stringify!($name).into()
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                json_schema!({
                    "type": "string",
                    "description": concat!("Text with a unit: ", $what),
                    "examples": [$example],
                })
            }
        }
    )*};
}

quantities! {
    /// A length in metres.
    Length, "a length", Dimension::new(1, 0, 0), "m", "8 um";
    /// A time in seconds.
    Time, "a time", Dimension::new(0, 0, 1), "s", "0.1 us";
    /// A frequency in hertz.
    Frequency, "a frequency", Dimension::new(0, 0, -1), "Hz", "1.2 Hz";
    /// A velocity in metres a second.
    Velocity, "a velocity", Dimension::new(1, 0, -1), "m/s", "1 mm/s";
    /// An acceleration in metres a second squared.
    Acceleration, "an acceleration", Dimension::new(1, 0, -2), "m/s2", "9.81 m/s2";
    /// A pressure in pascals.
    Pressure, "a pressure", Dimension::new(-1, 1, -2), "Pa", "120 Pa";
    /// A mass density in kilograms a cubic metre.
    Density, "a density", Dimension::new(-3, 1, 0), "kg/m3", "1025 kg/m3";
    /// A dynamic viscosity in pascal seconds.
    DynamicViscosity, "a dynamic viscosity", Dimension::new(-1, 1, -1), "Pa s", "1.2 mPa s";
    /// A force per volume, which is also a pressure gradient, in newtons a cubic metre.
    ForceDensity, "a force density or pressure gradient", Dimension::new(-2, 1, -2), "Pa/m", "10 kPa/m";
    /// A volume flow rate in cubic metres a second.
    FlowRate, "a flow rate", Dimension::new(3, 0, -1), "m3/s", "3 uL/min";
    /// A temperature in kelvins.
    Temperature, "a temperature", Dimension { temperature: 1, ..Dimension::new(0, 0, 0) }, "K", "300 K";
    /// A heat capacity of a mass in joules a kilogram and kelvin.
    SpecificHeat, "a heat capacity of a mass", Dimension { temperature: -1, ..Dimension::new(2, 0, -2) }, "J/kg/K", "1150 J/kg/K";
    /// A latent heat in joules a kilogram.
    LatentHeat, "a latent heat", Dimension::new(2, 0, -2), "J/kg", "350 kJ/kg";
    /// A force in newtons.
    Force, "a force", Dimension::new(1, 1, -2), "N", "50 pN";
    /// A mass in kilograms.
    Mass, "a mass", Dimension::new(0, 1, 0), "kg", "1e-15 kg";
    /// A friction coefficient, force over velocity, in kilograms a second.
    Friction, "a friction coefficient", Dimension::new(0, 1, -1), "kg/s", "2e-8 kg/s";
    /// An energy in joules.
    Energy, "an energy", Dimension::new(2, 1, -2), "J", "2.4e-19 J";
    /// A force per length within a surface, in newtons a metre.
    SurfaceTension, "a surface tension or an elastic modulus of a membrane", Dimension::new(0, 1, -2), "N/m", "6.3 uN/m";
    /// A viscosity of a surface in pascal seconds metres.
    SurfaceViscosity, "a surface viscosity", Dimension::new(0, 1, -1), "Pa s m", "0.4 uPa s m";
}

/// A quantity of any dimension, for configs that name fields of their own.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Quantity {
    /// Its value in SI units.
    pub si: f64,
    /// Its dimension.
    pub dimension: Dimension,
}

impl std::str::FromStr for Quantity {
    type Err = crate::UnitError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        parse(text).map(|(si, dimension)| Self { si, dimension })
    }
}

impl std::fmt::Display for Quantity {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {}", crate::number::exact(self.si), self.dimension.symbol())
    }
}

impl<'de> Deserialize<'de> for Quantity {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        String::deserialize(from)?.parse().map_err(D::Error::custom)
    }
}

impl Serialize for Quantity {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

impl JsonSchema for Quantity {
    fn schema_name() -> Cow<'static, str> {
        "Quantity".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "string",
            "description": "Text with a unit, of any dimension; \"1\" and the like without one",
            "examples": ["1 m", "1360 K", "0.4"],
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_dimension_survives_a_round_trip() {
        for (text, symbol) in [
            ("3 km", "m"),
            ("2 kg/m3", "kg/m3"),
            ("4 1/s", "1/s"),
            ("0.5", "1"),
            ("7 W/m2/K", "kg/s3/K"),
            ("2 m2", "m2"),
        ] {
            let quantity: Quantity = text.parse().expect("parses");
            assert_eq!(quantity.dimension.symbol(), symbol, "{text}");
            assert_eq!(quantity.to_string().parse(), Ok(quantity), "{text}");
        }
    }

    #[test]
    fn the_wrong_dimension_names_both() {
        let message = "3 um".parse::<Velocity>().expect_err("a length").0;
        assert!(message.contains("is not a velocity") && message.contains("wanted m s^-1"), "{message}");
    }

    #[test]
    fn text_survives_a_round_trip() {
        let viscosity: DynamicViscosity = "1.2 mPa s".parse().expect("parses");
        assert_eq!(viscosity.to_string().parse::<DynamicViscosity>(), Ok(viscosity));
        let rate: Quantity = "1.4137e-13 m3/s".parse().expect("parses");
        assert_eq!(rate.to_string(), "1.4137e-13 m3/s");
        assert_eq!(rate.to_string().parse(), Ok(rate));
    }
}
