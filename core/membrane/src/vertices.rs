//! The vertices of a rank's cells on the device, as a structure of arrays.
//!
//! The vertices of a cell are adjacent. The cells of a population are in adjacent slots from `Range::first_slot` on,
//! occupied slots first. Vertices of empty slots have `NONE` in `slot_of`. Arrays with a component for each axis hold
//! axis a of vertex v at `a * stride + v`.

use hematite_config::Result;
use hematite_engine::Precision;
use hematite_geometry::Site;
use hematite_gpu::{Buffer, Gpu};

/// Marks vertices of empty slots in `slot_of`.
pub const NONE: u32 = u32::MAX;

/// Arrays of a rank's vertices and slots. Positions are in lattice units with nodes at whole numbers, and not wrapped
/// along periodic axes. A position is a whole number and a fraction in 2^-32, so that its precision is the same
/// everywhere.
#[derive(Clone, Debug)]
pub struct Vertices {
    /// `array<vec2<i32>>` [D * stride]: whole number, bits of the u32 fraction.
    pub position: Buffer,
    /// `array<real>` [D * stride]: force of the membrane and of contact, lattice units.
    pub force: Buffer,
    /// `array<i32>` [D * stride]: velocity of the fluid at the vertex in 1 / DRIFT_SCALE.
    pub drift: Buffer,
    /// `array<i32>` [D * stride]: `drift` in the last move.
    pub before: Buffer,
    /// `array<u32>[stride]`: slot of each vertex, or NONE.
    pub slot_of: Buffer,
    /// `array<u32>[slots]`: global number of the cell in each slot (its low 32 bits).
    pub cell: Buffer,
    /// `array<f32>[slots]`: size of the cell over its full size.
    pub scale: Buffer,
    /// `array<u32>[slots]`: number of the inflow column that carries the cell in each slot, NONE if none does.
    pub carrier: Buffer,
    /// `array<i32>` [D * columns]: velocity of each inflow column in 1 / DRIFT_SCALE.
    pub column_speed: Buffer,
    /// `array<u32>[2]`: bits of f32, the largest displacement of a vertex in one step since the word was last set to zero,
    /// in lattice units; for lists of neighbours, and at [`Vertices::PACE_OF_LOOK`] for looks of the host.
    pub pace: Buffer,
    /// `array<u32>[slots]`: when and why the cell broke, see [`Damage`](super::Damage); u32::MAX while it is sound.
    pub broken: Buffer,
    /// Distance between the components of one vertex in an array; at least the number of vertices.
    pub stride: u32,
    /// Number of slots.
    pub slots: u32,
}

/// The slots and vertices of one population.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Range {
    /// First vertex.
    pub first_vertex: u32,
    /// First slot.
    pub first_slot: u32,
    /// Vertices of one cell.
    pub vertices: u32,
    /// Number of slots.
    pub room: u32,
    /// Number of occupied slots.
    pub cells: u32,
}

impl Vertices {
    /// The word of `pace` that looks set to zero.
    pub const PACE_OF_LOOK: usize = 1;

    /// Room for `stride` vertices in `slots` slots, all empty.
    ///
    /// # Errors
    /// Where the device lacks room.
    pub fn new(gpu: &Gpu, dimension: usize, precision: Precision, stride: u32, slots: u32) -> Result<Self> {
        let components = dimension as u64 * u64::from(stride);
        let vertices = Self {
            position: gpu.buffer("vertex positions", 8 * components)?,
            force: gpu.buffer("vertex forces", precision.real_bytes() as u64 * components)?,
            drift: gpu.buffer("vertex velocities", 4 * components)?,
            before: gpu.buffer("last velocities of vertices", 4 * components)?,
            slot_of: gpu.buffer("slots of vertices", 4 * u64::from(stride))?,
            cell: gpu.buffer("cells of slots", 4 * u64::from(slots))?,
            scale: gpu.buffer("scales of cells", 4 * u64::from(slots))?,
            carrier: gpu.buffer("what carries cells", 4 * u64::from(slots))?,
            column_speed: gpu.buffer("velocities of columns", 4 * (dimension * Site::MAX_OPENINGS) as u64)?,
            pace: gpu.buffer("pace of vertices", 8)?,
            broken: gpu.buffer("health of cells", 4 * u64::from(slots))?,
            stride,
            slots,
        };
        gpu.upload(&vertices.slot_of, 0, &vec![NONE; stride as usize])?;
        gpu.upload(&vertices.broken, 0, &vec![u32::MAX; slots as usize])?;
        gpu.upload(&vertices.carrier, 0, &vec![NONE; slots as usize])?;
        Ok(vertices)
    }

    /// The arrays by name, for kernels to bind.
    pub fn table(&self) -> Vec<(&str, &Buffer)> {
        vec![
            ("position", &self.position),
            ("force", &self.force),
            ("drift", &self.drift),
            ("before", &self.before),
            ("slot_of", &self.slot_of),
            ("cell", &self.cell),
            ("scale", &self.scale),
            ("carrier", &self.carrier),
            ("column_speed", &self.column_speed),
            ("pace", &self.pace),
            ("broken", &self.broken),
        ]
    }
}
