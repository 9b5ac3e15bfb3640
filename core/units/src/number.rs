//! Numbers as people read them: metric prefixes, round ticks, short text.

use std::ops::Range;

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

/// Whether a prefix stands before a unit: not before a power, as it would be raised too, not before kilograms, which
/// have one, not before kelvins, which nobody counts in thousands, and not where there is no unit.
fn takes_prefix(unit: &str) -> bool {
    let after = unit.trim_start_matches(char::is_alphabetic);
    let is_power = after.starts_with(|c: char| c.is_ascii_digit() || c == '\u{b2}' || c == '\u{b3}');
    !(unit.is_empty() || unit == "K" || unit.starts_with("kg") || is_power)
}

impl Prefix {
    /// The prefix before `unit` under which `size` reads as a number from 1 to 1000; none where none can stand.
    pub fn before(unit: &str, size: f64) -> Self {
        if takes_prefix(unit) { Self::of(size) } else { Self { factor: 1.0, symbol: "" } }
    }
}

/// Sizes that read well under a metric prefix.
const PREFIXED: Range<f64> = 1e-12..1e15;

/// Sizes that read well without a prefix or a power of ten.
const PLAIN: Range<f64> = 1e-2..1e5;

/// Values that exceed their range by more than this factor are told from a number near all of them.
const NARROW: f64 = 1e3;

/// How values along an axis are written: `(value - offset) * factor` is a short number of `unit`.
#[derive(Clone, Debug, PartialEq)]
pub struct Shown {
    /// What is taken from a value in the plain unit; not 0 where values differ by a small part of their size.
    pub offset: f64,
    /// What the rest is multiplied by.
    pub factor: f64,
    /// The unit with a metric prefix or a power of ten; empty for plain numbers.
    pub unit: String,
    /// How the offset with its unit is taken off, as text; empty for 0.
    from: String,
}

impl Shown {
    /// Values as they are, in a unit; empty for none.
    pub fn plain(unit: &str) -> Self {
        Self { offset: 0.0, factor: 1.0, unit: unit.to_owned(), from: String::new() }
    }

    /// Values from `low` to `high` of a plain SI unit; empty for none.
    pub fn over(unit: &str, low: f64, high: f64) -> Self {
        let size = |offset: f64| (low - offset).abs().max((high - offset).abs());
        let (whole, span) = (size(0.0), high - low);
        if !(span > 0.0 && whole > NARROW * span && whole.is_finite()) {
            return Self::of(unit, whole);
        }
        let power = span.log10().ceil();
        let step = 10f64.powf(power);
        let offset = (low / step).floor() * step;
        let number = if PLAIN.contains(&whole) {
            format!("{:.*}", (-power).clamp(0.0, 15.0) as usize, offset.abs())
        } else {
            format!("{:.*e}", (whole.log10().floor() - power).clamp(0.0, 15.0) as usize, offset.abs())
        };
        let sign = if offset < 0.0 { "+" } else { "\u{2212}" };
        let from = format!(" {sign} {number} {unit}").trim_end().to_owned();
        Self { offset, from, ..Self::of(unit, size(offset)) }
    }

    /// Values of a size.
    fn of(unit: &str, size: f64) -> Self {
        if takes_prefix(unit) && PREFIXED.contains(&size) {
            let Prefix { factor, symbol } = Prefix::of(size);
            return Self { factor, ..Self::plain(&format!("{symbol}{unit}")) };
        }
        if size == 0.0 || !size.is_finite() || PLAIN.contains(&size) {
            return Self::plain(unit);
        }
        let power = ((size.log10() + 1e-9) / 3.0).floor().clamp(-100.0, 100.0) as i32 * 3;
        let ten = power_of_ten(power);
        let unit = match unit.strip_prefix("1/") {
            Some(under) => format!("{ten}/{under}"),
            None => format!("{ten} {unit}").trim_end().to_owned(),
        };
        Self { factor: 10f64.powi(-power), ..Self::plain(&unit) }
    }

    /// What an axis of a quantity shows, e.g. `speed [mm/s]`.
    pub fn label(&self, quantity: &str) -> String {
        let unit = if self.unit.is_empty() { String::new() } else { format!(" [{}]", self.unit) };
        format!("{quantity}{}{unit}", self.from)
    }

    /// The number that is written for a value.
    pub fn number(&self, value: f64) -> f64 {
        (value - self.offset) * self.factor
    }

    /// The value for which a number is written.
    pub fn value(&self, number: f64) -> f64 {
        number / self.factor + self.offset
    }
}

/// A power of ten as it is printed.
pub fn power_of_ten(power: i32) -> String {
    const DIGITS: [char; 10] = [
        '\u{2070}', '\u{b9}', '\u{b2}', '\u{b3}', '\u{2074}', '\u{2075}', '\u{2076}', '\u{2077}', '\u{2078}',
        '\u{2079}',
    ];
    let raised = |letter: char| letter.to_digit(10).map_or('\u{207b}', |digit| DIGITS[digit as usize]);
    format!("10{}", power.to_string().chars().map(raised).collect::<String>())
}

