//! The reduced dumps of a run.

use hematite_dump::DumpStep;
use hematite_stats::chart::{Axis, Chart, Curve, Style};
use hematite_stats::suspension::Member;
use hematite_stats::suspension::bins::Bins;
use hematite_stats::suspension::occupancy::occupancy;
use hematite_stats::table::Table;
use hematite_units::number::exact;

use super::Setup;
use super::profile::{Samples, cell};

/// One reduced dump: `P` for each population, `A` for all members together.
pub struct Dump<P, A> {
    pub at: DumpStep,
    /// Whether means include it.
    pub averaged: bool,
    pub populations: Vec<P>,
    pub all: A,
}

/// All dumps of a run.
pub struct Series<P, A = ()> {
    pub dumps: Vec<Dump<P, A>>,
    /// Samples for each of the setup's bins.
    pub profiles: Vec<Samples>,
    /// Largest share of the volume of members outside the fluid nodes, over all dumps.
    pub outside: f64,
}

/// A number of a population in each dump.
pub struct Quantity<P> {
    /// Name of its column in the table of dumps.
    pub column: String,
    pub value: fn(&P) -> f64,
    pub summary: Summary,
}

/// The statistic of a number over all dumps in a summary, with its name.
pub enum Summary {
    Nothing,
    /// The mean over the dumps in means, with its error.
    Mean(String),
    /// The value of largest magnitude in any dump.
    Largest(String),
}

impl<P> Quantity<P> {
    /// A quantity that summaries leave out.
    pub fn new(column: impl Into<String>, value: fn(&P) -> f64) -> Self {
        Self { column: column.into(), value, summary: Summary::Nothing }
    }

    /// A quantity whose mean has the name of its column.
    pub fn averaged(column: &str, value: fn(&P) -> f64) -> Self {
        Self::new(column, value).mean(column)
    }

    /// Adds its mean to summaries, called `name`.
    pub fn mean(self, name: impl Into<String>) -> Self {
        Self { summary: Summary::Mean(name.into()), ..self }
    }

    /// Adds its value of largest magnitude to summaries, called `name`.
    pub fn largest(self, name: impl Into<String>) -> Self {
        Self { summary: Summary::Largest(name.into()), ..self }
    }
}

impl<P, A> Series<P, A> {
    /// No dumps yet.
    pub fn new(setup: &Setup) -> Self {
        let profiles = setup.bins.iter().map(|_| Samples::new(setup.names.len())).collect();
        Self { dumps: Vec::new(), profiles, outside: 0.0 }
    }

    /// Samples the profiles of a dump: hematocrit, and the quantities `others(bins)`, always in the same order.
    pub fn sample<M: Member>(&mut self, setup: &Setup, members: &[M], others: impl Fn(&Bins) -> Vec<Vec<f64>>) {
        let Some(nodes) = &setup.fluid.nodes else { return };
        let filled = occupancy(nodes, members, setup.names.len());
        self.outside = self.outside.max(filled.outside);
        for (bins, profile) in setup.bins.iter().zip(&mut self.profiles) {
            profile.push(bins, &filled, others(bins));
        }
    }

    /// The dumps in means.
    pub fn averaged(&self) -> impl Iterator<Item = &Dump<P, A>> {
        self.dumps.iter().filter(|dump| dump.averaged)
    }

    /// A table of each dump and population; with `averaged`, also whether means include the dump.
    pub fn table(&self, setup: &Setup, averaged: bool, quantities: &[Quantity<P>]) -> Table {
        let mut header = vec!["step", "time_s"];
        header.extend(averaged.then_some("averaged"));
        header.push("population");
        let mut table =
            Table::new(header.into_iter().chain(quantities.iter().map(|quantity| quantity.column.as_str())));
        for dump in &self.dumps {
            for &kind in &setup.populations {
                let mut row = vec![dump.at.step.to_string(), exact(dump.at.time)];
                row.extend(averaged.then(|| u8::from(dump.averaged).to_string()));
                row.push(setup.names[kind].clone());
                row.extend(quantities.iter().map(|quantity| cell(Some((quantity.value)(&dump.populations[kind])))));
                table.push(row);
            }
        }
        table
    }

    /// A number over time; NaN where unknown.
    pub fn points(&self, value: impl Fn(&Dump<P, A>) -> f64) -> Vec<[f64; 2]> {
        self.dumps.iter().map(|dump| [dump.at.time, value(dump)]).collect()
    }

    /// A number of each population over time.
    pub fn curves(&self, setup: &Setup, style: Style, value: fn(&P) -> f64) -> Vec<Curve> {
        let curve = |(k, &kind): (usize, &usize)| {
            Curve::new(setup.names[kind].clone(), self.points(|dump| value(&dump.populations[kind])), style, k)
        };
        setup.populations.iter().enumerate().map(curve).collect()
    }
}

/// A chart over time.
pub fn over_time(title: &str, y: Axis, curves: Vec<Curve>) -> Chart {
    Chart::new(title, Axis::new("time", "s").from_zero(), y, curves)
}

/// The beginning of a row about one member in one dump; the columns are `step`, `time_s`, its number, `population`.
pub fn member_row(at: DumpStep, id: u64, population: &str, numbers: impl Iterator<Item = f64>) -> Vec<String> {
    let start = [at.step.to_string(), exact(at.time), id.to_string(), population.to_owned()];
    start.into_iter().chain(numbers.map(|v| cell(Some(v)))).collect()
}
