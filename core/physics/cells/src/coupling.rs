//! Immersed boundary: velocities from nodes to vertices, vertices along them, forces from vertices to nodes.
//!
//! Near walls the weights of the fluid nodes around a vertex are divided by their sum, so that a uniform velocity stays
//! what it is and the whole force reaches the fluid. The wall holds vertices off (`wall_hold.wgsl`): one with less than
//! `LEAST_WEIGHT` of its kernel in the fluid was put into the wall.

use std::ops::Range;

use hematite_config::Result;
use hematite_engine::sites::SiteMap;
use hematite_engine::{Precision, SharedNodes, Support};
use hematite_gpu::{Bound, Buffer, Gpu, Kernel, Recorder, WORKGROUP};
use hematite_membrane::{HeldCell, Vertices, Which, Workgroups};

use super::shaders::{Shader, Span, Variant, kernel};
use super::wall_distance::WallDistance;

/// What the kernels of a coupling are specialised for.
#[derive(Clone, Copy, Debug)]
pub struct CouplingVariant {
    /// Arithmetic.
    pub precision: Precision,
    /// The kernel between vertices and nodes.
    pub support: Support,
    /// Whether workgroups join in their memory what their vertices spread, which gives the same sums (`join.wgsl`).
    pub joins: bool,
}

impl CouplingVariant {
    /// The faster variant on `gpu`. Software has no fast memory for workgroups, and four points reach too many nodes for it.
    pub fn new(gpu: &Gpu, precision: Precision, support: Support) -> Self {
        Self { precision, support, joins: !gpu.info().software && support != Support::Four }
    }
}

/// The kernels between the vertices and the own nodes of one rank.
pub struct Coupling {
    interpolate: (Kernel, Bound),
    advance: (Kernel, Bound),
    spread: (Kernel, Bound),
    clear: (Kernel, Bound),
    map: SiteMap,
    wall: WallDistance,
    shared: SharedNodes,
    load: Buffer,
    workgroups: Workgroups,
    stride: u32,
}

impl Coupling {
    /// Kernels for `vertices` among the nodes of `map`, whose sites have the distance `wall` from the wall.
    ///
    /// # Errors
    /// Where the device refuses a kernel.
    pub fn new(
        gpu: &Gpu,
        CouplingVariant { precision, support, joins }: CouplingVariant,
        map: &SiteMap,
        wall: &WallDistance,
        vertices: &Vertices,
        shared: &SharedNodes,
    ) -> Result<Self> {
        let (dimension, extent, periodic) = (map.dimension, map.extent, map.periodic);
        let variant = Variant {
            dimension,
            precision,
            extent,
            periodic,
            support,
            contact: None,
            splits: false,
            pushed: shared.surface.is_some(),
            joins,
            wide: shared.node_forces.wide,
        };
        let pushes = pushes(shared);
        let workgroups = lists(gpu, vertices)?;
        let load = gpu.buffer("node_load", 4 * u64::from(shared.stride))?;
        let buffers = buffers(map, wall, vertices, shared, &load, &workgroups, pushes.as_ref());
        let made = |shader: Shader| -> Result<(Kernel, Bound)> {
            let kernel = kernel(gpu, shader, &variant)?;
            let bound = kernel.bind(gpu, &buffers);
            Ok((kernel, bound))
        };
        Ok(Self {
            interpolate: made(Shader::Interpolate)?,
            advance: made(Shader::Advance)?,
            spread: made(Shader::Spread)?,
            clear: made(Shader::Clear)?,
            map: map.clone(),
            wall: wall.clone(),
            shared: shared.clone(),
            load,
            workgroups,
            stride: vertices.stride,
        })
    }

    /// Where sites are.
    pub(super) fn map(&self) -> &SiteMap {
        &self.map
    }

    /// Takes other arrays of vertices. Cells have to be told apart anew.
    ///
    /// # Errors
    /// Where the device lacks room.
    pub fn rebind(&mut self, gpu: &Gpu, vertices: &Vertices) -> Result<()> {
        self.workgroups = lists(gpu, vertices)?;
        let pushes = pushes(&self.shared);
        let buffers =
            buffers(&self.map, &self.wall, vertices, &self.shared, &self.load, &self.workgroups, pushes.as_ref());
        for (kernel, bound) in [&mut self.interpolate, &mut self.advance, &mut self.spread] {
            *bound = kernel.bind(gpu, &buffers);
        }
        self.stride = vertices.stride;
        Ok(())
    }

