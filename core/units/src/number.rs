//! Numbers as people read them: metric prefixes, round ticks, short text.

/// A metric prefix for a unit: `value * factor` is in `symbol` + unit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Prefix {
    /// What a value in the plain unit is multiplied by.
    pub factor: f64,
    /// The symbol before the unit.
    pub symbol: &'static str,
}

impl Prefix {
    /// The prefix under which `size` reads as a number from 1 to 1000.
    pub fn of(size: f64) -> Self {
        const PREFIXES: [(i32, &str); 9] =
            [(-12, "p"), (-9, "n"), (-6, "\u{b5}"), (-3, "m"), (0, ""), (3, "k"), (6, "M"), (9, "G"), (12, "T")];
        let size = size.abs();
        let plain = size == 0.0 || !size.is_finite();
        let wanted = if plain { 0 } else { ((size.log10() + 1e-9) / 3.0).floor() as i32 * 3 };
        let (power, symbol) = PREFIXES[((wanted.clamp(-12, 12) + 12) / 3) as usize];
        Self { factor: 10f64.powi(-power), symbol }
    }
}

/// Whether a prefix stands before a unit: not before a power, as it would be raised too, not before kelvins, which nobody counts in
/// thousands, and not where there is no unit.
fn takes_prefix(unit: &str) -> bool {
    let after = unit.trim_start_matches(char::is_alphabetic);
    let is_power = after.starts_with(|c: char| c.is_ascii_digit() || c == '\u{b2}' || c == '\u{b3}');
    !(unit.is_empty() || unit == "K" || is_power)
}

impl Prefix {
    /// The prefix before `unit` under which `size` reads as a number from 1 to 1000; none where none can stand.
    pub fn before(unit: &str, size: f64) -> Self {
        if takes_prefix(unit) { Self::of(size) } else { Self { factor: 1.0, symbol: "" } }
    }
}

/// `value` with its unit under a fitting metric prefix, e.g. `1.25 mm/s`. Powers such as
/// m2 and kelvins have none.
pub fn with_unit(value: f64, unit: &str) -> String {
    let prefix = Prefix::before(unit, value);
    format!("{} {}{unit}", short(value * prefix.factor), prefix.symbol)
}

/// Four significant digits without trailing zeros, in exponent form where the number is very large or small.
pub fn short(value: f64) -> String {
    if value == 0.0 || !value.is_finite() {
        return format!("{value}");
    }
    let power = value.abs().log10().floor() as i32;
    if !(-3..6).contains(&power) {
        return format!("{value:.3e}");
    }
    let text = format!("{value:.*}", (3 - power).max(0) as usize);
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

/// The shortest text that reads back as the same number, for CSV.
pub fn exact(value: f64) -> String {
    let size = value.abs();
    if size == 0.0 || (1e-4..1e9).contains(&size) { format!("{value}") } else { format!("{value:e}") }
}

/// About `count` round numbers in `low..=high`, spaced by 1, 2 or 5 times a power of ten, and the number of decimals
/// that tells them apart.
pub fn ticks(low: f64, high: f64, count: usize) -> (Vec<f64>, usize) {
    let span = high - low;
    if !(span > 0.0 && span.is_finite()) || count == 0 {
        return (vec![low], 3);
    }
    let rough = span / count as f64;
    let step = round_up(rough);
    let first = (low / step - 1e-9).ceil();
    let last = (high / step + 1e-9).floor();
    let number = ((last - first).max(0.0) as usize).min(10 * count);
    let ticks = (0..=number).map(|i| (first + i as f64) * step).collect();
    (ticks, (-step.log10() - 1e-9).ceil().clamp(0.0, 12.0) as usize)
}

/// The smallest of 1, 2, 5 times a power of ten that is not below `value`.
pub fn round_up(value: f64) -> f64 {
    let power = 10f64.powf(value.log10().floor());
    [1.0, 2.0, 5.0, 10.0].map(|m| m * power).into_iter().find(|&v| v >= value * (1.0 - 1e-9)).unwrap_or(10.0 * power)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prefixes_and_short_text() {
        assert_eq!(with_unit(1.25e-3, "m/s"), "1.25 mm/s");
        assert_eq!(with_unit(1e-3, "m"), "1 mm");
        assert_eq!(with_unit(0.0, "Pa"), "0 Pa");
        // A square nanometre is no billionth of a square metre.
        assert_eq!(with_unit(1e-9, "m2/s"), "1.000e-9 m2/s");
        assert_eq!(with_unit(-123_456.0, "Pa"), "-123.5 kPa");
        assert_eq!(short(1e-15), "1.000e-15");
        assert_eq!(short(999_900.0), "999900");
        assert_eq!(with_unit(1e-30, "m"), "1.000e-18 pm");
    }

    #[test]
    fn ticks_are_round() {
        let (t, decimals) = ticks(0.0, 1.0, 5);
        assert_eq!((t.len(), decimals), (6, 1));
        let (t, _) = ticks(-3.7, 12.0, 4);
        assert_eq!(t, [0.0, 5.0, 10.0]);
        assert_eq!(ticks(2.0, 2.0, 4).0, [2.0]);
    }

    #[test]
    fn exact_text_reads_back() {
        for v in [0.1 + 0.2, 1e-300, -7.25e12, 0.0, 123.0] {
            assert_eq!(exact(v).parse::<f64>(), Ok(v));
        }
    }
}
