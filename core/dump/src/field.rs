//! What a dump of fields holds.

use hematite_case::NodeId;
use serde::{Deserialize, Serialize};

/// A field of a dump, in SI.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Field {
    /// Mass density, kg/m3.
    Density,
    /// Pressure above that of the fluid at rest, Pa, without the linear part of a pressure drop.
    Pressure,
    /// Velocity, m/s; x, y, z.
    Velocity,
    /// Viscous stress, Pa; xx, yy, zz, xy, yz, xz.
    ShearStress,
}

impl Field {
    /// Every field.
    pub const ALL: [Self; 4] = [Self::Density, Self::Pressure, Self::Velocity, Self::ShearStress];

    /// Its name in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Density => "density",
            Self::Pressure => "pressure",
            Self::Velocity => "velocity",
            Self::ShearStress => "shear_stress",
        }
    }

    /// Its unit.
    pub fn unit(self) -> &'static str {
        match self {
            Self::Density => "kg/m3",
            Self::Pressure | Self::ShearStress => "Pa",
            Self::Velocity => "m/s",
        }
    }

    /// Components a node.
    pub fn components(self) -> usize {
        match self {
            Self::Density | Self::Pressure => 1,
            Self::Velocity => 3,
            Self::ShearStress => 6,
        }
    }
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
