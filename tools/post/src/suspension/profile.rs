//! Profiles across the vessel: samples, means, tables and charts.

use hematite_stats::chart::{Axis, Chart, Curve, Style};
use hematite_stats::suspension::bins::Bins;
use hematite_stats::suspension::blocks::{Estimate, estimate};
use hematite_stats::suspension::occupancy::Occupancy;
use hematite_stats::table::Table;
use hematite_units::number::exact;

use super::Setup;

/// Means over dumps, for each bin.
pub type Means = Vec<Option<Estimate>>;

/// Samples of profiles.
pub struct Samples {
    /// Hematocrit by population, dump and bin.
    hematocrit: Vec<Vec<Vec<f64>>>,
    /// Other quantities by quantity, dump and bin.
    others: Vec<Vec<Vec<f64>>>,
}

/// Profiles across the vessel: means over dumps.
pub struct Profile {
    pub hematocrit: Means,
    /// Hematocrit of each of the setup's populations.
    pub of_population: Vec<Means>,
    /// Other quantities, in the order of samples; empty if no dump has any.
    pub others: Vec<Means>,
}

impl Samples {
    /// No samples yet.
    pub fn new(populations: usize) -> Self {
        Self { hematocrit: vec![Vec::new(); populations], others: Vec::new() }
    }

    /// Adds a dump: the shares of nodes in each population, and other quantities, always in the same order.
    pub fn push(&mut self, bins: &Bins, filled: &Occupancy, others: Vec<Vec<f64>>) {
        for (share, samples) in filled.share.iter().zip(&mut self.hematocrit) {
            samples.push(bins.means(share.iter().map(|&v| f64::from(v))));
        }
        self.others.resize(self.others.len().max(others.len()), Vec::new());
        for (values, samples) in others.into_iter().zip(&mut self.others) {
            samples.push(values);
        }
    }

    /// The means over dumps.
    pub fn profile(&self, setup: &Setup) -> Profile {
        Profile {
            hematocrit: self.hematocrit_of_all(),
            of_population: setup.populations.iter().map(|&kind| estimates(&self.hematocrit[kind])).collect(),
            others: self.others.iter().map(|samples| estimates(samples)).collect(),
        }
    }

    fn hematocrit_of_all(&self) -> Means {
        let Some(first) = self.hematocrit.first() else { return Vec::new() };
        let sum = |dump: usize, b: usize| self.hematocrit.iter().map(|own| own[dump][b]).sum();
        let sums = first.iter().enumerate().map(|(dump, bins)| (0..bins.len()).map(|b| sum(dump, b)).collect());
        estimates(&sums.collect::<Vec<Vec<f64>>>())
    }
}

/// Means of samples, which are given by dump and bin.
fn estimates(samples: &[Vec<f64>]) -> Means {
    let bins = samples.first().map_or(0, Vec::len);
    (0..bins).map(|b| estimate(samples.iter().map(|sample| sample[b]))).collect()
}

/// A cell of a table; empty if the value is unknown.
pub fn cell(value: Option<f64>) -> String {
    value.filter(|v| v.is_finite()).map(exact).unwrap_or_default()
}

/// A column of means, and the name of the column of their errors, if any.
pub struct Column<'a> {
    pub name: String,
    pub error: Option<String>,
    pub means: &'a [Option<Estimate>],
}

impl Profile {
    /// The columns of hematocrit of the populations.
    pub fn columns_of_populations<'a>(&'a self, setup: &'a Setup) -> impl Iterator<Item = Column<'a>> {
        setup.populations.iter().zip(&self.of_population).map(|(&kind, means)| Column {
            name: format!("hematocrit_{}", setup.names[kind]),
            error: None,
            means,
        })
    }

    /// The quantity `number` of the others; empty if unknown.
    pub fn other(&self, number: usize) -> &[Option<Estimate>] {
        self.others.get(number).map_or(&[], Vec::as_slice)
    }

    /// A chart of hematocrit over the coordinate of the bins: of all members, and of each population if there are
    /// several.
    pub fn hematocrit_chart(&self, setup: &Setup, bins: &Bins) -> Chart {
        let several = self.of_population.len() > 1;
        let mut curves = Vec::new();
        if several {
            let each = setup.populations.iter().zip(&self.of_population).enumerate();
            curves.extend(each.map(|(k, (&kind, own))| curve(&setup.names[kind], bins, own, Style::Line, k + 1)));
        }
        curves.push(curve(if several { "all" } else { "" }, bins, &self.hematocrit, Style::Marks, 0));
        chart("hematocrit across the vessel", bins, Axis::new("hematocrit", ""), curves)
    }
}

/// A table of profiles, one row a bin.
pub fn table<'a>(bins: &Bins, columns: impl IntoIterator<Item = Column<'a>>) -> Table {
    let columns: Vec<Column> = columns.into_iter().collect();
    let names = columns.iter().flat_map(|column| std::iter::once(&column.name).chain(&column.error)).cloned();
    let mut table = Table::new([format!("{}_m", bins.across.name()), "nodes".to_owned()].into_iter().chain(names));
    for (b, (&coordinate, &nodes)) in bins.coordinate.iter().zip(&bins.nodes).enumerate() {
        let mut row = vec![exact(coordinate), nodes.to_string()];
        for column in &columns {
            let known = column.means.get(b).copied().flatten();
            row.push(cell(known.map(|e| e.mean)));
            row.extend(column.error.as_ref().map(|_| cell(known.and_then(|e| e.standard_error))));
        }
        table.push(row);
    }
    table
}

/// Means with their errors over the coordinate of the bins.
pub fn curve(name: &str, bins: &Bins, means: &[Option<Estimate>], style: Style, number: usize) -> Curve {
    let points = bins.coordinate.iter().zip(means).map(|(&x, y)| [x, y.map_or(f64::NAN, |y| y.mean)]).collect();
    let errors = means.iter().map(|y| y.and_then(|y| y.standard_error).unwrap_or(f64::NAN)).collect();
    Curve { errors, ..Curve::new(name, points, style, number) }
}

/// A chart over the coordinate of the bins.
pub fn chart(title: &str, bins: &Bins, y: Axis, curves: Vec<Curve>) -> Chart {
    Chart::new(title, Axis::new(bins.across.label(), "m").from_zero(), y.from_zero(), curves)
}
