//! The values of a field at all nodes in a few numbers.

use hematite_dump::Field;
use hematite_units::number::exact;

use crate::table::Table;
use crate::weights::Weights;

/// A component of a field over all nodes of a dump, in SI.
#[derive(Clone, Debug, PartialEq)]
pub struct ComponentSummary {
    /// Time step of the dump.
    pub step: u64,
    /// Time of the dump, s.
    pub time_s: f64,
    /// Name of the component.
    pub name: String,
    /// Its unit, "1" for numbers without one.
    pub unit: &'static str,
    /// Number of nodes.
    pub nodes: usize,
    /// Mean over the nodes, by what they weigh.
    pub mean: f64,
    /// Standard deviation over the nodes.
    pub deviation: f64,
    /// Lowest value.
    pub lowest: f64,
    /// Highest value.
    pub highest: f64,
    /// Number of values that are not finite; the other statistics leave them out.
    pub not_finite: usize,
}

/// Component `c` of the `values` of a field, one node after the other, in numbers. All are NaN where no value is finite.
pub fn component(
    (step, time_s): (u64, f64),
    field: Field,
    c: usize,
    values: &[f64],
    weights: &Weights,
) -> ComponentSummary {
    let nodes = values.len() / field.components();
    let all = values.iter().skip(c).step_by(field.components()).copied().enumerate();
    let finite: Vec<(f64, f64)> =
        all.filter(|(_, value)| value.is_finite()).map(|(n, value)| (value, weights.at(field, n, value))).collect();
    let weight: f64 = finite.iter().map(|(_, weight)| weight).sum();
    let mean = finite.iter().map(|(value, weight)| weight * value).sum::<f64>() / weight;
    let variance = finite.iter().map(|(value, weight)| weight * (value - mean).powi(2)).sum::<f64>() / weight;
    let weighed = || finite.iter().filter(|(_, weight)| *weight > 0.0).map(|(value, _)| *value);
    let extreme = |of: fn(f64, f64) -> f64| weighed().reduce(of).unwrap_or(f64::NAN);
    ComponentSummary {
        step,
        time_s,
        name: field.component(c),
        unit: field.unit(),
        nodes,
        mean,
        deviation: variance.sqrt(),
        lowest: extreme(f64::min),
        highest: extreme(f64::max),
        not_finite: nodes - finite.len(),
    }
}

/// A row for each component.
pub fn table(summaries: &[ComponentSummary]) -> Table {
    let mut table = Table::new([
        "step",
        "time_s",
        "component",
        "unit",
        "nodes",
        "mean",
        "deviation",
        "lowest",
        "highest",
        "not_finite",
    ]);
    for of in summaries {
        let numbers = [of.mean, of.deviation, of.lowest, of.highest].map(exact);
        let before = [of.step.to_string(), exact(of.time_s), of.name.clone(), of.unit.to_owned(), of.nodes.to_string()];
        table.push(before.into_iter().chain(numbers).chain([of.not_finite.to_string()]));
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_those_of_one_component() {
        let values = [1.0, -1.0, 7.0, 3.0, f64::NAN, 7.0];
        let of = |c: usize| component((5, 0.5), Field::VELOCITY, c, &values, &Weights::default());
        let x = of(0);
        assert_eq!((x.name.as_str(), x.unit, x.nodes, x.not_finite), ("velocity_x", "m/s", 2, 0));
        assert_eq!([x.mean, x.deviation, x.lowest, x.highest], [2.0, 1.0, 1.0, 3.0]);
        let y = of(1);
        assert_eq!((y.mean, y.deviation, y.not_finite), (-1.0, 0.0, 1));
        let none = component((0, 0.0), Field::DENSITY, 0, &[f64::INFINITY], &Weights::default());
        assert!(none.mean.is_nan() && none.lowest.is_nan() && none.not_finite == 1);
        assert_eq!(table(&[x, y]).rows.len(), 2);
    }
}