/// `value` with its unit under a fitting metric prefix, e.g. `1.25 mm/s`. Powers such as
/// m2, kilograms and kelvins have none.
pub fn with_unit(value: f64, unit: &str) -> String {
    let prefix = Prefix::before(unit, value);
    format!("{} {}{unit}", short(value * prefix.factor), prefix.symbol)
}

/// `value` with its unit under a fitting metric prefix, to nine digits: as it was given, without what its conversion to
/// SI left.
pub fn as_given(value: f64, unit: &str) -> String {
    let prefix = Prefix::before(unit, value);
    let rounded = format!("{:.8e}", value * prefix.factor).parse().unwrap_or(value);
    format!("{} {}{unit}", exact(rounded), prefix.symbol)
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
        assert_eq!(with_unit(1.5e-24, "kg m/s"), "1.500e-24 kg m/s");
    }

    #[test]
    fn axes_have_units_that_can_be_read() {
        for (unit, high, wanted) in [
            ("kg m/s", 2e-24, "10\u{207b}\u{b2}\u{2074} kg m/s"),
            ("kg m/s", 2e-8, "10\u{207b}\u{2079} kg m/s"),
            ("kg/m3", 2e3, "kg/m3"),
            ("kg/m3", 2e7, "10\u{2076} kg/m3"),
            ("kg", 2e-15, "10\u{207b}\u{b9}\u{2075} kg"),
            ("1/m", 2e7, "10\u{2076}/m"),
            ("1/m", 2.0, "1/m"),
            ("m\u{b2}", 2e-8, "10\u{207b}\u{2079} m\u{b2}"),
            ("J", 2e-24, "10\u{207b}\u{b2}\u{2074} J"),
            ("J", 2e-8, "nJ"),
            ("m", 2e-6, "\u{b5}m"),
            ("Pa", 2e7, "MPa"),
            ("K", 300.0, "K"),
            ("", 2e-8, "10\u{207b}\u{2079}"),
            ("", 2e3, ""),
            ("", 2e7, "10\u{2076}"),
        ] {
            assert_eq!(Shown::over(unit, 0.0, high).unit, wanted, "{high} {unit}");
        }
        assert_eq!(Shown::over("m/s", 0.0, 2e-3).label("speed"), "speed [mm/s]");
        assert_eq!(Shown::over("", 0.0, 2.0).label("share"), "share");
        assert_eq!(Shown::over("", f64::NAN, f64::NAN), Shown::plain(""));
    }

    #[test]
    fn marks_of_axes_are_short() {
        for unit in ["kg m/s", "kg/m3", "1/m", "J", "m", "Pa", "K", ""] {
            for power in -30..20 {
                for (low, high) in [(0.0, 1.0), (0.0, 9.97), (-3.0, 2.0), (1.2, 1.3), (7.123_456, 7.123_457)] {
                    let [low, high] = [low, high].map(|x| x * 10f64.powi(power));
                    let shown = Shown::over(unit, low, high);
                    let (marks, decimals) = ticks(shown.number(low), shown.number(high), 8);
                    assert!(marks.len() > 2, "{low} to {high} {unit}: {marks:?}");
                    for mark in marks {
                        let text = format!("{mark:.decimals$}");
                        assert!(text.trim_start_matches('-').len() <= 6, "{low} to {high} {unit}: {text}, {shown:?}");
                        let (value, room) = (shown.value(mark), 1e-6 * (high - low));
                        assert!((low - room..=high + room).contains(&value), "{low} to {high} {unit}: {value}");
                    }
                }
            }
        }
    }

    #[test]
    fn narrow_ranges_are_told_from_a_number_near_them() {
        let shown = Shown::over("kg/m3", 999.998, 1000.003);
        assert_eq!(shown.label("density"), "density \u{2212} 999.99 kg/m3 [kg/m3]");
        assert!((shown.number(1000.0) - 0.01).abs() < 1e-9);
        let below = Shown::over("K", -300.000_18, -300.000_13);
        assert_eq!(below.label("x"), "x + 300.0002 K [10\u{207b}\u{2076} K]");
        let shown = Shown::over("kg", 1.000_01e-14, 1.000_02e-14);
        assert!(shown.label("mass").starts_with("mass \u{2212} 1.0000"), "{}", shown.label("mass"));
        assert_eq!(Shown::over("kg/m3", 990.0, 1010.0).label("density"), "density [kg/m3]");
    }

    #[test]
    fn given_numbers_are_told_as_they_were() {
        assert_eq!(as_given(100.0 * 1e-6, "s"), "100 \u{b5}s");
        assert_eq!(as_given(15.5, "s"), "15.5 s");
        assert_eq!(as_given(0.0, "s"), "0 s");
        assert_eq!(as_given(1.234_567_8e-3, "s"), "1.2345678 ms");
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
