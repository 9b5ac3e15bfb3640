//! From values to pixels along an axis, and the marks there.

use hematite_units::number::{Shown, power_of_ten, ticks};

use super::Axis;

/// Largest ratio of the ends of a logarithmic axis.
const DECADES: f64 = 1e9;

/// From values to pixels along one axis.
pub struct Scale {
    low: f64,
    high: f64,
    logarithmic: bool,
    shown: Shown,
    /// Where the axis begins and ends, pixels.
    pub pixels: [f64; 2],
    /// What the axis shows, with its unit.
    pub label: String,
}

impl Scale {
    /// The scale of an axis over the range of values.
    pub fn of(axis: &Axis, values: impl Iterator<Item = f64>, pixels: [f64; 2]) -> Self {
        let values: Vec<f64> = values.filter(|v| v.is_finite() && (!axis.logarithmic || *v > 0.0)).collect();
        let mut high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let least = if axis.logarithmic { high / DECADES } else { f64::NEG_INFINITY };
        let mut low = values.iter().copied().filter(|&v| v >= least).fold(f64::INFINITY, f64::min);
        if low > high {
            (low, high) = if axis.logarithmic { (1.0, 10.0) } else { (0.0, 1.0) };
        }
        if axis.logarithmic {
            low = 10f64.powf((low.log10() + 1e-9).floor());
            high = 10f64.powf((high.log10() - 1e-9).ceil()).max(10.0 * low);
        } else {
            if axis.from_zero {
                (low, high) = (low.min(0.0), high.max(0.0));
            }
            let span = if high > low { high - low } else { high.abs().max(1e-300) };
            let room = if axis.from_zero { 0.06 } else { 0.03 };
            (low, high) =
                (if low == 0.0 { 0.0 } else { low - room * span }, if high == 0.0 { 0.0 } else { high + room * span });
            if high <= low {
                high = low + 1.0;
            }
        }
        let shown = if axis.logarithmic { Shown::plain(axis.unit) } else { Shown::over(axis.unit, low, high) };
        let label = shown.label(&axis.label);
        Self { low, high, logarithmic: axis.logarithmic, shown, pixels, label }
    }

    /// The pixel of a value.
    pub fn pixel(&self, value: f64) -> f64 {
        let along = |v: f64| if self.logarithmic { v.log10() } else { v };
        let t = (along(value) - along(self.low)) / (along(self.high) - along(self.low));
        self.pixels[0] + t * (self.pixels[1] - self.pixels[0])
    }

    /// Whether the axis shows a value: a logarithmic axis leaves out values below its lower end.
    pub fn holds(&self, value: f64) -> bool {
        value.is_finite() && (!self.logarithmic || value >= self.low * (1.0 - 1e-9))
    }

    /// About `count` round values, with their labels.
    pub fn marks(&self, count: usize) -> Vec<(f64, String)> {
        if self.logarithmic {
            let (first, last) = (self.low.log10().round() as i32, self.high.log10().round() as i32);
            let decades = (last - first).max(1) as usize;
            let factors: &[u32] = if 3 * decades <= count { &[1, 2, 5] } else { &[1] };
            let step = (decades - 1) / count.max(1) + 1;
            let decade =
                |power: i32| factors.iter().map(move |&k| (f64::from(k) * 10f64.powi(power), scientific(k, power)));
            let all = (first..=last).step_by(step).flat_map(decade);
            return all.filter(|(value, _)| *value <= self.high * (1.0 + 1e-9)).collect();
        }
        let (marks, decimals) = ticks(self.shown.number(self.low), self.shown.number(self.high), count);
        let label = |mark: f64| format!("{:.decimals$}", if mark == 0.0 { 0.0 } else { mark });
        marks.into_iter().map(|mark| (self.shown.value(mark), label(mark))).collect()
    }
}

/// `factor` times a power of ten.
fn scientific(factor: u32, power: i32) -> String {
    let power = power_of_ten(power);
    if factor == 1 { power } else { format!("{factor}\u{b7}{power}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logarithmic_axes_mark_powers() {
        let axis = Axis::new("x", "s").logarithmic();
        let scale = Scale::of(&axis, [2e-3, 0.5].into_iter(), [0.0, 300.0]);
        let marks = scale.marks(5);
        let labels: Vec<&str> = marks.iter().map(|(_, label)| label.as_str()).collect();
        assert_eq!(labels, ["10\u{207b}\u{b3}", "10\u{207b}\u{b2}", "10\u{207b}\u{b9}", "10\u{2070}"]);
        assert!((scale.pixel(marks[1].0) - 100.0).abs() < 1e-9);
        assert!(!Scale::of(&axis, [1e-40, 0.5].into_iter(), [0.0, 300.0]).holds(1e-40));
        let short = Scale::of(&axis, [2e-3, 8e-3].into_iter(), [0.0, 300.0]).marks(5);
        assert_eq!(short.len(), 4, "1, 2, 5 and 10");
        assert_eq!(short[1].1, "2\u{b7}10\u{207b}\u{b3}");
        assert_eq!(scale.marks(2).len(), 2, "every second power");
    }

    #[test]
    fn small_numbers_have_a_power_of_ten() {
        let scale = Scale::of(&Axis::new("drift", "").from_zero(), [0.0, 4e-6].into_iter(), [0.0, 300.0]);
        assert_eq!(scale.label, "drift [10\u{207b}\u{2076}]");
        assert_eq!(scale.marks(5)[1].1, "1");
    }

    #[test]
    fn marks_stand_at_their_values() {
        // Momenta under a power of ten, and a temperature told from a number near it.
        for (unit, low, high) in [("kg m/s", -4e-24, 6e-24), ("K", 300.000_1, 300.000_9)] {
            let scale = Scale::of(&Axis::new("x", unit), [low, high].into_iter(), [0.0, 300.0]);
            let marks = scale.marks(5);
            let pixels: Vec<f64> = marks.iter().map(|(value, _)| scale.pixel(*value)).collect();
            assert!(pixels.len() > 1 && pixels.iter().all(|pixel| (-1e-3..300.001).contains(pixel)), "{pixels:?}");
            assert!(marks.iter().all(|(_, label)| label.len() <= 5), "{marks:?}");
        }
    }
}
