//! Writes one rank's file of cells.

use std::path::{Path, PathBuf};

use hdf5::File;
use hematite_config::{Fault, Result, publish};

use super::header::{Entry, Header};
use super::layout::{ARRAYS, CHUNK, Layout};
use crate::h5::{self, writing};
use crate::{CellFrame, CellKind, DumpStep};

/// Adds dumps of cells to one file. Between calls the file is closed, whole and open to readers.
pub struct CellWriter {
    path: PathBuf,
    header: Header,
    /// Kinds of the last dump's cells in the order of the file.
    last: Vec<u32>,
}

impl CellWriter {
    /// Makes the file without a dump; it appears whole. `spacing`: that of the lattice, in metres.
    ///
    /// # Errors
    /// When there is no kind, a kind is no closed surface of this dimension, or the file cannot be written.
    pub fn create(path: &Path, kinds: &[CellKind], dimension: usize, spacing: f64) -> Result<Self> {
        let header = Header::new(path, kinds, dimension, spacing)?;
        publish(path, |temporary| empty(temporary, &header).map_err(writing(path)))?;
        Ok(Self::with(path, header))
    }

    /// A writer on an empty file that is as `header` says.
    pub(super) fn with(path: &Path, header: Header) -> Self {
        Self { path: path.to_owned(), header, last: Vec::new() }
    }

    /// The same writer on a file of another name.
    pub(super) fn moved(self, path: &Path) -> Self {
        Self { path: path.to_owned(), ..self }
    }

    /// Goes on with a file. Dumps after time step `keep_through_step` are dropped, and so is a dump that a killed run
    /// left without its end.
    ///
    /// # Errors
    /// When the file is no dump of cells, or cannot be written.
    pub fn reopen(path: &Path, keep_through_step: u64) -> Result<Self> {
        let file = h5::open_rw(path)?;
        let mut header = Header::read(&file, path)?;
        let keep = header.steps.partition_point(|step| step.step <= keep_through_step);
        header.steps.truncate(keep);
        header.layout.truncate(keep);
        header.shorten(&file).map_err(writing(path))?;
        let last = match header.layout.last() {
            Some(at) => file.dataset("hematite/cells/kind").and_then(|kinds| h5::read_rows(&kinds, at.cell, at.cells)),
            None => Ok(Vec::new()),
        };
        Ok(Self { path: path.to_owned(), header, last: last.map_err(writing(path))? })
    }

