//! The header of a rank file or an index.

use std::path::Path;

use hdf5::types::{FloatSize, TypeDescriptor};
use hdf5::{Dataset, File, Group};
use hematite_config::{Fault, Result};

use crate::h5::{self, SLAB, attribute, reading, set_attribute};
use crate::{DumpStep, Field, vtk};

/// Layout of a file of dumps, without its nodes.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Header {
    pub(super) dimension: usize,
    pub(super) spacing: f64,
    pub(super) origin: [f64; 3],
    /// Number of nodes in this file.
    pub(super) nodes: usize,
    /// Distance in rows between dumps in a cell array; at least `nodes`.
    pub(super) stride: usize,
    /// The fields, in the order of files.
    pub(super) fields: Vec<Field>,
    /// Whether values are f64; else they are f32.
    pub(super) f64: bool,
    pub(crate) steps: Vec<DumpStep>,
}

impl Header {
    /// Rows of a chunk and of a dump of `nodes` nodes. A dump fills whole chunks of about a slab.
    pub(super) fn chunk_and_stride(nodes: usize) -> (usize, usize) {
        let chunks = nodes.div_ceil(SLAB).max(1);
        let chunk = nodes.div_ceil(chunks).max(1);
        (chunk, chunk * chunks)
    }

    /// Reads and checks the header. Refuses arrays larger than the file can hold.
    pub(super) fn read(file: &File, path: &Path) -> Result<Self> {
        let damaged = |what: &str| Fault::usage(format!("{}: {what}: it is damaged", path.display()));
        let (vtk, own) = (|| Ok((file.group("VTKHDF")?, file.group("hematite")?)))().map_err(not_a_dump(path))?;
        let scalars = || -> hdf5::Result<(u64, f64, Vec<f64>, u64, u64, i64)> {
            let origin = own.attr("origin")?.read_raw::<f64>()?;
            let steps = vtk.group("Steps")?;
            Ok((
                attribute(&own, "dimension")?,
                attribute(&own, "spacing")?,
                origin,
                attribute(&own, "nodes")?,
                attribute(&own, "stride")?,
                attribute(&steps, "NSteps")?,
            ))
        };
        let (dimension, spacing, origin, nodes, stride, count) = scalars().map_err(reading(path))?;
        let origin = <[f64; 3]>::try_from(origin).map_err(|_| damaged("its origin is not three numbers"))?;
        let count = usize::try_from(count).map_err(|_| damaged("it holds a negative number of dumps"))?;
        if !(2..=3).contains(&dimension) || stride < nodes {
            return Err(damaged("dimension or stride is out of range"));
        }
        if own.link_exists("rank_files") {
            // Rank files are checked when they are opened.
        } else {
            h5::check_claim(path, "nodes", nodes)?;
        }
        h5::check_claim(path, "dumps", count as u64)?;
        let (nodes, stride) = (nodes as usize, stride as usize);
        let steps = read_steps(&vtk, &own, count).map_err(reading(path))?;
        let cells = vtk.group("CellData").map_err(reading(path))?;
        let mut fields = Vec::new();
        let mut f64 = false;
        for array in cells.datasets().map_err(reading(path))? {
            let name = array.name();
            let name = name.rsplit('/').next().unwrap_or_default();
            let field = Field::of_file(name, &h5::unit(&array), h5::columns(&array));
            f64 = holds_f64(&array).map_err(reading(path))?;
            let needed = count.checked_mul(stride).ok_or_else(|| damaged("its sizes overflow"))?;
            let rows = array.shape().first().copied().unwrap_or(0);
            let known = Field::FLUID.into_iter().find(|known| known.name() == name);
            if known.is_some_and(|known| known != field) || rows < needed {
                return Err(damaged(&format!("the array {} has the wrong size", field.name())));
            }
            fields.push(field);
        }
        let fields = Field::in_order(fields);
        Ok(Self { dimension: dimension as usize, spacing, origin, nodes, stride, fields, f64, steps })
    }

    /// Writes all but the arrays of nodes into a new file: attributes, and the groups of cell arrays and of Steps.
    pub(super) fn write(&self, file: &File) -> hdf5::Result<(Group, Group)> {
        let vtk = vtk::root(file, "UnstructuredGrid")?;
        let own = file.create_group("hematite")?;
        set_attribute(&own, "dimension", &(self.dimension as u64))?;
        set_attribute(&own, "spacing", &self.spacing)?;
        own.new_attr::<f64>().shape(3).create("origin")?.write(&self.origin)?;
        set_attribute(&own, "nodes", &(self.nodes as u64))?;
        set_attribute(&own, "stride", &(self.stride as u64))?;
        h5::series::<u64>(&own, "steps", None)?;
        vtk.create_group("CellData")?;
        let steps = vtk::steps(&vtk, 1)?;
        let offsets = steps.create_group("CellDataOffsets")?;
        for field in &self.fields {
            h5::series::<i64>(&offsets, field.name(), None)?;
        }
        Ok((vtk, own))
    }

    /// Writes the entries of dump number `dump` in Steps, except the number of dumps.
    pub(super) fn write_step(&self, file: &File, dump: usize, step: DumpStep, parts: usize) -> hdf5::Result<()> {
        let steps = file.group("VTKHDF/Steps")?;
        h5::set_last(&steps.dataset("Values")?, dump, &[step.time])?;
        h5::set_last(&steps.dataset("NumberOfParts")?, dump, &[parts as i64])?;
        for name in ["PartOffsets", "PointOffsets", "CellOffsets", "ConnectivityIdOffsets"] {
            h5::set_last(&steps.dataset(name)?, dump, &[0_i64])?;
        }
        let offsets = steps.group("CellDataOffsets")?;
        for field in &self.fields {
            h5::set_last(&offsets.dataset(field.name())?, dump, &[(dump * self.stride) as i64])?;
        }
        h5::set_last(&file.dataset("hematite/steps")?, dump, &[step.step])
    }

    /// Flushes the file, then sets the number of valid dumps.
    pub(super) fn write_count(file: &File, dumps: usize) -> hdf5::Result<()> {
        file.flush()?;
        file.group("VTKHDF/Steps")?.attr("NSteps")?.write_scalar(&(dumps as i64))?;
        file.flush()
    }
}

/// The number of columns of a field's array; `None` for a scalar.
pub(super) fn field_columns(field: Field) -> Option<usize> {
    (field.components() > 1).then(|| field.components())
}

fn read_steps(vtk: &Group, own: &Group, count: usize) -> hdf5::Result<Vec<DumpStep>> {
    let (steps, times) = (own.dataset("steps")?, vtk.dataset("Steps/Values")?);
    if steps.size() < count || times.size() < count {
        return Err("fewer time steps than dumps".into());
    }
    let steps = h5::read_rows::<u64>(&steps, 0, count)?;
    let times = h5::read_rows::<f64>(&times, 0, count)?;
    Ok(steps.into_iter().zip(times).map(|(step, time)| DumpStep { step, time }).collect())
}

fn holds_f64(array: &Dataset) -> hdf5::Result<bool> {
    match array.dtype()?.to_descriptor()? {
        TypeDescriptor::Float(FloatSize::U4) => Ok(false),
        TypeDescriptor::Float(FloatSize::U8) => Ok(true),
        other => Err(format!("values are {other}, not f32 or f64").into()),
    }
}

fn not_a_dump(path: &Path) -> impl Fn(hdf5::Error) -> Fault + '_ {
    move |_| Fault::usage(format!("{} is not a dump of fields that `run` wrote", path.display()))
}
