//! Heights of a model of terrain in metres, and which of them are none.

use crate::volume::Values;

/// Values that often stand for none without being named.
const SUSPECTS: [f64; 6] = [-9999.0, -99999.0, -32768.0, -32767.0, -3.402_823_466_385_288_6e38, -1e30];

/// Heights as stored, and what they mean.
pub struct Heights {
    values: Values,
    unit: f64,
    offset: f64,
    missing: Vec<f64>,
}

impl Heights {
    /// Values of which 1 is `unit` metres and 0 is at `offset` metres; those in `missing` and NaN are none.
    pub fn new(values: Values, unit: f64, offset: f64, missing: Vec<f64>) -> Self {
        Self { values, unit, offset, missing }
    }

    /// As stored.
    pub fn values(&self) -> &Values {
        &self.values
    }

    /// Height number `i` in metres; none where there is none.
    pub fn at(&self, i: usize) -> Option<f64> {
        let number = self.values.number(i)?;
        let is_missing = |missing: &f64| number == *missing || (self.is_narrow() && number as f32 == *missing as f32);
        if !number.is_finite() || self.missing.iter().any(is_missing) {
            return None;
        }
        Some(number * self.unit + self.offset).filter(|height| height.is_finite())
    }

    /// The value of those that count which seems to stand for none: the lowest one as stored, `lowest` metres.
    pub fn suspect(&self, lowest: f64) -> Option<f64> {
        let stored = (lowest - self.offset) / self.unit;
        SUSPECTS.into_iter().find(|suspect| (stored - suspect).abs() <= 1e-6 * suspect.abs())
    }

    fn is_narrow(&self) -> bool {
        matches!(self.values, Values::F32(_))
    }
}
