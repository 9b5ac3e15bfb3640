//! Reads dumps, from one file or through an index over rank files.

use std::path::Path;

use hematite_case::NodeId;
use hematite_chunks::Number;
use hematite_config::{Fault, Result};

use super::header::Header;
use super::pieces::Pieces;
use crate::h5::{self, reading};
use crate::{DumpStep, Field, Grid, Values};

/// The dumps of one `NAME.vtkhdf`. Holds no file open.
pub struct FieldReader {
    pieces: Pieces,
    grid: Grid,
}

impl FieldReader {
    /// Opens a file of dumps and reads its nodes.
    ///
    /// # Errors
    /// A usage fault that names a file that is missing, truncated or no dump.
    pub fn open(path: &Path) -> Result<Self> {
        let pieces = Pieces::open(path, u64::MAX)?;
        let Header { dimension, spacing, origin, nodes, .. } = pieces.header;
        let (mut id, mut position) = (Vec::with_capacity(nodes), Vec::with_capacity(nodes));
        for (piece, own) in &pieces.files {
            read_nodes(piece, own, &mut id, &mut position)?;
        }
        Ok(Self { pieces, grid: Grid { dimension, spacing, origin, id, position } })
    }

    /// The nodes, in the order of values.
    pub fn grid(&self) -> &Grid {
        &self.grid
    }

    /// The dumps.
    pub fn steps(&self) -> &[DumpStep] {
        &self.pieces.header.steps
    }

    /// The fields that every dump holds, those of a fluid first.
    pub fn fields(&self) -> &[Field] {
        &self.pieces.header.fields
    }

    /// Reads a field of dump number `dump`, in the grid's order.
    ///
    /// # Errors
    /// A usage fault when there is no such dump or field, or a file is damaged.
    pub fn read(&self, dump: usize, field: Field) -> Result<Values> {
        let (path, dumps) = (self.pieces.path.display(), self.steps().len());
        if dump >= dumps {
            return Err(Fault::usage(format!("{path} holds {dumps} dumps, there is no number {dump}")));
        }
        if !self.fields().contains(&field) {
            let known: Vec<_> = self.fields().iter().map(|field| field.name()).collect();
            return Err(Fault::usage(format!("{path} holds {}, not {}", known.join(", "), field.name())));
        }
        match self.pieces.header.f64 {
            true => self.gather(dump, field).map(Values::F64),
            false => self.gather(dump, field).map(Values::F32),
        }
    }

    fn gather<T: Number>(&self, dump: usize, field: Field) -> Result<Vec<T>> {
        let mut values = Vec::with_capacity(self.grid.id.len() * field.components());
        for (path, header) in self.pieces.files.iter().filter(|(_, header)| header.nodes > 0) {
            let file = h5::open(path)?;
            let array = file.dataset(&format!("VTKHDF/CellData/{}", field.name())).map_err(reading(path))?;
            let rows = h5::read_rows::<T>(&array, dump * header.stride, header.nodes).map_err(reading(path))?;
            values.extend_from_slice(&rows);
        }
        Ok(values)
    }
}

fn read_nodes(path: &Path, header: &Header, id: &mut Vec<NodeId>, position: &mut Vec<[i32; 3]>) -> Result<()> {
    let file = h5::open(path)?;
    let mut read = || -> hdf5::Result<()> {
        let (ids, positions) = (file.dataset("hematite/node_id")?, file.dataset("hematite/position")?);
        if ids.shape() != [header.nodes] || positions.shape() != [header.nodes, 3] {
            return Err("node numbers and positions have the wrong size".into());
        }
        for start in (0..header.nodes).step_by(h5::SLAB) {
            let rows = h5::SLAB.min(header.nodes - start);
            id.extend(h5::read_rows::<u64>(&ids, start, rows)?.into_iter().map(NodeId));
            let flat = h5::read_rows::<i32>(&positions, start, rows)?;
            position.extend(flat.as_chunks::<3>().0);
        }
        Ok(())
    };
    read().map_err(reading(path))
}
