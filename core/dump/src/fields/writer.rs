//! Writes one rank's file of dumps.

use std::path::{Path, PathBuf};

use bytemuck::NoUninit;
use hdf5::{File, H5Type};
use hematite_case::NodeId;
use hematite_config::{Fault, Result, publish};

use super::header::{Header, field_columns};
use super::voxels::Corners;
use crate::h5::{self, reading, writing};
use crate::{DumpStep, Field, Grid, Values};

/// Adds dumps to one file. Between [`end`](Self::end) and [`begin`](Self::begin) the file is closed and complete, so
/// that others can read it.
pub struct FieldWriter {
    path: PathBuf,
    header: Header,
    current: Option<Current>,
}

struct Current {
    file: File,
    step: DumpStep,
    written: Vec<Field>,
}

impl FieldWriter {
    /// Makes the file with its geometry and no dump; it appears whole. Values are f64 if `f64`, else f32. The grid may
    /// be empty.
    ///
    /// # Errors
    /// When no field is asked for, the grid is inconsistent, or the file cannot be written.
    pub fn create(path: &Path, grid: &Grid, fields: &[Field], f64: bool) -> Result<Self> {
        let header = Self::header_of(path, grid, fields, f64)?;
        publish(path, |temporary| geometry(temporary, &header, grid).map_err(|fault| fault.within(path.display())))?;
        Ok(Self::with(path, header))
    }

    /// The header of a new file.
    pub(super) fn header_of(path: &Path, grid: &Grid, fields: &[Field], f64: bool) -> Result<Header> {
        if fields.is_empty() {
            return Err(Fault::usage(format!("{}: a dump needs at least one field", path.display())));
        }
        if grid.id.len() != grid.position.len() || !(2..=3).contains(&grid.dimension) {
            return Err(Fault::usage(format!(
                "{}: {} node numbers, {} positions, dimension {}: not a grid",
                path.display(),
                grid.id.len(),
                grid.position.len(),
                grid.dimension
            )));
        }
        Ok(Header {
            dimension: grid.dimension,
            spacing: grid.spacing,
            origin: grid.origin,
            nodes: grid.id.len(),
            stride: Header::chunk_and_stride(grid.id.len()).1,
            fields: Field::in_order(fields.iter().copied()),
            f64,
            steps: Vec::new(),
        })
    }

    /// A writer on a file with this header.
    pub(super) fn with(path: &Path, header: Header) -> Self {
        Self { path: path.to_owned(), header, current: None }
    }

    /// Continues a file. Drops dumps after time step `keep_through_step`, and a dump that a killed run left incomplete.
    ///
    /// # Errors
    /// When the file is no dump, or cannot be written.
    pub fn reopen(path: &Path, keep_through_step: u64) -> Result<Self> {
        let file = h5::open_rw(path)?;
        let mut header = Header::read(&file, path)?;
        let keep = header.steps.partition_point(|step| step.step <= keep_through_step);
        header.steps.truncate(keep);
        shorten(&file, &header).map_err(writing(path))?;
        Ok(Self::with(path, header))
    }

