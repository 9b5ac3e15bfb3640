//! Compares the results of two runs: dumps node by node, cell by cell and body by body, tracks, and ledgers.

mod bodies;
mod cells;
mod chains;
mod difference;
mod dumps;
#[cfg(test)]
mod tests;
mod tracks;

use std::path::Path;

use hematite_config::Result;

pub use difference::{Comparison, Difference, Quantity, Total};

use crate::polydata::Kind;
use crate::{BodyKind, CellKind, ChainKind, Column, Field, FieldReader, Grid, Ledger, RunRecord, Values};

/// Compares two run folders: dumps by name, time step and field, nodes by global number whatever their order, cells
/// and bodies and chains by step and number, tracks by frame and number, and the ledgers. Without `rtol`, compares
/// bit by bit. With it, numbers may differ by up to `rtol` times the largest magnitude in run `a` of the field, the
/// quantity of vertices, bodies or tracks at the step, or the column of the ledger.
///
/// Memory holds the nodes of both runs, and one field of one dump or one dump of cells or bodies of each run.
///
/// # Errors
/// A usage fault when a file of either run is missing or damaged.
pub fn compare(a: &Path, b: &Path, rtol: Option<f64>) -> Result<Comparison> {
    let (record_a, record_b) = (RunRecord::read(a)?, RunRecord::read(b)?);
    let mut comparison = Comparison::default();
    if record_a.dumps != record_b.dumps {
        comparison.note(Difference::Structure(format!("dumps are {:?} and {:?}", record_a.dumps, record_b.dumps)));
        return Ok(comparison);
    }
    for name in &record_a.dumps {
        let file = format!("{name}.vtkhdf");
        let pair = Pair { name, a: FieldReader::open(&a.join(&file))?, b: FieldReader::open(&b.join(&file))? };
        pair.compare(rtol, &mut comparison)?;
    }
    // A dump of fields may have the name "cells" or "bodies".
    let is_of_fields = |name: &str| record_a.dumps.iter().any(|dump| dump == name);
    if !is_of_fields(CellKind::FORM.what) {
        dumps::compare::<CellKind>(a, b, rtol, &mut comparison)?;
    }
    if !is_of_fields(BodyKind::FORM.what) {
        dumps::compare::<BodyKind>(a, b, rtol, &mut comparison)?;
    }
    if !is_of_fields(ChainKind::FORM.what) {
        dumps::compare::<ChainKind>(a, b, rtol, &mut comparison)?;
    }
    tracks::compare(a, b, rtol, &mut comparison)?;
    compare_ledgers(&Ledger::read(a)?, &Ledger::read(b)?, rtol, &mut comparison);
    Ok(comparison)
}

/// A dump of both runs.
struct Pair<'a> {
    name: &'a str,
    a: FieldReader,
    b: FieldReader,
}

impl Pair<'_> {
    fn compare(&self, rtol: Option<f64>, comparison: &mut Comparison) -> Result<()> {
        let (order_a, order_b) = (by_id(self.a.grid()), by_id(self.b.grid()));
        if let Some(what) = self.structure(&order_a, &order_b) {
            comparison.note(Difference::Structure(format!("dump {}: {what}", self.name)));
            return Ok(());
        }
        for (dump, step) in self.a.steps().iter().enumerate() {
            for &field in self.a.fields() {
                let (a, b) = (self.a.read(dump, field)?, self.b.read(dump, field)?);
                let at = Place { pair: self, step: step.step, field, orders: (&order_a, &order_b) };
                match (&a, &b) {
                    (Values::F32(a), Values::F32(b)) => at.compare(a, b, rtol, comparison),
                    (Values::F64(a), Values::F64(b)) => at.compare(a, b, rtol, comparison),
                    _ if rtol.is_some() => at.compare(&a.to_f64(), &b.to_f64(), rtol, comparison),
                    _ => {
                        let what = format!("dump {}: one is in f32, the other in f64; compare with --rtol", self.name);
                        comparison.note(Difference::Structure(what));
                        return Ok(());
                    }
                }
            }
        }
        Ok(())
    }

    /// The difference that keeps the dumps from being compared value by value, if any.
    fn structure(&self, order_a: &[usize], order_b: &[usize]) -> Option<String> {
        let (a, b) = (self.a.grid(), self.b.grid());
        let names = |reader: &FieldReader| reader.fields().iter().map(|field| field.name()).collect::<Vec<_>>();
        if (a.dimension, a.spacing, a.origin) != (b.dimension, b.spacing, b.origin) {
            return Some("lattice spacing, origin or dimension differ".into());
        }
        if a.id.len() != b.id.len() {
            return Some(format!("{} and {} nodes", a.id.len(), b.id.len()));
        }
        for (&i, &j) in order_a.iter().zip(order_b) {
            if a.id[i] != b.id[j] {
                let (only, side) = if a.id[i] < b.id[j] { (a.id[i], "first") } else { (b.id[j], "second") };
                return Some(format!("only the {side} run holds node {}", only.0));
            }
            if a.position[i] != b.position[j] {
                return Some(format!("node {} is at {:?} and at {:?}", a.id[i].0, a.position[i], b.position[j]));
            }
        }
        if self.a.fields() != self.b.fields() {
            return Some(format!("fields are {:?} and {:?}", names(&self.a), names(&self.b)));
        }
        dumps::steps(self.a.steps(), self.b.steps())
    }
}

