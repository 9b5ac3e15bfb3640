//! Cells in the fluid: their vertices on the device, coupling, contact, and which ranks hold which cells.

mod vertices;

pub use vertices::{DRIFT_SCALE, FORCE_SCALE, NONE, Range, Vertices};
