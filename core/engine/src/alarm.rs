//! What a run warns of.

/// A warning: said once of each kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Alarm {
    /// What tells it from others, e.g. "mach", "backflow:OPENING", "creases:POPULATION".
    pub kind: String,
    /// What to say.
    pub text: String,
}
