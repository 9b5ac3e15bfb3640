//! Text such as `"1.2 mPa s"` or `"9.81 m/s^2"` to a number in SI and its dimension.
//!
//! Grammar: `number [factor { ("*" | " " | "/") factor }]`, `factor = [prefix] unit ["^"] [integer]`.
//! A slash divides by the one factor that follows it.

use crate::Dimension;

/// Why a text is not a quantity.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnitError(pub String);

impl std::fmt::Display for UnitError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for UnitError {}

/// Symbol, size in SI, dimension, and whether a metric prefix may stand before it.
const UNITS: &[(&str, f64, Dimension, bool)] = &[
    ("m", 1.0, Dimension::new(1, 0, 0), true),
    ("g", 1e-3, Dimension::new(0, 1, 0), true),
    ("s", 1.0, Dimension::new(0, 0, 1), true),
    ("K", 1.0, Dimension { temperature: 1, ..Dimension::new(0, 0, 0) }, true),
    ("N", 1.0, Dimension::new(1, 1, -2), true),
    ("Pa", 1.0, Dimension::new(-1, 1, -2), true),
    ("J", 1.0, Dimension::new(2, 1, -2), true),
    ("W", 1.0, Dimension::new(2, 1, -3), true),
    ("Hz", 1.0, Dimension::new(0, 0, -1), true),
    ("L", 1e-3, Dimension::new(3, 0, 0), true),
    ("l", 1e-3, Dimension::new(3, 0, 0), true),
    ("P", 0.1, Dimension::new(-1, 1, -1), true),
    ("bar", 1e5, Dimension::new(-1, 1, -2), true),
    ("dyn", 1e-5, Dimension::new(1, 1, -2), true),
    ("mmHg", 133.322_387_415, Dimension::new(-1, 1, -2), false),
    ("cmH2O", 98.0665, Dimension::new(-1, 1, -2), false),
    ("min", 60.0, Dimension::new(0, 0, 1), false),
    ("h", 3600.0, Dimension::new(0, 0, 1), false),
    ("d", 86_400.0, Dimension::new(0, 0, 1), false),
    ("%", 0.01, Dimension::new(0, 0, 0), false),
    ("1", 1.0, Dimension::new(0, 0, 0), false),
];

const PREFIXES: &[(&str, f64)] = &[
    ("da", 1e1),
    ("a", 1e-18),
    ("f", 1e-15),
    ("p", 1e-12),
    ("n", 1e-9),
    ("u", 1e-6),
    ("\u{b5}", 1e-6),
    ("\u{3bc}", 1e-6),
    ("m", 1e-3),
    ("c", 1e-2),
    ("d", 1e-1),
    ("h", 1e2),
    ("k", 1e3),
    ("M", 1e6),
    ("G", 1e9),
];

/// Reads a quantity: its value in SI units, and its dimension.
///
/// # Errors
/// When the number is missing or not finite, or a unit is unknown; the message names the piece that failed.
pub fn parse(text: &str) -> Result<(f64, Dimension), UnitError> {
    let text = text.trim();
    let (number, rest) = split_number(text);
    let mut value: f64 = number.parse().map_err(|_| {
        UnitError(format!("\"{text}\" does not start with a number (write e.g. \"{}\")", example(text)))
    })?;
    let mut dimension = Dimension::default();
    let spaced = rest.replace('/', " / ").replace(['*', '\u{b7}'], " ");
    let mut sign = 1;
    for token in spaced.split_whitespace() {
        if token == "/" {
            if sign < 0 {
                return Err(UnitError(format!("\"{text}\": two slashes follow each other")));
            }
            sign = -1;
            continue;
        }
        let (size, unit, power) = factor(token).ok_or_else(|| {
            UnitError(format!("\"{text}\": unknown unit \"{token}\" (known: m g s K N Pa J W Hz L P bar dyn mmHg cmH2O min h d %, with prefixes a f p n u m c d k M G)"))
        })?;
        value *= size.powi(i32::from(sign * power));
        dimension = dimension.times(unit, sign * power);
        sign = 1;
    }
    if sign < 0 {
        return Err(UnitError(format!("\"{text}\" ends with a slash")));
    }
    if !value.is_finite() {
        return Err(UnitError(format!("\"{text}\" is not finite")));
    }
    Ok((value, dimension))
}

