//! What a comparison found, and how it is told.

use std::fmt;

use hematite_case::NodeId;

use crate::Field;

/// Outcome of a comparison.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Comparison {
    /// Values compared in each run's dumps.
    pub values: u64,
    /// The first difference, by dump, step, field, then node number; then of cells and of bodies, by step, quantity and
    /// number; ledgers come last.
    pub first: Option<Difference>,
    /// The fields with differences.
    pub fields: Vec<FieldTotal>,
    /// The quantities of vertices with differences.
    pub vertices: Vec<VertexTotal>,
    /// The quantities of bodies with differences.
    pub bodies: Vec<BodyTotal>,
    /// Numbers of the ledger that differ.
    pub ledger: u64,
}

/// Differences of one field over all dumps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FieldTotal {
    /// The field.
    pub field: Field,
    /// Values that differ.
    pub differing: u64,
    /// Largest magnitude of a difference; NaN where one is not a number.
    pub largest: f64,
}

/// A vector of a dump of cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VertexValue {
    /// Position, m.
    Position,
    /// Velocity, m/s.
    Velocity,
    /// Force, N.
    Force,
}

impl VertexValue {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Position => "position",
            Self::Velocity => "velocity",
            Self::Force => "force",
        }
    }

    /// Its unit.
    pub fn unit(self) -> &'static str {
        match self {
            Self::Position => "m",
            Self::Velocity => "m/s",
            Self::Force => "N",
        }
    }
}

/// A quantity of a dump of rigid bodies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BodyValue {
    /// Position of the centre, m.
    Position,
    /// Orientation, a unit quaternion.
    Orientation,
    /// Velocity, m/s.
    Velocity,
    /// Angular velocity, rad/s.
    AngularVelocity,
    /// Force, N.
    Force,
    /// Torque, N m.
    Torque,
}

impl BodyValue {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Position => "position",
            Self::Orientation => "orientation",
            Self::Velocity => "velocity",
            Self::AngularVelocity => "angular_velocity",
            Self::Force => "force",
            Self::Torque => "torque",
        }
    }

    /// Its unit; empty where it has none.
    pub fn unit(self) -> &'static str {
        match self {
            Self::Position => "m",
            Self::Orientation => "",
            Self::Velocity => "m/s",
            Self::AngularVelocity => "rad/s",
            Self::Force => "N",
            Self::Torque => "N m",
        }
    }
}

/// Differences of one quantity of vertices or of bodies over all dumps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Total<Q> {
    /// The quantity.
    pub quantity: Q,
    /// Numbers that differ.
    pub differing: u64,
    /// Largest magnitude of a difference; NaN where one is not a number.
    pub largest: f64,
}

/// Differences of one quantity of vertices over all dumps.
pub type VertexTotal = Total<VertexValue>;

/// Differences of one quantity of bodies over all dumps.
pub type BodyTotal = Total<BodyValue>;

/// Adds a number that differs by `size` to the totals.
fn add<Q: PartialEq>(totals: &mut Vec<Total<Q>>, quantity: Q, size: f64) {
    match totals.iter_mut().find(|total| total.quantity == quantity) {
        Some(total) => {
            total.differing += 1;
            if size.is_nan() || size > total.largest {
                total.largest = size;
            }
        }
        None => totals.push(Total { quantity, differing: 1, largest: size }),
    }
}

/// A difference.
#[derive(Clone, Debug, PartialEq)]
pub enum Difference {
    /// The runs do not hold the same things; says which.
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
    /// A number of a vertex.
    Vertex {
        /// Time step.
        step: u64,
        /// Name of the population.
        population: String,
        /// Number of the cell.
        cell: u64,
        /// Its vertex.
        vertex: usize,
        /// What of it.
        quantity: VertexValue,
        /// Its component.
        component: usize,
        /// The value in each run.
        values: [f64; 2],
        /// Its bits in each run, in the precision of the file.
        bits: [u64; 2],
    },
    /// A number of a rigid body.
    Body {
        /// Time step.
        step: u64,
        /// Name of the population.
        population: String,
        /// Number of the body.
        body: u64,
        /// What differs.
        quantity: BodyValue,
        /// Its component.
        component: usize,
        /// The number in each run.
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
    /// Whether the runs hold the same.
    pub fn same(&self) -> bool {
        self.first.is_none()
    }

    /// Takes note of a difference; the first one stays.
    pub(super) fn note(&mut self, difference: Difference) {
        self.first.get_or_insert(difference);
    }

    /// Counts a value that differs by `size`.
    pub(super) fn count(&mut self, field: Field, size: f64, difference: impl FnOnce() -> Difference) {
        self.first.get_or_insert_with(difference);
        let total = match self.fields.iter_mut().position(|total| total.field == field) {
            Some(known) => &mut self.fields[known],
            None => {
                self.fields.push(FieldTotal { field, differing: 0, largest: 0.0 });
                let last = self.fields.len() - 1;
                &mut self.fields[last]
            }
        };
        total.differing += 1;
        if size.is_nan() || size > total.largest {
            total.largest = size;
        }
    }

    /// Counts a number of a vertex that differs by `size`.
    pub(super) fn count_vertex(&mut self, quantity: VertexValue, size: f64, difference: impl FnOnce() -> Difference) {
        self.first.get_or_insert_with(difference);
        add(&mut self.vertices, quantity, size);
    }

    /// Counts a number of a body that differs by `size`.
    pub(super) fn count_body(&mut self, quantity: BodyValue, size: f64, difference: impl FnOnce() -> Difference) {
        self.first.get_or_insert_with(difference);
        add(&mut self.bodies, quantity, size);
    }
}

impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(first) = &self.first else {
            return write!(f, "the same: {} values", self.values);
        };
        write!(f, "{first}")?;
        for total in &self.fields {
            let (name, unit) = (total.field.name(), total.field.unit());
            write!(f, "\n{name}: {} values differ, by {:e} {unit} at most", total.differing, total.largest)?;
        }
        for total in &self.vertices {
            let (name, unit) = (total.quantity.name(), total.quantity.unit());
            write!(f, "\nvertices' {name}: {} numbers differ, by {:e} {unit} at most", total.differing, total.largest)?;
        }
        for total in &self.bodies {
            let (name, unit) = (total.quantity.name(), total.quantity.unit());
            write!(f, "\nbodies' {name}: {} numbers differ, by {:e} {unit} at most", total.differing, total.largest)?;
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
            Self::Vertex { step, population, cell, vertex, quantity, component, values: [a, b], bits } => {
                let (name, unit, [bits_a, bits_b]) = (quantity.name(), quantity.unit(), bits);
                write!(
                    f,
                    "first difference: cells, step {step}, {name}[{component}], population {population}, cell {cell}"
                )?;
                write!(f, ", vertex {vertex}: {a:e} and {b:e} {unit} (bits {bits_a:#x} and {bits_b:#x})")
            }
            Self::Body { step, population, body, quantity, component, values: [a, b], bits } => {
                let (name, unit, [bits_a, bits_b]) = (quantity.name(), quantity.unit(), bits);
                write!(f, "first difference: bodies, step {step}, {name}[{component}], population {population}")?;
                write!(f, ", body {body}: {a:e} and {b:e} {unit} (bits {bits_a:#x} and {bits_b:#x})")
            }
            Self::Ledger { step, column, values: [a, b] } => {
                let (bits_a, bits_b) = (a.to_bits(), b.to_bits());
                write!(f, "first difference: ledger, step {step}, {column}: {a:e} and {b:e}")?;
                write!(f, " (bits {bits_a:#x} and {bits_b:#x})")
            }
        }
    }
}
