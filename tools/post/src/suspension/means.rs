//! Statistics of a population over all dumps of a run.

use hematite_config::{Result, print_line};
use hematite_dump::{Kind, RunState};
use hematite_stats::suspension::blocks::{Estimate, estimate};
use hematite_stats::table::write_json;
use hematite_units::number::{short, with_unit};
use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};

use super::series::{Quantity, Series, Summary};
use super::{Setup, largest};
use crate::output::Output;
use crate::say;

/// Statistics of one population, by name.
pub struct Means {
    pub name: String,
    pub numbers: Vec<(String, Number)>,
}

/// A statistic over all dumps.
#[derive(Serialize)]
#[serde(untagged)]
pub enum Number {
    Mean(Option<Estimate>),
    Plain(Option<f64>),
    Direction(Option<[f64; 3]>),
}

impl Serialize for Means {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("name", &self.name)?;
        for (name, number) in &self.numbers {
            map.serialize_entry(name, number)?;
        }
        map.end()
    }
}

impl Means {
    /// The statistics of each population of the setup.
    pub fn of<P, A>(setup: &Setup, series: &Series<P, A>, quantities: &[Quantity<P>]) -> Vec<Self> {
        let number = |kind: usize, quantity: &Quantity<P>| match &quantity.summary {
            Summary::Nothing => None,
            Summary::Mean(name) => {
                let values = series.averaged().map(|dump| (quantity.value)(&dump.populations[kind]));
                Some((name.clone(), Number::Mean(estimate(values))))
            }
            Summary::Largest(name) => {
                let values = series.dumps.iter().map(|dump| (quantity.value)(&dump.populations[kind]));
                Some((name.clone(), Number::Plain(Some(largest(values)))))
            }
        };
        let of = |&kind: &usize| Self {
            name: setup.names[kind].clone(),
            numbers: quantities.iter().filter_map(|quantity| number(kind, quantity)).collect(),
        };
        setup.populations.iter().map(of).collect()
    }

    /// The mean called `name`, if known.
    pub fn mean(&self, name: &str) -> Option<Estimate> {
        self.numbers.iter().find_map(|(own, number)| match number {
            Number::Mean(mean) if own == name => *mean,
            _ => None,
        })
    }

    /// The plain number called `name`, if known.
    pub fn plain(&self, name: &str) -> Option<f64> {
        self.numbers.iter().find_map(|(own, number)| match number {
            Number::Plain(number) if own == name => *number,
            _ => None,
        })
    }

    /// A text with the number of members, called `what`, and those of `means` (label, name, unit) that are known.
    pub fn told(&self, what: &str, means: &[(&str, &str, &str)]) -> String {
        let mean = |&(label, name, unit): &(&str, &str, &str)| {
            let e = self.mean(name)?;
            Some(format!(", {label} {}", if unit.is_empty() { with_error(e) } else { with_unit(e.mean, unit) }))
        };
        let number = short(self.mean(what).map_or(0.0, |e| e.mean));
        format!("population {}: {number} {what}{}", self.name, means.iter().filter_map(mean).collect::<String>())
    }
}

/// Means over the dumps of a run.
pub trait Averages: Serialize {
    /// Prints the most important numbers.
    ///
    /// # Errors
    /// When stdout cannot be written to.
    fn print(&self) -> Result<()>;
}

/// Writes the means. Prints which files were written and which statistics were left out.
///
/// # Errors
/// When a file cannot be written.
pub fn publish<K: Kind>(
    averages: &impl Averages,
    run_state: RunState,
    left_out: &[String],
    output: &mut Output,
) -> Result<()> {
    /// Contents of `cells.json` or `bodies.json`.
    #[derive(Serialize)]
    struct Whole<'a, A> {
        #[serde(flatten)]
        averages: &'a A,
        run_state: RunState,
        left_out: &'a [String],
    }
    write_json(&output.file(format!("{}.json", K::FORM.what)), &Whole { averages, run_state, left_out })?;
    output.say()?;
    averages.print()?;
    say::left_out(left_out);
    Ok(())
}

/// Prints the number of dumps in means.
pub fn print_span(dumps: usize, average_from: f64) -> Result<()> {
    print_line(&format!("means over {dumps} dumps from t = {} on", with_unit(average_from, "s")))
}

/// A mean as text, with its error to two significant digits, if known.
pub fn with_error(e: Estimate) -> String {
    match e.standard_error {
        Some(0.0) => format!("{} +- 0", short(e.mean)),
        Some(error) => format!("{} +- {error:.1e}", short(e.mean)),
        None => short(e.mean),
    }
}
