//! The kernel of one population.

use hematite_cells::{Mechanics, Surface};
use hematite_config::Result;
use hematite_engine::Precision;
use hematite_gpu::{Bound, Buffer, Gpu, Kernel, Recorder, WORKGROUP};

use super::model::Model;
use super::reference;
use super::shaders::{self, Flags};
use crate::{HeldCell, LARGEST_FORCE, Range, Vertices, Which, Workgroups};

/// Largest force on a vertex, lattice units; a cell with a larger force or NaN is broken.
pub const FORCE_LIMIT: f64 = LARGEST_FORCE;

/// The kernel of one population and its reference tables on the device.
#[derive(Clone, Debug)]
pub struct Membrane {
    precision: Precision,
    vertices: u32,
    stride: u32,
    room: u32,
    kernel: Kernel,
    bound: Bound,
    tables: Vec<(&'static str, Buffer)>,
    workgroups: Workgroups,
    shape: Buffer,
    /// Scratch arrays: name, bytes a vertex.
    scratch: Vec<(&'static str, u64)>,
}

impl Membrane {
    /// The membranes of the population in `range`. `surface` is in lattice units at full size, `mechanics` in lattice
    /// units.
    ///
    /// # Errors
    /// A usage fault where [`Model::new`] refuses or the device lacks room.
    pub fn new(
        gpu: &Gpu,
        precision: Precision,
        dimension: usize,
        surface: &Surface,
        mechanics: &Mechanics,
        vertices: &Vertices,
        range: &Range,
    ) -> Result<Self> {
        let model = Model::new(dimension, surface, mechanics)?;
        let flags = Flags::of(&model);
        let real = precision.real_bytes() as u64;
        let mut tables = Vec::new();
        let mut scratch = match &model.links {
            None => {
                tables.push(table(gpu, "reference", &precision.pack_real(&reference::of_ring(&model)))?);
                vec![("place", 2 * real), ("pull", 2 * real), ("moment", 2 * real)]
            }
            Some(links) => {
                let mesh = reference::of_mesh(&model, links, &flags);
                tables.push(table(gpu, "valence", bytemuck::cast_slice(&mesh.valence))?);
                tables.push(table(gpu, "ring", bytemuck::cast_slice(&mesh.ring))?);
                tables.push(table(gpu, "triangles", bytemuck::cast_slice(&mesh.triangles))?);
                tables.push(table(gpu, "reference", &precision.pack_real(&mesh.reference))?);
                let mut names = vec![("place", 4 * real)];
                if flags.gompper_kroll {
                    names.push(("bend", 4 * real));
                }
                names
            }
        };
        if mechanics.fairing > 0.0 {
            let element = if dimension == 2 { 2 * real } else { 4 * real };
            scratch.extend([("offset", element), ("unevenness", element)]);
            tables.push(table(gpu, "fold_at_rest", &precision.pack_real(&reference::folds(&model)))?);
        }
        let wgsl = shaders::wgsl(&model, precision);
        let kernel = Kernel::new(gpu, "membrane", &wgsl, shaders::IMMEDIATES)?;
        let (shape, workgroups, bound) = bind(gpu, &kernel, precision, &tables, &scratch, vertices, range)?;
        Ok(Self {
            precision,
            vertices: surface.vertices.len() as u32,
            stride: vertices.stride,
            room: range.room,
            kernel,
            bound,
            tables,
            workgroups,
            shape,
            scratch,
        })
    }

    /// Binds new vertex arrays, or a range with different `room`. Cells have to be told apart anew.
    ///
    /// # Errors
    /// A usage fault where the device lacks room.
    pub fn bind(&mut self, gpu: &Gpu, vertices: &Vertices, range: &Range) -> Result<()> {
        (self.shape, self.workgroups, self.bound) =
            bind(gpu, &self.kernel, self.precision, &self.tables, &self.scratch, vertices, range)?;
        (self.stride, self.room) = (vertices.stride, range.room);
        Ok(())
    }

    /// Tells apart cells that other ranks hold too: `held` has the slots within `range`, and whether others hold the cells
    /// in them. Needed before [`Membrane::record_below`] for some of the cells.
    ///
    /// # Errors
    /// When the device is lost.
    pub fn tell_apart(&mut self, gpu: &Gpu, range: &Range, held: impl Iterator<Item = (u32, bool)>) -> Result<()> {
        let (_, teams) = shaders::teams(self.vertices as usize);
        let cell = |(slot, elsewhere)| {
            let workgroup = slot / teams;
            HeldCell { slot: range.first_slot + slot, workgroups: workgroup..workgroup + 1, elsewhere }
        };
        self.workgroups.write(gpu, held.map(cell))
    }

    /// Records the kernel for forces on the vertices of the population's cells, in lattice units, and for the cells'
    /// areas and volumes. Overwrites the cells' part of `force`. Marks cells as broken at `step` that are torn, or have
    /// a force of [`FORCE_LIMIT`] or more or NaN.
    pub fn record(&self, recorder: &mut Recorder, range: &Range, step: u32) {
        self.record_below(recorder, range, Which::All, step, FORCE_LIMIT);
    }

    /// [`Membrane::record`] for some of the cells, with `limit` in place of [`FORCE_LIMIT`].
    pub fn record_below(&self, recorder: &mut Recorder, range: &Range, which: Which, step: u32, limit: f64) {
        debug_assert!(range.cells <= self.room && range.vertices == self.vertices);
        let (_, teams) = shaders::teams(self.vertices as usize);
        let limit = (limit as f32).to_bits();
        let (first, workgroups) = self.workgroups.of(which, range.cells.div_ceil(teams));
        let Range { first_vertex, first_slot, cells, .. } = *range;
        let immediates = [first_vertex, first_slot, cells, self.stride, step, limit, which.code(), first];
        recorder.dispatch(&self.kernel, &self.bound, workgroups * WORKGROUP, &immediates);
    }

    /// Area and volume of each cell (2-D: perimeter and area) at the last [`Membrane::record`], in slot order and
    /// lattice units.
    ///
    /// # Errors
    /// An I/O fault when the device is lost.
    pub fn shapes(&self, gpu: &Gpu, range: &Range) -> Result<Vec<[f64; 2]>> {
        let pair = 2 * self.precision.real_bytes();
        let bytes = gpu.download::<u8>(&self.shape, 0, range.cells as usize * pair)?;
        Ok(self.precision.unpack_real(&bytes).chunks_exact(2).map(|pair| [pair[0], pair[1]]).collect())
    }
}

fn table(gpu: &Gpu, name: &'static str, bytes: &[u8]) -> Result<(&'static str, Buffer)> {
    let buffer = gpu.buffer(name, bytes.len() as u64)?;
    gpu.upload(&buffer, 0, bytes)?;
    Ok((name, buffer))
}

/// Makes the buffer of areas and volumes, the lists of workgroups and the scratch arrays, and binds all that the kernel
/// needs.
fn bind(
    gpu: &Gpu,
    kernel: &Kernel,
    precision: Precision,
    tables: &[(&'static str, Buffer)],
    scratch: &[(&'static str, u64)],
    vertices: &Vertices,
    range: &Range,
) -> Result<(Buffer, Workgroups, Bound)> {
    let shape = gpu.buffer("areas and volumes of cells", 2 * precision.real_bytes() as u64 * u64::from(range.room))?;
    let (_, teams) = shaders::teams(range.vertices as usize);
    let workgroups = Workgroups::new(gpu, vertices.slots, range.room.div_ceil(teams))?;
    let most = u64::from(range.room) * u64::from(range.vertices);
    let scratch =
        scratch.iter().map(|&(name, bytes)| Ok((name, gpu.buffer(name, bytes * most)?))).collect::<Result<Vec<_>>>()?;
    let mut all = vertices.table();
    all.extend(tables.iter().chain(&scratch).map(|(name, buffer)| (*name, buffer)));
    all.extend([("shape", &shape), ("workgroups", &workgroups.words)]);
    let bound = kernel.bind(gpu, &all);
    Ok((shape, workgroups, bound))
}
