//! Profiles across the vessel: samples, means, columns of tables and charts.

use hematite_stats::cells::bins::Bins;
use hematite_stats::cells::blocks::{Estimate, estimate};
use hematite_stats::cells::occupancy::Occupancy;
use hematite_stats::chart::{Axis, Chart, Curve, Style};
use hematite_stats::number::exact;

/// Samples of hematocrit.
pub struct Hematocrit {
    /// For each population: dump after dump, bin after bin.
    samples: Vec<Vec<Vec<f64>>>,
}

impl Hematocrit {
    /// No samples yet.
    pub fn new(populations: usize) -> Self {
        Self { samples: vec![Vec::new(); populations] }
    }

    /// Adds a dump.
    pub fn push(&mut self, bins: &Bins, filled: &Occupancy) {
        for (share, samples) in filled.share.iter().zip(&mut self.samples) {
            samples.push(bins.means(share.iter().map(|&v| f64::from(v))));
        }
    }

    /// Means of one population, a bin an entry.
    pub fn of(&self, population: usize) -> Vec<Option<Estimate>> {
        estimates(self.samples[population].iter())
    }

    /// Means of all populations together.
    pub fn of_all(&self) -> Vec<Option<Estimate>> {
        let Some(first) = self.samples.first() else { return Vec::new() };
        let sum = |dump: usize, b: usize| self.samples.iter().map(|own| own[dump][b]).sum();
        let sums = first.iter().enumerate().map(|(dump, bins)| (0..bins.len()).map(|b| sum(dump, b)).collect());
        estimates(sums.collect::<Vec<Vec<f64>>>().iter())
    }
}

/// Means over dumps, a bin an entry, of samples dump after dump, bin after bin.
pub fn estimates<'a>(samples: impl Iterator<Item = &'a Vec<f64>> + Clone) -> Vec<Option<Estimate>> {
    let bins = samples.clone().next().map_or(0, Vec::len);
    (0..bins).map(|b| estimate(samples.clone().map(|sample| sample[b]))).collect()
}

/// A cell of a table: empty where nothing is known.
pub fn cell(value: Option<f64>) -> String {
    value.filter(|v| v.is_finite()).map(exact).unwrap_or_default()
}

/// The mean of a bin as a cell of a table.
pub fn mean_cell(means: &[Option<Estimate>], bin: usize) -> String {
    cell(means.get(bin).copied().flatten().map(|e| e.mean))
}

/// The standard error of a bin as a cell of a table.
pub fn error_cell(means: &[Option<Estimate>], bin: usize) -> String {
    cell(means.get(bin).copied().flatten().and_then(|e| e.standard_error))
}

/// Means with their errors over the coordinate of the bins.
pub fn curve(name: &str, x: &[f64], means: &[Option<Estimate>], style: Style, number: usize) -> Curve {
    let points = x.iter().zip(means).map(|(&x, y)| [x, y.map_or(f64::NAN, |y| y.mean)]).collect();
    let errors = means.iter().map(|y| y.and_then(|y| y.standard_error).unwrap_or(f64::NAN)).collect();
    Curve { errors, ..Curve::new(name, points, style, number) }
}

/// Hematocrit over the coordinate of the bins: of all, and of each population where there are several.
pub fn hematocrit_chart(
    axis: Axis,
    x: &[f64],
    all: &[Option<Estimate>],
    populations: &[(&str, &[Option<Estimate>])],
) -> Chart {
    let several = populations.len() > 1;
    let mut curves = Vec::new();
    if several {
        let each = populations.iter().enumerate();
        curves.extend(each.map(|(k, (name, own))| curve(name, x, own, Style::Line, k + 1)));
    }
    curves.push(curve(if several { "all" } else { "" }, x, all, Style::Marks, 0));
    Chart {
        title: "hematocrit across the vessel".to_owned(),
        x: axis.from_zero(),
        y: Axis::new("hematocrit", "").from_zero(),
        curves,
    }
}
