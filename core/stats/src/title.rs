//! What figures say of their origin: the run and the time.

use hematite_units::number::{Prefix, short, with_unit};

/// The tool that draws figures, as their files name it.
pub const TOOL: &str = "post";

/// The run that figures are of, and the time that they show.
#[derive(Clone, Debug, PartialEq)]
pub struct Origin {
    /// Name of the run.
    pub run: String,
    /// First and last time, s; the same for a single one.
    pub times: [f64; 2],
    /// Whether a single time is the end of a span over which the figure shows means.
    pub averaged: bool,
}

impl Origin {
    /// The title of a figure of something, e.g. "tube: speed, t = 2 ms".
    pub fn title(&self, what: &str) -> String {
        let [first, last] = self.times;
        if first == last {
            let up_to = if self.averaged { "mean up to " } else { "" };
            return format!("{}: {what}, {up_to}t = {}", self.run, with_unit(last, "s"));
        }
        let Prefix { factor, symbol } = Prefix::of(first.abs().max(last.abs()));
        format!("{}: {what}, t = {} to {} {symbol}s", self.run, short(first * factor), short(last * factor))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_a_prefix() {
        let title = |times, averaged| Origin { run: "tube".to_owned(), times, averaged }.title("speed");
        assert_eq!(title([2e-3, 2e-3], false), "tube: speed, t = 2 ms");
        assert_eq!(title([2e-3, 2e-3], true), "tube: speed, mean up to t = 2 ms");
        assert_eq!(title([0.0, 2.5e-2], false), "tube: speed, t = 0 to 25 ms");
    }
}
