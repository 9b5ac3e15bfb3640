//! From values to colours, by perceptually even colour maps.

use colorous::{Gradient, RED_BLUE, VIRIDIS};

use crate::colour::NOT_FINITE;

/// The share of the values beyond an end of the colours.
pub const BEYOND: f64 = 0.005;
/// The colours reach to the extreme value where that lies beyond their end by at most this share of their range.
const NEAR: f64 = 0.1;
/// Values lie on both sides of 0 where the smaller side has at least this share of the larger.
const LOPSIDED: f64 = 0.2;

/// A range of values and the colours along it.
#[derive(Clone, Copy)]
pub struct ColourScale {
    /// The value of the first colour; smaller values have it, too.
    pub low: f64,
    /// The value of the last colour; larger values have it, too.
    pub high: f64,
    /// Shares of the values below the first colour and above the last.
    pub clipped: [f64; 2],
    gradient: Gradient,
    reversed: bool,
}

impl ColourScale {
    /// Dark to bright (viridis) from 0 to the 99.5th percentile of the values, or to the largest if that is near, for
    /// values without a sign.
    pub fn sequential(values: impl IntoIterator<Item = f64>) -> Self {
        let sorted = finite(values);
        let [_, high] = ends(&sorted, Some(0.0));
        let high = if high > 0.0 { high } else { 1.0 };
        Self { low: 0.0, high, clipped: clipped(&sorted, 0.0, high), gradient: VIRIDIS, reversed: false }
    }

    /// Dark to bright (viridis) from the 0.5th to the 99.5th percentile of the values, or to the extremes that are near, for
    /// values whose 0 has no meaning, such as temperatures.
    pub fn ranging(values: impl IntoIterator<Item = f64>) -> Self {
        let sorted = finite(values);
        let [mut low, mut high] = ends(&sorted, None);
        if high <= low {
            let around = if low == 0.0 { 1.0 } else { 0.5 * low.abs() };
            (low, high) = (low - around, low + around);
        }
        Self { low, high, clipped: clipped(&sorted, low, high), gradient: VIRIDIS, reversed: false }
    }

    /// Blue over white to red, from the 0.5th to the 99.5th percentile of the values, or to the extremes that are near.
    /// Where these lie well on both sides of 0, white is 0; else the middle of their range.
    pub fn diverging(values: impl IntoIterator<Item = f64>) -> Self {
        let sorted = finite(values);
        let [mut low, mut high] = ends(&sorted, None);
        let (small, large) = (low.abs().min(high.abs()), low.abs().max(high.abs()));
        if low < 0.0 && high > 0.0 && small >= LOPSIDED * large {
            (low, high) = (-large, large);
        }
        if high <= low {
            let around = if low == 0.0 { 1.0 } else { 0.5 * low.abs() };
            (low, high) = (low - around, low + around);
        }
        Self { low, high, clipped: clipped(&sorted, low, high), gradient: RED_BLUE, reversed: true }
    }

    /// The colour of a value.
    pub fn colour(&self, value: f64) -> [u8; 3] {
        if !value.is_finite() {
            return NOT_FINITE;
        }
        let t = ((value - self.low) / (self.high - self.low)).clamp(0.0, 1.0);
        self.gradient.eval_continuous(if self.reversed { 1.0 - t } else { t }).into_array()
    }

    /// What share of the values is beyond either end, e.g. "0.5 % above"; empty where none is.
    pub fn told(&self) -> String {
        let named = self.clipped.into_iter().zip(["below", "above"]).filter(|(share, _)| *share > 0.0);
        named.map(|(share, side)| format!("{} {side}", percent(share))).collect::<Vec<_>>().join(", ")
    }
}

/// A share in percent, two digits at most.
fn percent(share: f64) -> String {
    match 100.0 * share {
        less if less < 0.01 => "< 0.01 %".to_owned(),
        few if few < 0.095 => format!("{few:.2} %"),
        some => format!("{some:.1} %"),
    }
}

