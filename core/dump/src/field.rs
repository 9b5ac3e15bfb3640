//! Contents of dumps of fields.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

use hematite_case::NodeId;

/// A field of a dump: named numbers at nodes, in SI.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Field {
    name: &'static str,
    unit: &'static str,
    components: usize,
}

impl Field {
    /// Mass density.
    pub const DENSITY: Self = Self::new("density", "kg/m3", 1);
    /// Pressure above that of the fluid at rest, without the linear part of a pressure drop.
    pub const PRESSURE: Self = Self::new("pressure", "Pa", 1);
    /// Velocity; x, y, z.
    pub const VELOCITY: Self = Self::new("velocity", "m/s", 3);
    /// Viscous stress; xx, yy, zz, xy, yz, xz.
    pub const SHEAR_STRESS: Self = Self::new("shear_stress", "Pa", 6);
    /// The fields of a fluid. Files hold them first, in this order; other fields follow by name.
    pub const FLUID: [Self; 4] = [Self::DENSITY, Self::PRESSURE, Self::VELOCITY, Self::SHEAR_STRESS];

    /// A field by its name in files and configs, its unit, and its number of components at each node.
    pub const fn new(name: &'static str, unit: &'static str, components: usize) -> Self {
        Self { name, unit, components }
    }

    /// A field of one component whose name and unit come from a case.
    pub fn of_case(name: &str, unit: &str) -> Self {
        Self { name: interned(name), unit: interned(unit), components: 1 }
    }

    /// A field whose name, unit and components come from a file.
    pub(crate) fn of_file(name: &str, unit: &str, components: usize) -> Self {
        let known = Self::FLUID.into_iter().find(|field| field.name == name && field.components == components);
        known.unwrap_or_else(|| Self { name: interned(name), unit: interned(unit), components })
    }

    /// Sorts fields into the order of files.
    pub(crate) fn in_order(fields: impl IntoIterator<Item = Self>) -> Vec<Self> {
        let place = |field: &Self| Self::FLUID.iter().position(|known| known == field).unwrap_or(usize::MAX);
        let mut fields: Vec<Self> = fields.into_iter().collect();
        fields.sort_by_key(|field| (place(field), field.name));
        fields.dedup();
        fields
    }

    /// Name in files.
    pub fn name(self) -> &'static str {
        self.name
    }

    /// SI unit.
    pub fn unit(self) -> &'static str {
        self.unit
    }

    /// Components a node.
    pub fn components(self) -> usize {
        self.components
    }

    /// The name of component `c`: that of the field, and for more than one its axis or its number from 0, e.g. "velocity_x".
    pub fn component(self, c: usize) -> String {
        let ends: &[&str] = match self.components {
            1 => return self.name.to_owned(),
            3 => &["x", "y", "z"],
            6 => &["xx", "yy", "zz", "xy", "yz", "xz"],
            _ => &[],
        };
        let end = ends.get(c).map_or_else(|| c.to_string(), |&end| end.to_owned());
        format!("{}_{end}", self.name)
    }
}

/// The text with a static lifetime. Each text is kept once until the program ends; files name few.
fn interned(text: &str) -> &'static str {
    static KNOWN: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(&found) = known.get(text) {
        return found;
    }
    let kept: &'static str = Box::leak(text.to_owned().into_boxed_str());
    known.insert(kept);
    kept
}

/// Values of a field, node after node, in the precision of the run's arithmetic.
#[derive(Clone, Debug, PartialEq)]
pub enum Values {
    /// From a run in f32 arithmetic.
    F32(Vec<f32>),
    /// From a run in f64 arithmetic.
    F64(Vec<f64>),
}

impl Values {
    /// Number of values.
    pub fn len(&self) -> usize {
        match self {
            Self::F32(values) => values.len(),
            Self::F64(values) => values.len(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The values in f64.
    pub fn to_f64(&self) -> Vec<f64> {
        match self {
            Self::F32(values) => values.iter().map(|&v| f64::from(v)).collect(),
            Self::F64(values) => values.clone(),
        }
    }
}

/// The lattice nodes of a dump, in the order of its values.
#[derive(Clone, Debug, PartialEq)]
pub struct Grid {
    /// 2 or 3.
    pub dimension: usize,
    /// Lattice spacing in metres.
    pub spacing: f64,
    /// Lower corner of lattice position (0, 0, 0) in metres.
    pub origin: [f64; 3],
    /// Global number of each node.
    pub id: Vec<NodeId>,
    /// Lattice position of each node; its centre is `origin + (position + 1/2) spacing`.
    pub position: Vec<[i32; 3]>,
}

impl Grid {
    /// The nodes with the given indices, in that order.
    ///
    /// # Panics
    /// When an index is out of range.
    #[must_use]
    pub fn take(&self, indices: &[usize]) -> Self {
        Self {
            id: indices.iter().map(|&n| self.id[n]).collect(),
            position: indices.iter().map(|&n| self.position[n]).collect(),
            ..*self
        }
    }
}

/// When a dump was taken.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DumpStep {
    /// Time steps done.
    pub step: u64,
    /// Time in seconds.
    pub time: f64,
}
