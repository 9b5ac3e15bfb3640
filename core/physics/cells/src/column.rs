//! Columns of cells that come in, packed on one rank for all.

use hematite_case::{Column, Placed, Population};
use hematite_comm::{Comm, agree};
use hematite_config::{Fault, Result};

/// Packs cells in a column on rank 0 and hands them to all, see [`Column::pack`]. Collective.
///
/// # Errors
/// As that; when a rank is lost.
pub fn pack(comm: &dyn Comm, column: &Column, populations: &[Population], counts: &[u64]) -> Result<Vec<Vec<Placed>>> {
    let own = match comm.rank() {
        0 => column.pack(populations, counts),
        _ => Ok(Vec::new()),
    };
    let own = agree(comm, own)?;
    let words = |(kind, cells): (usize, &Vec<Placed>)| cells.iter().flat_map(move |cell| words(kind, cell)).collect();
    let words: Vec<Vec<f64>> = own.iter().enumerate().map(words).collect();
    let mut bytes = bytemuck::cast_slice(&words.concat()).to_vec();
    comm.broadcast(&mut bytes)?;
    let words: Vec<f64> = bytemuck::pod_collect_to_vec(&bytes);
    let mut placed = vec![Vec::new(); populations.len()];
    for words in words.chunks(WIDTH) {
        let damaged = || Fault::lost_rank("the cells of a column arrived damaged");
        let (kind, cell) = cell(words).ok_or_else(damaged)?;
        placed.get_mut(kind).ok_or_else(damaged)?.push(cell);
    }
    Ok(placed)
}

/// Numbers that say where a cell is: population, centre, orientation, scale.
const WIDTH: usize = 9;

fn words(kind: usize, cell: &Placed) -> [f64; WIDTH] {
    let ([x, y, z], [qw, qx, qy, qz]) = (cell.centre, cell.orientation);
    [kind as f64, x, y, z, qw, qx, qy, qz, cell.scale]
}

fn cell(words: &[f64]) -> Option<(usize, Placed)> {
    let &[kind, x, y, z, qw, qx, qy, qz, scale] = words else { return None };
    Some((kind as usize, Placed { centre: [x, y, z], orientation: [qw, qx, qy, qz], scale }))
}
