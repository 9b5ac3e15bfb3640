//! The outcome of a comparison, and its text.

use std::fmt;

use hematite_case::NodeId;

use crate::Field;

/// Outcome of a comparison.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Comparison {
    /// Values compared in each run's dumps.
    pub values: u64,
    /// The first difference: of fields in the order of dump, step, field and node number; then of cells, of bodies and
    /// of tracks in the order of step, quantity and number; then of ledgers.
    pub first: Option<Difference>,
    /// The quantities with differences.
    pub totals: Vec<Total>,
    /// How many numbers of the ledger differ.
    pub ledger: u64,
}

/// A quantity in a dump.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quantity {
    /// Its name.
    pub name: &'static str,
    /// Its unit; empty for none.
    pub unit: &'static str,
}

/// Differences of one quantity over all dumps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Total {
    /// What has the quantity: "vertices", "bodies" or "tracks"; `None` for fields.
    pub of: Option<&'static str>,
    /// The quantity.
    pub quantity: Quantity,
    /// How many numbers differ.
    pub differing: u64,
    /// Largest magnitude of a difference; NaN where one is not a number.
    pub largest: f64,
}

/// A difference.
#[derive(Clone, Debug, PartialEq)]
pub enum Difference {
    /// Something is in one run and not in the other, or of another form, as the text says.
    Structure(String),
    /// A value of a dump.
    Value {
        /// Name of the dump.
        dump: String,
        /// Time step.
        step: u64,
        /// The field.
        field: Field,
        /// Its component.
        component: usize,
        /// Global number of the node.
        node: NodeId,
        /// Lattice position of the node.
        position: [i32; 3],
        /// The value in each run.
        values: [f64; 2],
        /// Its bits in each run, in the run's precision.
        bits: [u64; 2],
    },
    /// A number of a cell's vertex or of a rigid body.
    Member {
        /// The dump, "cells" or "bodies", or "tracks".
        dump: &'static str,
        /// Time step.
        step: u64,
        /// Name of the population.
        population: String,
        /// Kind of member: "cell" or "body"; "number" in tracks, which hold both.
        member: &'static str,
        /// Number of the member.
        id: u64,
        /// The vertex, if members have several.
        vertex: Option<usize>,
        /// The quantity.
        quantity: Quantity,
        /// Its component.
        component: usize,
        /// The value in each run.
        values: [f64; 2],
        /// Its bits in each run, in the precision of the file.
        bits: [u64; 2],
    },
    /// A number of the ledger.
    Ledger {
        /// Time step.
        step: u64,
        /// Name of the column.
        column: String,
        /// The number in each run.
        values: [f64; 2],
    },
}

impl Comparison {
    /// Whether no difference was found.
    pub fn same(&self) -> bool {
        self.first.is_none()
    }

    /// Records a difference if it is the first.
    pub(super) fn note(&mut self, difference: Difference) {
        self.first.get_or_insert(difference);
    }

    /// Counts a number of `quantity` that differs by `size`; `of` as in [`Total`].
    pub(super) fn count(
        &mut self,
        of: Option<&'static str>,
        quantity: Quantity,
        size: f64,
        difference: impl FnOnce() -> Difference,
    ) {
        self.first.get_or_insert_with(difference);
        match self.totals.iter_mut().find(|total| (total.of, total.quantity) == (of, quantity)) {
            Some(total) => {
                total.differing += 1;
                if size.is_nan() || size > total.largest {
                    total.largest = size;
                }
            }
            None => self.totals.push(Total { of, quantity, differing: 1, largest: size }),
        }
    }
}

impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(first) = &self.first else {
            return write!(f, "the same: {} values", self.values);
        };
        write!(f, "{first}")?;
        for Total { of, quantity: Quantity { name, unit }, differing, largest } in &self.totals {
            let (of, what) = of.map_or((String::new(), "values"), |of| (format!("{of}' "), "numbers"));
            write!(f, "\n{of}{name}: {differing} {what} differ, by {largest:e} {unit} at most")?;
        }
        if self.ledger > 0 {
            write!(f, "\nledger: {} numbers differ", self.ledger)?;
        }
        Ok(())
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Structure(what) => f.write_str(what),
            Self::Value { dump, step, field, component, node, position: [x, y, z], values: [a, b], bits } => {
                let (name, unit) = (field.name(), field.unit());
                write!(f, "first difference: dump {dump}, step {step}, {name}")?;
                if field.components() > 1 {
                    write!(f, "[{component}]")?;
                }
                let [bits_a, bits_b] = bits;
                let node = node.0;
                write!(f, ", node {node} at ({x}, {y}, {z}): {a:e} and {b:e} {unit} (bits {bits_a:#x} and {bits_b:#x})")
            }
            Self::Member { dump, step, population, member, id, vertex, quantity, component, values: [a, b], bits } => {
                let (Quantity { name, unit }, [bits_a, bits_b]) = (quantity, bits);
                write!(f, "first difference: {dump}, step {step}, {name}[{component}], population {population}")?;
                write!(f, ", {member} {id}")?;
                if let Some(vertex) = vertex {
                    write!(f, ", vertex {vertex}")?;
                }
                write!(f, ": {a:e} and {b:e} {unit} (bits {bits_a:#x} and {bits_b:#x})")
            }
            Self::Ledger { step, column, values: [a, b] } => {
                let (bits_a, bits_b) = (a.to_bits(), b.to_bits());
                write!(f, "first difference: ledger, step {step}, {column}: {a:e} and {b:e}")?;
                write!(f, " (bits {bits_a:#x} and {bits_b:#x})")
            }
        }
    }
}
