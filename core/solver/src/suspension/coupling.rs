//! Immersed boundary: velocities from nodes to vertices, vertices along them, forces from vertices to nodes.
//!
//! Near walls the weights of the fluid nodes around a vertex are divided by their sum, so that a uniform velocity stays
//! what it is and the whole force reaches the fluid. The wall holds vertices off (`wall_hold.wgsl`): one with less than
//! [`LEAST_WEIGHT`] of its kernel in the fluid was put into the wall.

use hematite_config::{Fault, Result};
use hematite_gpu::{Bound, Buffer, Gpu, Kernel, Recorder};

use super::shaders::{Shader, Span, Variant, kernel};
use super::vertices::Vertices;
use super::wall_distance::WallDistance;
use crate::Precision;
use crate::lattice_boltzmann::Shared;
use crate::sites::SiteMap;

/// The fastest that a vertex may move, lattice units a step; beyond it the cell is broken.
pub const FASTEST: f64 = 0.25;

/// The largest component of the force on a vertex, lattice units; beyond it the cell is broken. The fluid at a node would gain so
/// much velocity in one step.
pub const LARGEST_FORCE: f64 = 7.0 / 16.0;

/// The largest component of the force of all vertices on a node, lattice units; beyond it a cell there is broken. A node holds twice
/// as much, so that no sum wraps unseen: forces above [`STRONG`] find out what they add up to, and of others it takes a
/// thousand at one node.
pub const LARGEST_NODE_FORCE: f64 = 1.0;

/// Smaller forces do not look what is at the node.
pub(super) const STRONG: f64 = 1.0 / 1024.0;

/// The least share of a vertex's kernel that must be in the fluid; below it the cell is broken.
pub const LEAST_WEIGHT: f64 = 1.0 / 64.0;

/// The kernel between vertices and nodes, a product over the axes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Support {
    /// Linear hat, 2 points along each axis.
    #[default]
    Two,
    /// Roma, Peskin and Berger (J. Comput. Phys. 153, 509, 1999), 3 points.
    Three,
    /// Peskin (Acta Numerica 11, 479, 2002), 4 points.
    Four,
}

impl Support {
    /// The kernel of so many points along each axis, as `cells.kernel` of a run has it.
    ///
    /// # Errors
    /// A usage fault where there is none.
    pub fn of(points: u8) -> Result<Self> {
        match points {
            2 => Ok(Self::Two),
            3 => Ok(Self::Three),
            4 => Ok(Self::Four),
            _ => Err(Fault::usage(format!("cells.kernel {points} must be 2, 3 or 4 points"))),
        }
    }

    /// Points along each axis.
    pub fn points(self) -> usize {
        match self {
            Self::Two => 2,
            Self::Three => 3,
            Self::Four => 4,
        }
    }

    /// The largest distance along an axis between a vertex and a node it meets, lattice units.
    pub fn reach(self) -> f64 {
        0.5 * self.points() as f64
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
    shared: Shared,
    stride: u32,
}

impl Coupling {
    /// Kernels for `vertices` among the nodes of `map`, whose sites have the distance `wall` from the wall.
    ///
    /// # Errors
    /// Where the device refuses a kernel.
    pub fn new(
        gpu: &Gpu,
        precision: Precision,
        support: Support,
        map: &SiteMap,
        wall: &WallDistance,
        vertices: &Vertices,
        shared: &Shared,
    ) -> Result<Self> {
        let (dimension, extent, periodic) = (map.dimension, map.extent, map.periodic);
        let variant = Variant { dimension, precision, extent, periodic, support, contact: None };
        let buffers = buffers(map, wall, vertices, shared);
        let made = |shader: Shader| -> Result<(Kernel, Bound)> {
            let kernel = kernel(gpu, shader, &variant)?;
            let bound = kernel.bind(gpu, &buffers);
            Ok((kernel, bound))
        };
        Ok(Self {
            interpolate: made(Shader::Interpolate)?,
            advance: made(Shader::Advance)?,
            spread: made(Shader::Spread)?,
            clear: made(Shader::Fill)?,
            map: map.clone(),
            wall: wall.clone(),
            shared: shared.clone(),
            stride: vertices.stride,
        })
    }

    /// Where sites are.
    pub(super) fn map(&self) -> &SiteMap {
        &self.map
    }

    /// Takes other arrays of vertices.
    pub fn rebind(&mut self, gpu: &Gpu, vertices: &Vertices) {
        let buffers = buffers(&self.map, &self.wall, vertices, &self.shared);
        for (kernel, bound) in [&mut self.interpolate, &mut self.advance, &mut self.spread] {
            *bound = kernel.bind(gpu, &buffers);
        }
        self.stride = vertices.stride;
    }

    /// Velocity of the fluid at the vertices after step `step`, as far as own nodes tell: the sum over ranks is the whole. By it
    /// vertices move for `steps` steps.
    pub fn record_interpolate(&self, recorder: &mut Recorder, step: u32, steps: u32) {
        self.record(recorder, &self.interpolate, step, steps);
    }

    /// Moves the vertices by `steps` steps, fewer than 16 384.
    pub fn record_advance(&self, recorder: &mut Recorder, step: u32, steps: u32) {
        self.record(recorder, &self.advance, step, steps);
    }

    /// Sets the forces on all nodes to zero.
    pub fn record_clear(&self, recorder: &mut Recorder) {
        let words = (self.shared.node_force.bytes() / 4) as u32;
        recorder.dispatch(&self.clear.0, &self.clear.1, words, &[words, 0, 0]);
    }

    /// Adds the forces on vertices to those on own nodes.
    pub fn record_spread(&self, recorder: &mut Recorder, step: u32) {
        self.record(recorder, &self.spread, step, 1);
    }

    fn record(&self, recorder: &mut Recorder, (kernel, bound): &(Kernel, Bound), step: u32, steps: u32) {
        let span = Span { stride: self.stride, node_stride: self.shared.stride, step, steps, ..Span::default() };
        recorder.dispatch(kernel, bound, self.stride, &span.words(self.stride, Some(&self.map)));
    }
}

fn buffers<'a>(
    map: &'a SiteMap,
    wall: &'a WallDistance,
    vertices: &'a Vertices,
    shared: &'a Shared,
) -> Vec<(&'a str, &'a Buffer)> {
    let mut buffers = vertices.table();
    buffers.extend([
        ("directory", &map.directory),
        ("sites", &map.sites),
        ("wall_distance", &wall.0),
        ("node_force", &shared.node_force),
        ("node_velocity", &shared.node_velocity),
        ("words", &shared.node_force),
    ]);
    buffers
}