fn by_id(grid: &Grid) -> Vec<usize> {
    let mut order: Vec<usize> = (0..grid.id.len()).collect();
    order.sort_unstable_by_key(|&n| grid.id[n]);
    order
}

/// The dump, step and field whose values are compared.
struct Place<'a> {
    pair: &'a Pair<'a>,
    step: u64,
    field: Field,
    orders: (&'a [usize], &'a [usize]),
}

impl Place<'_> {
    fn compare<T: Number>(&self, a: &[T], b: &[T], rtol: Option<f64>, comparison: &mut Comparison) {
        let tolerance = rtol.map(|rtol| rtol * largest(a.iter().map(|value| value.wide())));
        let components = self.field.components();
        for (&i, &j) in self.orders.0.iter().zip(self.orders.1) {
            for component in 0..components {
                let (x, y) = (a[i * components + component], b[j * components + component]);
                if same(x, y, tolerance) {
                    continue;
                }
                let grid = self.pair.a.grid();
                let quantity = Quantity { name: self.field.name(), unit: self.field.unit() };
                comparison.count(None, quantity, (x.wide() - y.wide()).abs(), || Difference::Value {
                    dump: self.pair.name.to_owned(),
                    step: self.step,
                    field: self.field,
                    component,
                    node: grid.id[i],
                    position: grid.position[i],
                    values: [x.wide(), y.wide()],
                    bits: [x.bits(), y.bits()],
                });
            }
        }
        comparison.values += a.len() as u64;
    }
}

/// A float of either precision.
trait Number: Copy {
    fn wide(self) -> f64;
    fn bits(self) -> u64;
}

impl Number for f32 {
    fn wide(self) -> f64 {
        f64::from(self)
    }

    fn bits(self) -> u64 {
        u64::from(self.to_bits())
    }
}

impl Number for f64 {
    fn wide(self) -> f64 {
        self
    }

    fn bits(self) -> u64 {
        self.to_bits()
    }
}

fn same<T: Number>(a: T, b: T, tolerance: Option<f64>) -> bool {
    a.bits() == b.bits() || tolerance.is_some_and(|tolerance| (a.wide() - b.wide()).abs() <= tolerance)
}

/// The largest finite magnitude of `values`.
fn largest(values: impl Iterator<Item = f64>) -> f64 {
    values.map(f64::abs).filter(|value| value.is_finite()).fold(0.0, f64::max)
}

fn compare_ledgers(a: &Ledger, b: &Ledger, rtol: Option<f64>, comparison: &mut Comparison) {
    let steps = |ledger: &Ledger| ledger.rows.iter().map(|row| row.step).collect::<Vec<_>>();
    if a.openings != b.openings {
        let what = format!("ledger: openings are {:?} and {:?}", a.openings, b.openings);
        return comparison.note(Difference::Structure(what));
    }
    if a.columns != b.columns {
        let names = |ledger: &Ledger| ledger.columns.iter().map(Column::to_string).collect::<Vec<_>>();
        let what = format!("ledger: columns are {:?} and {:?}", names(a), names(b));
        return comparison.note(Difference::Structure(what));
    }
    if a.populations != b.populations {
        let what = format!("ledger: populations are {:?} and {:?}", a.populations, b.populations);
        return comparison.note(Difference::Structure(what));
    }
    let (steps_a, steps_b) = (steps(a), steps(b));
    if let Some((a, b)) = steps_a.iter().zip(&steps_b).find(|(a, b)| a != b) {
        return comparison.note(Difference::Structure(format!("ledger: a row is of step {a} and of step {b}")));
    }
    if steps_a.len() != steps_b.len() {
        let what = format!("ledger: {} and {} rows", steps_a.len(), steps_b.len());
        return comparison.note(Difference::Structure(what));
    }
    let names = ["time_s", "inside_kg"]
        .map(str::to_owned)
        .into_iter()
        .chain(a.openings.iter().map(|name| format!("in_kg:{name}")))
        .chain(a.columns.iter().map(Column::to_string));
    let openings = a.openings.len();
    for (column, name) in names.enumerate() {
        let cell = |ledger: &Ledger, row: usize| match column {
            0 => ledger.rows[row].time,
            1 => ledger.rows[row].inside,
            opening if opening < 2 + openings => ledger.rows[row].through[opening - 2],
            measured => ledger.rows[row].values[measured - 2 - openings],
        };
        let tolerance = rtol.map(|rtol| rtol * largest((0..a.rows.len()).map(|row| cell(a, row))));
        for (row, &step) in steps_a.iter().enumerate() {
            let values = [cell(a, row), cell(b, row)];
            if !same(values[0], values[1], tolerance) {
                comparison.ledger += 1;
                comparison.note(Difference::Ledger { step, column: name.clone(), values });
            }
        }
    }
    for (a, b) in a.rows.iter().zip(&b.rows).filter(|(a, b)| a.cells != b.cells) {
        comparison.ledger += 1;
        let what = format!("ledger: step {}, cells are {:?} and {:?}", a.step, a.cells, b.cells);
        comparison.note(Difference::Structure(what));
    }
}
