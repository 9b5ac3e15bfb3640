//! From values to colours, by perceptually even colour maps.

use colorous::{Gradient, RED_BLUE, VIRIDIS};

/// The colour of walls and of all outside the fluid.
pub const SOLID: [u8; 3] = [0xb4, 0xb4, 0xb8];
/// The colour of fluid whose value is not shown.
pub const FLUID: [u8; 3] = [0xf4, 0xf4, 0xf6];
/// The colour of values that are not finite: meant to be seen.
pub const NOT_FINITE: [u8; 3] = [0xff, 0x00, 0xff];

/// Colours of populations, in their order: apart from each other and from the map below.
const POPULATIONS: [[u8; 3]; 6] = [
    [0xd6, 0x2a, 0x2a],
    [0xf7, 0xf3, 0xea],
    [0xff, 0xb0, 0x3b],
    [0xf0, 0x7a, 0xc8],
    [0x8c, 0x4a, 0x2f],
    [0x20, 0x20, 0x24],
];

/// The colour of a population.
pub fn of_population(population: usize) -> [u8; 3] {
    POPULATIONS[population % POPULATIONS.len()]
}

/// The colour of the outline of what has a colour.
pub fn outline_of(colour: [u8; 3]) -> [u8; 3] {
    colour.map(|c| (f32::from(c) * 0.45) as u8)
}

/// A range of values and the colours along it.
#[derive(Clone, Copy)]
pub struct ColourScale {
    /// The value of the first colour.
    pub low: f64,
    /// The value of the last colour; larger values keep its colour.
    pub high: f64,
    gradient: Gradient,
    reversed: bool,
}

impl ColourScale {
    /// Dark to bright (viridis) from 0 to the largest value, for values without a sign.
    pub fn sequential(values: impl IntoIterator<Item = f64>) -> Self {
        let (_, high) = range(values);
        Self { low: 0.0, high: if high > 0.0 { high } else { 1.0 }, gradient: VIRIDIS, reversed: false }
    }

    /// Blue over white to red. Where values lie well on both sides of 0, white is 0; else the middle of their range.
    pub fn diverging(values: impl IntoIterator<Item = f64>) -> Self {
        const LOPSIDED: f64 = 0.2;
        let (mut low, mut high) = range(values);
        let (small, large) = (low.abs().min(high.abs()), low.abs().max(high.abs()));
        if low < 0.0 && high > 0.0 && small >= LOPSIDED * large {
            (low, high) = (-large, large);
        }
        if high <= low {
            let around = if low == 0.0 { 1.0 } else { 0.5 * low.abs() };
            (low, high) = (low - around, low + around);
        }
        Self { low, high, gradient: RED_BLUE, reversed: true }
    }

    /// Moves the last colour to the value `high`, if `high` is positive.
    #[must_use]
    pub fn capped(mut self, high: f64) -> Self {
        if high > self.low {
            self.high = high;
        }
        self
    }

    /// The colour of a value.
    pub fn colour(&self, value: f64) -> [u8; 3] {
        if !value.is_finite() {
            return NOT_FINITE;
        }
        let t = ((value - self.low) / (self.high - self.low)).clamp(0.0, 1.0);
        self.gradient.eval_continuous(if self.reversed { 1.0 - t } else { t }).into_array()
    }
}

fn range(values: impl IntoIterator<Item = f64>) -> (f64, f64) {
    let finite = values.into_iter().filter(|v| v.is_finite());
    let (low, high) = finite.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(v), h.max(v)));
    if low <= high { (low, high) } else { (0.0, 0.0) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_and_middle() {
        let speed = ColourScale::sequential([0.5, 2.0, f64::NAN]);
        assert_eq!((speed.low, speed.high), (0.0, 2.0));
        assert_eq!(speed.colour(0.0), [0x44, 0x01, 0x54]);
        assert_eq!(speed.colour(f64::NAN), NOT_FINITE);
        let pressure = ColourScale::diverging([-1.0, 2.0]);
        assert_eq!((pressure.low, pressure.high), (-2.0, 2.0));
        let [r, _, b] = pressure.colour(2.0);
        assert!(r > b, "high pressure is red");
        let one_sided = ColourScale::diverging([10.0, 30.0]);
        assert_eq!((one_sided.low, one_sided.high), (10.0, 30.0));
    }

    #[test]
    fn a_uniform_field_has_a_scale() {
        for scale in [ColourScale::diverging([0.0]), ColourScale::diverging([-3.0; 4]), ColourScale::sequential([0.0])]
        {
            assert!(scale.high > scale.low);
        }
        assert!(ColourScale::diverging([]).high > 0.0);
    }
}
