//! What is known of a run before its first step, in numbers.

use serde::Serialize;

/// A number that tells how a run will go, with what there is to do about it.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Figure {
    /// What it is, e.g. "Mach number".
    pub name: &'static str,
    /// Of what: an opening, a population; empty for the run as a whole.
    pub of: String,
    /// The number; none where only a note tells.
    pub value: Option<f64>,
    /// Its SI unit; empty for a pure number.
    pub unit: &'static str,
    /// How it is made, or what it follows from.
    pub note: String,
    /// What to change, where the number asks for it.
    pub advice: Option<String>,
}

impl Figure {
    /// A number of the whole run.
    pub fn new(name: &'static str, value: f64, unit: &'static str) -> Self {
        Self { name, value: Some(value), unit, ..Self::default() }
    }

    /// The same of something.
    #[must_use]
    pub fn of(self, of: impl Into<String>) -> Self {
        Self { of: of.into(), ..self }
    }

    /// The same with a note.
    #[must_use]
    pub fn noted(self, note: impl Into<String>) -> Self {
        Self { note: note.into(), ..self }
    }

    /// The same with advice, where there is some.
    #[must_use]
    pub fn advised(self, advice: Option<String>) -> Self {
        Self { advice, ..self }
    }
}
