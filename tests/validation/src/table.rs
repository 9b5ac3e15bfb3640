//! What a case finds: rows of reference, our number and how far they may lie apart.

use std::fmt;

/// One comparison.
#[derive(Clone, Debug, PartialEq)]
pub struct Check {
    /// The case and the quantity compared.
    pub quantity: String,
    /// What it should be.
    pub reference: f64,
    /// What it is.
    pub ours: f64,
    /// How far apart they are.
    pub error: f64,
    /// How far apart they may be; `None` where the number is only reported.
    pub tolerance: Option<f64>,
}

impl Check {
    /// Whether the error is within the tolerance.
    pub fn passes(&self) -> bool {
        self.tolerance.is_none_or(|tolerance| self.error <= tolerance)
    }
}

/// The checks of one case.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    case: String,
    /// Its rows.
    pub checks: Vec<Check>,
}

impl Table {
    /// An empty table of the case `case`.
    pub fn new(case: &str) -> Self {
        Self { case: case.to_owned(), checks: Vec::new() }
    }

    /// Compares relative to the reference.
    pub fn relative(&mut self, quantity: impl fmt::Display, reference: f64, ours: f64, tolerance: f64) {
        self.push(quantity, reference, ours, ((ours - reference) / reference).abs(), Some(tolerance));
    }

    /// Compares absolutely.
    pub fn absolute(&mut self, quantity: impl fmt::Display, reference: f64, ours: f64, tolerance: f64) {
        self.push(quantity, reference, ours, (ours - reference).abs(), Some(tolerance));
    }

    /// A number that should be zero and stays below `tolerance`.
    pub fn below(&mut self, quantity: impl fmt::Display, ours: f64, tolerance: f64) {
        self.absolute(quantity, 0.0, ours, tolerance);
    }

    /// A number that should be `least` or more.
    pub fn at_least(&mut self, quantity: impl fmt::Display, least: f64, ours: f64) {
        self.push(quantity, least, ours, if ours >= least { 0.0 } else { least - ours }, Some(0.0));
    }

    /// A number that should be `most` or less.
    pub fn at_most(&mut self, quantity: impl fmt::Display, most: f64, ours: f64) {
        self.push(quantity, most, ours, if ours <= most { 0.0 } else { ours - most }, Some(0.0));
    }

    /// A number without judgement.
    pub fn note(&mut self, quantity: impl fmt::Display, reference: f64, ours: f64) {
        self.push(quantity, reference, ours, (ours - reference).abs(), None);
    }

    fn push(&mut self, quantity: impl fmt::Display, reference: f64, ours: f64, error: f64, tolerance: Option<f64>) {
        self.checks.push(Check { quantity: format!("{} {quantity}", self.case), reference, ours, error, tolerance });
    }

    /// The rows out of tolerance.
    pub fn failures(&self) -> impl Iterator<Item = &Check> {
        self.checks.iter().filter(|check| !check.passes())
    }
}

impl fmt::Display for Check {
    fn fmt(&self, to: &mut fmt::Formatter) -> fmt::Result {
        let tolerance = self.tolerance.map_or("-".to_owned(), |tolerance| format!("{tolerance:.1e}"));
        let verdict = match self.tolerance {
            None => "noted",
            Some(_) if self.passes() => "pass",
            Some(_) => "FAIL",
        };
        let Self { quantity, reference, ours, error, .. } = self;
        write!(to, "{quantity:<82} | {reference:>14.7e} | {ours:>14.7e} | {error:>8.1e} | {tolerance:>9} | {verdict}")
    }
}

impl Table {
    /// The heading that goes with the rows.
    pub fn heading() -> String {
        let names = ["case", "reference", "ours", "error", "tolerance"];
        let line =
            format!("{:<82} | {:>14} | {:>14} | {:>8} | {:>9} |", names[0], names[1], names[2], names[3], names[4]);
        format!("{line}\n{}", "-".repeat(line.len() + 6))
    }
}

impl fmt::Display for Table {
    fn fmt(&self, to: &mut fmt::Formatter) -> fmt::Result {
        self.checks.iter().try_for_each(|check| writeln!(to, "{check}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_a_number_fails() {
        let mut table = Table::new("F0");
        table.relative("a", 2.0, 2.1, 0.06);
        table.absolute("b", 2.0, f64::NAN, 1.0);
        table.note("c", 0.0, f64::NAN);
        table.at_least("d", 2.0, 2.0);
        table.at_most("e", 2.0, 2.0);
        table.at_least("f", 2.0, f64::NAN);
        table.at_most("g", 2.0, 2.1);
        let failed: Vec<_> = table.failures().map(|check| check.quantity.as_str()).collect();
        assert_eq!(failed, ["F0 b", "F0 f", "F0 g"]);
        assert!(table.to_string().contains("FAIL"));
    }
}