    /// The dumps in the file.
    pub fn steps(&self) -> &[DumpStep] {
        &self.header.steps
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Global numbers of the nodes that the file holds, in its order.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn node_ids(&self) -> Result<Vec<NodeId>> {
        let file = h5::open(&self.path)?;
        let ids = file.dataset("hematite/node_id").and_then(|ids| ids.read_raw::<u64>());
        Ok(ids.map_err(reading(&self.path))?.into_iter().map(NodeId).collect())
    }

    /// Begins a dump; each of its fields follows by [`write`](Self::write).
    ///
    /// # Errors
    /// When `step` does not come after the last dump, or the file cannot be opened.
    pub fn begin(&mut self, step: DumpStep) -> Result<()> {
        if let Some(last) = self.header.steps.last().filter(|last| last.step >= step.step) {
            let (path, last, next) = (self.path.display(), last.step, step.step);
            return Err(Fault::io(format!("{path}: a dump at step {next} cannot follow one at step {last}")));
        }
        self.current = None;
        let columns: usize = self.header.fields.iter().map(|field| field.components()).sum();
        let width = if self.header.f64 { size_of::<f64>() } else { size_of::<f32>() };
        h5::check_limit(&self.path, (self.header.stride * columns * width) as u64)?;
        self.current = Some(Current { file: h5::open_rw(&self.path)?, step, written: Vec::new() });
        Ok(())
    }

    /// Writes one field of the current dump: `field.components()` values a node, in the grid's order.
    ///
    /// # Errors
    /// When number or precision of the values do not fit the file, or the file cannot be written.
    pub fn write(&mut self, field: Field, values: &Values) -> Result<()> {
        let fault = |what: String| Fault::io(format!("{}: field {}: {what}", self.path.display(), field.name()));
        let current = self.current.as_mut().ok_or_else(|| fault("no dump was begun".into()))?;
        if !self.header.fields.contains(&field) {
            return Err(fault("the file was made without it".into()));
        }
        let wanted = self.header.nodes * field.components();
        if values.len() != wanted || matches!(values, Values::F64(_)) != self.header.f64 {
            let precision = if self.header.f64 { "f64" } else { "f32" };
            return Err(fault(format!("got {} values, the file takes {wanted} in {precision}", values.len())));
        }
        let dump = self.header.steps.len();
        match values {
            Values::F32(values) => append(&current.file, &self.header, dump, field, values),
            Values::F64(values) => append(&current.file, &self.header, dump, field, values),
        }
        .map_err(writing(&self.path))?;
        current.written.push(field);
        Ok(())
    }

    /// Ends the dump, which is valid only now, and closes the file.
    ///
    /// # Errors
    /// When a field is missing, or the file cannot be written.
    pub fn end(&mut self) -> Result<()> {
        let path = self.path.display();
        let current = self.current.take().ok_or_else(|| Fault::io(format!("{path}: no dump was begun")))?;
        if let Some(field) = self.header.fields.iter().find(|field| !current.written.contains(field)) {
            return Err(Fault::io(format!("{path}: a dump ends without its field {}", field.name())));
        }
        let dump = self.header.steps.len();
        self.header
            .write_step(&current.file, dump, current.step, 1)
            .and_then(|()| Header::write_count(&current.file, dump + 1))
            .and_then(|()| current.file.close())
            .map_err(writing(&self.path))?;
        self.header.steps.push(current.step);
        Ok(())
    }
}

/// Writes a field of dump number `dump`.
pub(super) fn append<T: H5Type + NoUninit>(
    file: &File,
    header: &Header,
    dump: usize,
    field: Field,
    values: &[T],
) -> hdf5::Result<()> {
    let array = file.dataset(&format!("VTKHDF/CellData/{}", field.name()))?;
    h5::resize(&array, (dump + 1) * header.stride)?;
    h5::write_rows(&array, dump * header.stride, values)
}

/// Drops all rows of dumps that `header` does not count. Lowers the count first, so that it never exceeds the rows.
fn shorten(file: &File, header: &Header) -> hdf5::Result<()> {
    let dumps = header.steps.len();
    Header::write_count(file, dumps)?;
    let steps = file.group("VTKHDF/Steps")?;
    for array in steps.datasets()?.iter().chain(&steps.group("CellDataOffsets")?.datasets()?) {
        h5::resize(array, dumps)?;
    }
    h5::resize(&file.dataset("hematite/steps")?, dumps)?;
    for array in file.group("VTKHDF/CellData")?.datasets()? {
        h5::resize(&array, dumps * header.stride)?;
    }
    file.flush()
}

/// Makes a file with its geometry and no dump.
pub(super) fn geometry(path: &Path, header: &Header, grid: &Grid) -> Result<()> {
    write_geometry(path, header, grid, &Corners::of(grid)?).map_err(writing(path))
}

fn write_geometry(path: &Path, header: &Header, grid: &Grid, corners: &Corners) -> hdf5::Result<()> {
    let file = File::create(path)?;
    let (vtk, own) = header.write(&file)?;
    let (nodes, width) = (header.nodes, corners.per_voxel());
    let counts =
        [("NumberOfPoints", corners.len()), ("NumberOfCells", nodes), ("NumberOfConnectivityIds", nodes * width)];
    for (name, count) in counts {
        vtk.new_dataset::<i64>().shape(1).create(name)?.write(&[count as i64])?;
    }
    h5::stream(&h5::fixed::<f64>(&vtk, "Points", corners.len(), Some(3))?, corners.len(), |rows, out| {
        out.extend(rows.flat_map(|n| corners.point(n, grid)));
    })?;
    let connectivity = h5::fixed::<i64>(&vtk, "Connectivity", nodes * width, None)?;
    for (number, positions) in grid.position.chunks(h5::BATCH).enumerate() {
        h5::write_rows(&connectivity, number * h5::BATCH * width, &corners.connectivity(positions))?;
    }
    h5::stream(&h5::fixed::<i64>(&vtk, "Offsets", nodes + 1, None)?, nodes + 1, |rows, out| {
        out.extend(rows.map(|n| (n * width) as i64));
    })?;
    let (voxel, pixel) = (11_u8, 8_u8);
    h5::stream(&h5::fixed::<u8>(&vtk, "Types", nodes, None)?, nodes, |rows, out| {
        out.extend(rows.map(|_| if grid.dimension == 3 { voxel } else { pixel }));
    })?;
    h5::stream(&h5::fixed::<u64>(&own, "node_id", nodes, None)?, nodes, |rows, out| {
        out.extend(grid.id[rows].iter().map(|id| id.0));
    })?;
    h5::stream(&h5::fixed::<i32>(&own, "position", nodes, Some(3))?, nodes, |rows, out| {
        out.extend_from_slice(grid.position[rows].as_flattened());
    })?;
    let cells = vtk.group("CellData")?;
    let chunk = Header::chunk_and_stride(nodes).0;
    for &field in &header.fields {
        let array = match header.f64 {
            true => h5::growing::<f64>(&cells, field.name(), field_columns(field), chunk)?,
            false => h5::growing::<f32>(&cells, field.name(), field_columns(field), chunk)?,
        };
        h5::write_unit(&array, field.unit())?;
    }
    file.flush()
}
