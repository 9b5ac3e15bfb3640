//! The arrays of a rank's vertices: which cell has which part of them.

use hematite_config::{Fault, Result};
use hematite_gpu::Gpu;
use hematite_membrane::{Range, Vertices};

use super::parameters::Parameters;

/// Arrays with room for so many cells of each population, and where each stands.
pub(super) fn arrays(gpu: &Gpu, parameters: &Parameters, rooms: &[usize]) -> Result<(Vertices, Vec<Range>)> {
    let mut ranges = Vec::with_capacity(rooms.len());
    let (mut vertex, mut slot) = (0_u64, 0_u64);
    for (kind, &room) in parameters.kinds.iter().zip(rooms) {
        let vertices = kind.surface.vertices.len() as u64;
        ranges.push(Range {
            first_vertex: vertex as u32,
            first_slot: slot as u32,
            vertices: vertices as u32,
            room: room as u32,
            cells: 0,
        });
        vertex += vertices * room as u64;
        slot += room as u64;
    }
    let stride = vertex.next_multiple_of(64).max(64);
    if stride * parameters.dimension as u64 > u64::from(u32::MAX) {
        return Err(Fault::usage(format!("{vertex} vertices of cells on one rank: use more ranks")));
    }
    let vertices = Vertices::new(gpu, parameters.dimension, parameters.precision, stride as u32, slot.max(1) as u32)?;
    Ok((vertices, ranges))
}