/// The finite values, in their order.
fn finite(values: impl IntoIterator<Item = f64>) -> Vec<f64> {
    let mut values: Vec<f64> = values.into_iter().filter(|v| v.is_finite()).collect();
    values.sort_unstable_by(f64::total_cmp);
    values
}

/// Where colours begin and end; they begin at `from` where that is given. 0 without values.
fn ends(sorted: &[f64], from: Option<f64>) -> [f64; 2] {
    let (Some(&smallest), Some(&largest)) = (sorted.first(), sorted.last()) else { return [0.0; 2] };
    let percentile = |share: f64| sorted[(share * (sorted.len() - 1) as f64).round() as usize];
    let (low, high) = (from.unwrap_or_else(|| percentile(BEYOND)), percentile(1.0 - BEYOND));
    if high <= low {
        return [from.unwrap_or(smallest), largest];
    }
    let reach = NEAR * (high - low);
    let end = |end: f64, extreme: f64| if (extreme - end).abs() <= reach { extreme } else { end };
    [if from.is_some() { low } else { end(low, smallest) }, end(high, largest)]
}

/// Shares of the values below and above a range.
fn clipped(sorted: &[f64], low: f64, high: f64) -> [f64; 2] {
    let below = sorted.partition_point(|&v| v < low);
    let above = sorted.len() - sorted.partition_point(|&v| v <= high);
    [below, above].map(|count| count as f64 / sorted.len().max(1) as f64)
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
            assert!(scale.high > scale.low && scale.told().is_empty());
        }
        assert!(ColourScale::diverging([]).high > 0.0);
    }

    /// Numbers that look random, from 0 to 1.
    fn random(seed: u64) -> impl Iterator<Item = f64> {
        let next =
            |state: &u64| Some(state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407));
        std::iter::successors(next(&seed), next).map(|state| (state >> 11) as f64 / (1u64 << 53) as f64)
    }

    #[test]
    fn shares_beyond_the_ends_are_those_counted() {
        for seed in 0..40 {
            let count = 1 + (seed as usize * 97) % 3000;
            // Some with long tails on either side.
            let tail = 1 + seed as i32 % 5;
            let values: Vec<f64> = random(seed).take(count).map(|x| (2.0 * x - 1.0).powi(2 * tail - 1) + 0.1).collect();
            let magnitudes = || values.iter().map(|v| v.abs());
            for (scale, values) in [
                (ColourScale::diverging(values.iter().copied()), values.clone()),
                (ColourScale::sequential(magnitudes()), magnitudes().collect()),
            ] {
                let share =
                    |beyond: &dyn Fn(f64) -> bool| values.iter().filter(|&&v| beyond(v)).count() as f64 / count as f64;
                assert_eq!(scale.clipped, [share(&|v| v < scale.low), share(&|v| v > scale.high)]);
                assert!(scale.clipped.iter().all(|&share| share <= BEYOND + 0.5 / count as f64), "{:?}", scale.clipped);
            }
        }
    }

    #[test]
    fn single_values_far_beyond_are_clipped_and_near_ones_are_not() {
        let flat = |last: f64| ColourScale::sequential((0..1000).map(|i| f64::from(i) / 1000.0).chain([last]));
        assert_eq!((flat(1.08).high, flat(1.08).told()), (1.08, String::new()));
        let far = flat(7.0);
        assert!((0.99..1.0).contains(&far.high) && far.told() == "0.5 % above", "{} {}", far.high, far.told());
        let two = ColourScale::diverging((-1000..1000).map(f64::from).chain([-1e5, 1e6]));
        assert_eq!((two.low, two.high, two.told().as_str()), (-991.0, 991.0, "0.5 % below, 0.4 % above"));
        // Hardly anything moves: the colours are those of what does.
        let few = ColourScale::sequential((0..1000).map(|i| f64::from(u8::from(i == 7))));
        assert_eq!((few.high, few.told()), (1.0, String::new()));
        assert_eq!([0.25, 0.0052, 0.00031, 1e-6].map(percent), ["25.0 %", "0.5 %", "0.03 %", "< 0.01 %"]);
    }
}