/// One of what `text` names, if it is a unit without its number.
fn example(text: &str) -> String {
    let one = format!("1 {text}");
    let is_unit = text.starts_with(char::is_alphabetic) && parse(&one).is_ok();
    if is_unit { one } else { "8 um".to_owned() }
}

/// Splits the longest numeric prefix off; `1e-3m` keeps its exponent, `3 m` has none.
fn split_number(text: &str) -> (&str, &str) {
    let bytes = text.as_bytes();
    let mut end = 0;
    while end < bytes.len() {
        let previous = if end > 0 { bytes[end - 1] } else { b' ' };
        let accepted = match bytes[end] {
            b'0'..=b'9' | b'.' => true,
            b'+' | b'-' => end == 0 || matches!(previous, b'e' | b'E'),
            b'e' | b'E' => {
                end > 0
                    && matches!(bytes.get(end + 1), Some(b'0'..=b'9' | b'+' | b'-'))
                    && !text[..end].contains(['e', 'E'])
            }
            _ => false,
        };
        if !accepted {
            break;
        }
        end += 1;
    }
    text.split_at(end)
}

/// Size in SI, dimension and exponent of one factor such as `mPa`, `s`, `m^3` or `m3`.
fn factor(token: &str) -> Option<(f64, Dimension, i8)> {
    if let Some((size, dimension)) = unit(token) {
        return Some((size, dimension, 1));
    }
    let cut = token.find(|c: char| c == '^' || c == '-' || c.is_ascii_digit())?;
    let (symbol, power) = token.split_at(cut);
    let power: i8 = power.strip_prefix('^').unwrap_or(power).parse().ok()?;
    if !(-9..=9).contains(&power) {
        return None;
    }
    unit(symbol).map(|(size, dimension)| (size, dimension, power))
}

fn unit(symbol: &str) -> Option<(f64, Dimension)> {
    if let Some(&(_, size, dimension, _)) = UNITS.iter().find(|u| u.0 == symbol) {
        return Some((size, dimension));
    }
    PREFIXES.iter().find_map(|&(prefix, scale)| {
        let rest = symbol.strip_prefix(prefix)?;
        let &(_, size, dimension, _) = UNITS.iter().find(|u| u.3 && u.0 == rest)?;
        Some((scale * size, dimension))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_units_of_the_field() {
        let cases = [
            ("8 um", 8e-6, Dimension::new(1, 0, 0)),
            ("1.2 mPa s", 1.2e-3, Dimension::new(-1, 1, -1)),
            ("1025 kg/m3", 1025.0, Dimension::new(-3, 1, 0)),
            ("9.81 m/s^2", 9.81, Dimension::new(1, 0, -2)),
            ("9.81 m s^-2", 9.81, Dimension::new(1, 0, -2)),
            ("1e-6 m^2/s", 1e-6, Dimension::new(2, 0, -1)),
            ("1 cP", 1e-3, Dimension::new(-1, 1, -1)),
            ("2 kPa/mm", 2e6, Dimension::new(-2, 1, -2)),
            ("0.5", 0.5, Dimension::default()),
            ("45 %", 0.45, Dimension::default()),
            ("3 uL/min", 5e-11, Dimension::new(3, 0, -1)),
            ("5min", 300.0, Dimension::new(0, 0, 1)),
            ("50 pN", 5e-11, Dimension::new(1, 1, -2)),
            ("6.3 uN/m", 6.3e-6, Dimension::new(0, 1, -2)),
            ("0.24 aJ", 2.4e-19, Dimension::new(2, 1, -2)),
            ("0.4 uPa s m", 4e-7, Dimension::new(0, 1, -1)),
        ];
        for (text, value, dimension) in cases {
            let (v, d) = parse(text).expect(text);
            assert!((v - value).abs() <= 1e-12 * value, "{text}: {v}");
            assert_eq!(d, dimension, "{text}");
        }
    }

    #[test]
    fn says_what_it_cannot_read() {
        for (text, piece) in [
            ("um", "number (write e.g. \"1 um\")"),
            ("fast", "number (write e.g. \"8 um\")"),
            ("3 fathom", "fathom"),
            ("3 m/", "slash"),
            ("", "number"),
            ("1e999 m", "finite"),
        ] {
            let message = parse(text).expect_err(text).0;
            assert!(message.contains(piece), "{text}: {message}");
        }
    }
}
