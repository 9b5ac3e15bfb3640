//! What kernels are specialised for.

use hematite_case::VelocitySet;
use hematite_engine::rank_channel::RankChannel;
use hematite_engine::{CONTRASTS, Precision};
use hematite_gpu::{Gpu, WORKGROUP};

use super::{Shader, width};

/// What a kernel is specialised for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Variant {
    /// The velocity set.
    pub set: VelocitySet,
    /// Storage and arithmetic.
    pub precision: Precision,
    /// Relaxation rate of the even parts, 1 / tau.
    pub omega_plus: f64,
    /// Relaxation rate of the odd parts.
    pub omega_minus: f64,
    /// Whether a body force acts.
    pub force: bool,
    /// What cells and rigid bodies ask of the fluid, if there are any.
    pub immersed: Option<Immersed>,
    /// Whether the points of immersed walls hold the fluid.
    pub held: bool,
    /// Number of openings of the case.
    pub openings: usize,
    /// Factors of each in a row.
    pub terms: usize,
    /// How the step is done.
    pub tuning: Tuning,
    /// How messages of kernels get to other ranks.
    pub delivery: Delivery,
}

/// How messages of kernels get to other ranks, and those of other ranks to kernels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Delivery {
    /// The host sees to it between kernels.
    Host,
    /// Kernels can signal to the host, and wait for it, by themselves.
    Signals,
    /// Kernels put words into a link and take them out.
    Link,
}

impl Delivery {
    /// What kernels on a device can do before its rank is linked to others.
    pub fn of(gpu: &Gpu) -> Self {
        if gpu.may_signal() { Self::Signals } else { Self::Host }
    }

    /// How messages of a channel travel.
    pub(crate) fn through(channel: &RankChannel) -> Self {
        match (channel.is_linked(), channel.signals()) {
            (true, _) => Self::Link,
            (false, Some(_)) => Self::Signals,
            (false, None) => Self::Host,
        }
    }
}

/// Ways to do a step: the same numbers, at other speeds on other devices.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Tuning {
    /// Whether odd steps see to populations at walls apart from the others, and read links once more for their stores: faster on GPUs in
    /// f32, slower in f16 and on software devices.
    pub apart: bool,
    /// Whether odd steps go from the last nodes to the first, so that they begin with what the step before left in the cache: faster on
    /// GPUs.
    pub backwards: bool,
    /// Whether the forces of cells and rigid bodies on nodes are wide, see [`hematite_engine::NodeForces`]: faster,
    /// where kernels can do it.
    pub wide: bool,
    /// Whether kernels read and write two numbers of 32 bits side by side as one of 64: faster on software devices,
    /// which go through the invocations for each number. Steps that pack messages do not.
    pub joined: bool,
    /// Whether the step packs messages itself where bodies ask for one every step: that saves a kernel. On software
    /// devices a branch costs what is in it even where nobody takes it.
    pub packs: bool,
}

impl Tuning {
    /// What is fastest on a device.
    pub fn of(gpu: &Gpu, precision: Precision) -> Self {
        let device = gpu.info();
        let by_lanes = gpu.goes_by_lanes();
        Self {
            apart: !device.software && precision != Precision::F16,
            backwards: !device.software,
            wide: device.wide_additions,
            packs: !by_lanes,
            joined: by_lanes && device.wide_additions && precision == Precision::F32,
        }
    }
}

/// What cells and rigid bodies ask of the fluid: it takes forces at nodes, and leaves velocities there.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Immersed {
    /// Relaxation rates inside cells, where they differ from those outside. Entry k holds the rates [even, odd] of nodes
    /// with bit k of their mark. Of several bits the highest counts.
    pub inside: [Option<[f64; 2]>; CONTRASTS],
}

impl Immersed {
    /// Cells of so many viscosities, [`CONTRASTS`] at most, by the relaxation rates inside.
    pub fn with(inside: &[[f64; 2]]) -> Self {
        Self { inside: std::array::from_fn(|k| inside.get(k).copied()) }
    }

    /// Whether the viscosity inside some cells differs.
    pub fn has_contrast(&self) -> bool {
        self.inside.iter().any(Option::is_some)
    }
}

impl Variant {
    /// Whether the viscosity inside cells differs.
    pub fn contrast(&self) -> bool {
        self.immersed.is_some_and(|immersed| immersed.has_contrast())
    }

    /// Which bits mark nodes inside cells, and the relaxation rates there.
    pub fn insides(&self) -> impl Iterator<Item = (usize, [f64; 2])> {
        let inside = self.immersed.unwrap_or_default().inside;
        inside.into_iter().enumerate().filter_map(|(k, rates)| Some((k, rates?)))
    }

    /// Whether a kernel puts what crosses to other parts into the message by itself: the step's, where it is to.
    pub(crate) fn packs(&self, shader: Shader) -> bool {
        shader == Shader::Step && self.immersed.is_some() && self.tuning.packs
    }

    /// Nodes that a workgroup of a step has.
    pub(crate) fn nodes_of_workgroup(&self, odd: bool) -> u32 {
        width(Shader::Step, self.precision, odd) * WORKGROUP
    }

    /// Whether the body force comes with the dispatch: numbers that all invocations share need no registers there.
    pub(crate) fn immediate_force(&self, shader: Shader) -> bool {
        self.force && shader == Shader::Step && self.precision != Precision::F64
    }

    /// Whether the force of walls is part of the force in a kernel.
    pub fn acts(&self, shader: Shader) -> bool {
        self.held && shader != Shader::WallVelocity
    }
}
