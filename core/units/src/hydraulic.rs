//! Resistance and compliance of what lies behind an outlet. In 2-D the flow rate is that of a layer one metre deep, so
//! the units lack a power of a metre.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};

use crate::{Dimension, UnitError, parse};

macro_rules! hydraulic {
    ($($(#[$doc:meta])* $name:ident, $what:literal, $in_3d:expr, $si_3d:literal, $in_2d:expr, $si_2d:literal,
        $example_3d:literal, $example_2d:literal;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq)]
        pub struct $name {
            value: f64,
            /// Dimensions of the domains that the unit is for: 2 or 3.
            dimension: usize,
        }

        impl $name {
            /// Its value in SI units for a domain of `dimension` dimensions.
            ///
            /// # Errors
            /// When its unit is for the other number of dimensions.
            pub fn si(self, dimension: usize) -> Result<f64, UnitError> {
                if self.dimension == dimension {
                    return Ok(self.value);
                }
                let (unit, depth) = match dimension {
                    2 => ($si_2d, ": flow rates are those of a metre of depth"),
                    _ => ($si_3d, ""),
                };
                Err(UnitError(format!(
                    concat!("{} is ", $what, " in {}-D, the case has {} dimensions: give it in {}{}"),
                    self, self.dimension, dimension, unit, depth
                )))
            }
        }

        impl std::str::FromStr for $name {
            type Err = UnitError;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                let (value, unit) = parse(text)?;
                let wanted: [(usize, Dimension); 2] = [(3, $in_3d), (2, $in_2d)];
                match wanted.iter().find(|(_, wanted)| *wanted == unit) {
                    Some(&(dimension, _)) => Ok(Self { value, dimension }),
                    None => Err(UnitError(format!(
                        concat!("\"{}\" is not ", $what, ": its unit is {}, wanted ", $si_3d, " (in 2-D ", $si_2d, ")"),
                        text.trim(), unit
                    ))),
                }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(f, "{} {}", crate::number::exact(self.value), if self.dimension == 2 { $si_2d } else { $si_3d })
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                String::deserialize(from)?.parse().map_err(D::Error::custom)
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
                    "description": concat!(
                        "Text with a unit: ", $what, ", ", $si_3d, "; in 2-D ", $si_2d, ", by the flow rate of a metre of depth"
                    ),
                    "examples": [$example_3d, $example_2d],
                })
            }
        }
    )*};
}

hydraulic! {
    /// Pressure over flow rate, in Pa s/m3, or in 2-D in Pa s/m2.
    Resistance, "a resistance to flow",
        Dimension::new(-4, 1, -1), "Pa s/m3", Dimension::new(-3, 1, -1), "Pa s/m2",
        "1 GPa s/m3", "10 MPa s/m2";
    /// Volume over pressure, in m3/Pa, or in 2-D in m2/Pa.
    Compliance, "a compliance",
        Dimension::new(4, -1, 2), "m3/Pa", Dimension::new(3, -1, 2), "m2/Pa",
        "1e-12 m3/Pa", "1e-12 m2/Pa";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_unit_says_for_how_many_dimensions_it_is() {
        let resistance: Resistance = "1.5 MPa s/m3".parse().expect("parses");
        assert_eq!(resistance.si(3), Ok(1.5e6));
        let message = resistance.si(2).expect_err("of another dimension").0;
        assert!(message.contains("1500000 Pa s/m3") && message.contains("give it in Pa s/m2"), "{message}");
        let compliance: Compliance = "2 mL/kPa".parse().expect("parses");
        assert!((compliance.si(3).expect("3-D") - 2e-9).abs() < 1e-24);
        assert!("2 m2/Pa".parse::<Compliance>().expect("parses").si(2).is_ok());
        let message = "2 Pa s".parse::<Resistance>().expect_err("a viscosity").0;
        assert!(message.contains("is not a resistance") && message.contains("Pa s/m3 (in 2-D Pa s/m2)"), "{message}");
        assert_eq!(compliance.to_string().parse::<Compliance>(), Ok(compliance));
    }
}