    /// The dumps in the file.
    pub fn steps(&self) -> &[DumpStep] {
        &self.header.steps
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Adds a dump of this rank's cells, in any order. The file is complete and closed afterwards.
    ///
    /// # Errors
    /// When the frame is inconsistent or does not come after the last dump, or the file cannot be written.
    pub fn append(&mut self, frame: &CellFrame) -> Result<()> {
        let fault = |what: String| Fault::io(format!("{}: {what}", self.path.display()));
        if let Some(last) = self.header.steps.last().filter(|last| last.step >= frame.step) {
            return Err(fault(format!("a dump at step {} cannot follow one at step {}", frame.step, last.step)));
        }
        check(frame, &self.header.kinds).map_err(fault)?;
        let mut order: Vec<usize> = (0..frame.id.len()).collect();
        order.sort_unstable_by_key(|&cell| (frame.kind[cell], frame.id[cell]));
        let kinds: Vec<u32> = order.iter().map(|&cell| frame.kind[cell]).collect();
        let at = Layout::of_cells(&self.header.kinds, &kinds);
        let repeats = !self.header.steps.is_empty() && kinds == self.last;
        let at = at.after(self.header.layout.last(), repeats);
        let step = DumpStep { step: frame.step, time: frame.time };
        let file = h5::open_rw(&self.path)?;
        let write = || {
            self.write_cells(&file, frame, &order, &at)?;
            if !repeats {
                write_topology(&file, &self.header.kinds, &kinds, &at)?;
            }
            let dump = self.header.steps.len();
            Header::write_steps(&file, dump, &[Entry { step, at, parts: 1 }])?;
            Header::write_count(&file, dump + 1)
        };
        write().and_then(|()| file.close()).map_err(writing(&self.path))?;
        self.header.steps.push(step);
        self.header.layout.push(at);
        self.last = kinds;
        Ok(())
    }

    fn write_cells(&self, file: &File, frame: &CellFrame, order: &[usize], at: &Layout) -> hdf5::Result<()> {
        let kinds = &self.header.kinds;
        let vertices = frame.vertices(kinds);
        let rows = || order.iter().flat_map(|&cell| vertices[cell].clone());
        let array = |name: &str| file.dataset(name);
        let place = (at.vertex, at.vertices);
        h5::put(&array("VTKHDF/Points")?, place, CHUNK, rows().flat_map(|row| frame.position[row]))?;
        h5::put(&array("VTKHDF/PointData/velocity")?, place, CHUNK, rows().flat_map(|row| frame.velocity[row]))?;
        h5::put(&array("VTKHDF/PointData/force")?, place, CHUNK, rows().flat_map(|row| frame.force[row]))?;
        let polygons = |cell: usize| std::iter::repeat_n(cell, kinds[frame.kind[cell] as usize].polygons());
        let ids = order.iter().flat_map(|&cell| polygons(cell)).map(|cell| frame.id[cell] as i64);
        h5::put(&array("VTKHDF/CellData/id")?, (at.polygon, at.polygons), CHUNK, ids)?;
        let place = (at.cell, at.cells);
        h5::put(&array("hematite/cells/id")?, place, CHUNK, order.iter().map(|&cell| frame.id[cell]))?;
        h5::put(&array("hematite/cells/kind")?, place, CHUNK, order.iter().map(|&cell| frame.kind[cell]))?;
        h5::put(&array("hematite/cells/image")?, place, CHUNK, order.iter().flat_map(|&cell| frame.image[cell]))
    }
}

/// Writes the polygons of cells of the given kinds, and their part.
fn write_topology(file: &File, kinds: &[CellKind], cells: &[u32], at: &Layout) -> hdf5::Result<()> {
    let kind = |cell: u32| &kinds[cell as usize];
    let repeated = cells.iter().flat_map(|&cell| std::iter::repeat_n(cell as i32, kind(cell).polygons()));
    h5::put(&file.dataset("VTKHDF/CellData/kind")?, (at.topology, at.polygons), CHUNK, repeated)?;
    let sizes = cells.iter().flat_map(|&cell| {
        let (polygons, corners) = (kind(cell).polygons(), kind(cell).corners());
        std::iter::repeat_n((corners / polygons) as i64, polygons)
    });
    let ends = sizes.scan(0, |end, size| {
        *end += size;
        Some(*end)
    });
    let offsets = std::iter::once(0).chain(ends);
    h5::put(&file.dataset("VTKHDF/Polygons/Offsets")?, (at.topology, at.polygons + 1), CHUNK, offsets)?;
    let firsts = cells.iter().scan(0_i64, |next, &cell| {
        let first = *next;
        *next += kind(cell).vertices as i64;
        Some((kind(cell), first))
    });
    let corners = firsts.flat_map(|(kind, first)| {
        let ring = if kind.triangles.is_empty() { 0..kind.vertices as u32 } else { 0..0 };
        kind.triangles.as_flattened().iter().copied().chain(ring).map(move |corner| first + i64::from(corner))
    });
    h5::put(&file.dataset("VTKHDF/Polygons/Connectivity")?, (at.corner, at.corners), CHUNK, corners)?;
    Header::write_parts(file, at.part, &[*at])
}

/// What is wrong with a frame, if anything.
fn check(frame: &CellFrame, kinds: &[CellKind]) -> std::result::Result<(), String> {
    let cells = frame.id.len();
    if frame.kind.len() != cells || frame.image.len() != cells {
        return Err(format!("{cells} cells with {} kinds and {} images", frame.kind.len(), frame.image.len()));
    }
    if let Some(kind) = frame.kind.iter().find(|&&kind| kind as usize >= kinds.len()) {
        return Err(format!("a cell is of kind {kind}, there are {}", kinds.len()));
    }
    let vertices: usize = frame.kind.iter().map(|&kind| kinds[kind as usize].vertices).sum();
    let lengths = [frame.position.len(), frame.velocity.len(), frame.force.len()];
    if lengths != [vertices; 3] {
        return Err(format!("{lengths:?} positions, velocities and forces for {vertices} vertices"));
    }
    Ok(())
}

/// Makes a file without a dump.
pub(super) fn empty(path: &Path, header: &Header) -> hdf5::Result<()> {
    let file = File::create(path)?;
    header.write(&file)?;
    for array in &ARRAYS {
        let dataset = h5::growing_as(&file, array.name, &(array.number)(), array.columns, CHUNK)?;
        array.write_unit(&dataset)?;
    }
    file.flush()
}
