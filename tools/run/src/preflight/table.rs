//! Numbers as a table for people, or as JSON.

use hematite_config::{Fault, Result};
use hematite_engine::Figure;
use hematite_units::number::{short, with_unit};

/// A line each, the advice below the numbers.
pub fn text(figures: &[Figure]) -> String {
    let name = |figure: &Figure| match figure.of.as_str() {
        "" => figure.name.to_owned(),
        of => format!("{of}: {}", figure.name),
    };
    let value = |figure: &Figure| match figure.value {
        Some(value) if figure.unit.is_empty() => short(value),
        Some(value) if figure.unit == "s" => duration(value),
        Some(value) => with_unit(value, figure.unit),
        None => String::new(),
    };
    let width = |of: &dyn Fn(&Figure) -> String| figures.iter().map(|f| of(f).chars().count()).max().unwrap_or(0);
    let (names, values) = (width(&name), width(&value));
    let mut lines: Vec<String> = Vec::with_capacity(figures.len());
    for figure in figures {
        let (name, value) = (name(figure), value(figure));
        lines.push(format!("{name:<names$}  {value:>values$}  {}", figure.note).trim_end().to_owned());
    }
    let advice = figures.iter().filter_map(|figure| Some((name(figure), value(figure), figure.advice.as_ref()?)));
    lines.extend(advice.map(|(name, value, advice)| format!("advice: {name} {value}: {advice}")));
    lines.join("\n")
}

/// The same for programs: an array of objects.
///
/// # Errors
/// Where a number cannot be written.
pub fn json(figures: &[Figure]) -> Result<String> {
    serde_json::to_string_pretty(figures).map_err(|error| Fault::io(error.to_string()))
}

/// A time as people read it: hours and minutes where it is long.
fn duration(seconds: f64) -> String {
    if !(120.0..1e9).contains(&seconds) {
        return with_unit(seconds, "s");
    }
    let minutes = (seconds / 60.0).round() as u64;
    match (minutes / 1440, minutes / 60 % 24, minutes % 60) {
        (0, 0, minutes) => format!("{minutes} min"),
        (0, hours, minutes) => format!("{hours} h {minutes} min"),
        (days, hours, _) => format!("{days} d {hours} h"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_stand_below_each_other_and_advice_below_them() {
        let figures = [
            Figure::new("Mach number", 0.25, "").advised(Some("slow down".into())),
            Figure::new("largest velocity", 0.005, "m/s").of("inlet").noted("{}"),
            Figure { name: "pressure", of: "out".into(), ..Figure::default() },
            Figure::new("expected time", 7500.0, "s"),
        ];
        let text = text(&figures);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(
            lines,
            [
                "Mach number                   0.25",
                "inlet: largest velocity     5 mm/s  {}",
                "out: pressure",
                "expected time            2 h 5 min",
                "advice: Mach number 0.25: slow down",
            ]
        );
        let read: serde_json::Value = serde_json::from_str(&json(&figures).expect("writes")).expect("JSON");
        assert_eq!(
            (&read[1]["of"], &read[1]["value"], &read[2]["value"]),
            (&"inlet".into(), &0.005.into(), &().into())
        );
    }

    #[test]
    fn times_are_read_easily() {
        let read = [2e-3, 119.0, 120.0, 3660.0, 90_000.0].map(duration);
        assert_eq!(read, ["2 ms", "119 s", "2 min", "1 h 1 min", "1 d 1 h"]);
    }
}
