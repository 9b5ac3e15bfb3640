//! One population's cells on this rank: which slot holds which cell.

use hematite_cells::Surface;
use hematite_config::Result;
use hematite_gpu::Gpu;
use hematite_membrane::{Membrane, Range, Vertices};

use super::parameters::{KindParameters, Parameters};
use super::pull::Pulls;
use super::roster::Roster;

/// A population on this rank.
pub(super) struct Kind {
    pub name: String,
    /// The mean length of its sides, lattice units.
    pub mean_side: f64,
    /// The area at full size that a vertex stands for, lattice units; 2-D: the length.
    pub vertex_area: f64,
    pub membrane: Membrane,
    pub pulls: Option<Pulls>,
    pub range: Range,
    /// Cells in the case.
    pub seeded: u64,
    /// Cells that came in through openings, counted by one rank each.
    pub inserted: i64,
    /// Cells that went out through openings, counted by one rank each.
    pub left: i64,
    /// Held cells.
    pub cells: Roster,
    /// Empty slots below `range.cells`, counted within the population.
    pub free: Vec<u32>,
    /// Slots that cells have left, of which the device does not know yet.
    pub left_slots: Vec<u32>,
}

impl Kind {
    /// Population `kind` without cells yet, whose vertices stand in `range` of `vertices`.
    ///
    /// # Errors
    /// Where the device lacks room or refuses a kernel.
    pub fn new(gpu: &Gpu, parameters: &Parameters, kind: usize, vertices: &Vertices, range: Range) -> Result<Self> {
        let (precision, dimension) = (parameters.precision, parameters.dimension);
        let KindParameters { name, surface, mechanics, seeded } = &parameters.kinds[kind];
        Ok(Self {
            name: name.clone(),
            mean_side: mean_side(surface),
            vertex_area: parameters.kinds[kind].vertex_area(),
            membrane: Membrane::new(gpu, precision, dimension, surface, mechanics, vertices, &range)?,
            pulls: Pulls::new(gpu, precision, dimension, &parameters.pulls, kind, vertices, &range)?,
            range,
            seeded: *seeded,
            inserted: 0,
            left: 0,
            cells: Roster::default(),
            free: Vec::new(),
            left_slots: Vec::new(),
        })
    }

    /// First vertex of a slot.
    pub fn first_vertex(&self, slot: u32) -> u32 {
        self.range.first_vertex + slot * self.range.vertices
    }

    /// Takes an empty slot, if there is one.
    pub fn take_slot(&mut self) -> Option<u32> {
        if let Some(slot) = self.free.pop() {
            return Some(slot);
        }
        let slot = self.range.cells;
        (slot < self.range.room).then(|| {
            self.range.cells += 1;
            slot
        })
    }
}

/// The mean length of the sides of a mesh.
fn mean_side(surface: &Surface) -> f64 {
    let edges = surface.edges();
    let length = |[a, b]: [u32; 2]| {
        let (a, b) = (surface.vertices[a as usize], surface.vertices[b as usize]);
        (0..3).map(|k| (a[k] - b[k]).powi(2)).sum::<f64>().sqrt()
    };
    edges.iter().map(|&edge| length(edge)).sum::<f64>() / edges.len().max(1) as f64
}
