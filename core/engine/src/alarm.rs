//! Warnings of a run.

/// A warning; each kind is given once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Alarm {
    /// Kind, e.g. "mach", "backflow:OPENING", "creases:POPULATION".
    pub kind: String,
    /// The message.
    pub text: String,
}