    /// Tells apart cells that other ranks hold too: `held` has the slots of cells, their vertices, and whether others hold
    /// them. Needed before work on some of the cells is recorded.
    ///
    /// # Errors
    /// When the device is lost.
    pub fn tell_apart(&mut self, gpu: &Gpu, held: impl Iterator<Item = (u32, Range<u32>, bool)>) -> Result<()> {
        let cell = |(slot, vertices, elsewhere): (u32, Range<u32>, bool)| {
            let workgroups = vertices.start / WORKGROUP..vertices.end.div_ceil(WORKGROUP);
            HeldCell { slot, workgroups, elsewhere }
        };
        self.workgroups.write(gpu, held.map(cell))
    }

    /// Velocity of the fluid at all vertices after step `step`, as far as own nodes tell: the sum over ranks is the whole. By it
    /// vertices move for `steps` steps.
    pub fn record_interpolate(&self, recorder: &mut Recorder, step: u32, steps: u32) {
        recorder.phase("interpolate");
        self.record(recorder, &self.interpolate, Which::All, step, steps);
    }

    /// Moves the vertices of `which` cells by `steps` steps, fewer than 16 384.
    pub fn record_advance(&self, recorder: &mut Recorder, which: Which, step: u32, steps: u32) {
        recorder.phase("move");
        self.record(recorder, &self.advance, which, step, steps);
    }

    /// Sets the loads of all nodes to zero, and the forces on them if `forces`.
    pub fn record_clear(&self, recorder: &mut Recorder, forces: bool) {
        let [all, loads] = [&self.shared.node_forces.words, &self.load].map(|buffer| (buffer.bytes() / 4) as u32);
        let forces = if forces { all } else { 0 };
        recorder.dispatch(&self.clear.0, &self.clear.1, forces + loads, &[forces + loads, forces]);
    }

    /// Adds the forces on vertices to those on own nodes.
    pub fn record_spread(&self, recorder: &mut Recorder, step: u32) {
        self.record(recorder, &self.spread, Which::All, step, 1);
    }

    fn record(&self, recorder: &mut Recorder, (kernel, bound): &(Kernel, Bound), which: Which, step: u32, steps: u32) {
        let (stride, node_stride) = (self.stride, self.shared.stride);
        let (first, workgroups) = self.workgroups.of(which, stride.div_ceil(WORKGROUP));
        let span = Span { stride, node_stride, step, steps, which, first, ..Span::default() };
        recorder.dispatch(kernel, bound, workgroups * WORKGROUP, &span.words(stride, Some(&self.map)));
    }
}

/// Lists of the workgroups over all vertices.
fn lists(gpu: &Gpu, vertices: &Vertices) -> Result<Workgroups> {
    Workgroups::new(gpu, vertices.slots, vertices.stride.div_ceil(WORKGROUP))
}

/// What others push vertices with, where they do.
fn pushes(shared: &SharedNodes) -> Option<Buffer> {
    shared.surface.as_ref().map(|surface| surface.borrow().pushes.clone())
}

fn buffers<'a>(
    map: &'a SiteMap,
    wall: &'a WallDistance,
    vertices: &'a Vertices,
    shared: &'a SharedNodes,
    load: &'a Buffer,
    workgroups: &'a Workgroups,
    pushes: Option<&'a Buffer>,
) -> Vec<(&'a str, &'a Buffer)> {
    let mut buffers = vertices.table();
    buffers.extend([
        ("directory", &map.directory),
        ("sites", &map.sites),
        ("wall_distance", &wall.0),
        ("node_velocity", &shared.node_velocity),
        ("words", &shared.node_forces.words),
        ("node_load", load),
        ("workgroups", &workgroups.words),
    ]);
    buffers.extend(shared.node_forces.table());
    buffers.extend(pushes.map(|pushes| ("pushes", pushes)));
    buffers
}
