//! The WGSL of the kernels.

use std::f64::consts::{SQRT_2, TAU};

use hematite_config::Result;
use hematite_engine::sites::{self, PIECES, SOLID};
use hematite_engine::{RANDOM, random_context};
use hematite_gpu::{Gpu, Kernel, MAIN, MOST_GROUPS, Template, WORKGROUP, literal, render};
use minijinja::{Value, context};

use crate::config::{Collision, Walls};
use crate::parameters::Parameters;

/// Invocations that share the cells in [`Shader::Measure`].
pub const STRIDES: u32 = 4096;

/// Kernels of the fluid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shader {
    /// What happens in each cell.
    Collide,
    /// Collision, flight and sums of each particle.
    Step,
    /// The same with other ranks, in parts.
    SplitStep,
    /// Messages to other ranks.
    Pack,
    /// Sums of other ranks.
    Add,
    /// Particles of other ranks.
    Enter,
    /// Slots in use after these came.
    Close,
    /// Sums at sites.
    Sample,
    /// These added up.
    Accumulate,
    /// Totals.
    Measure,
    /// A new order of particles.
    Permute,
    /// Embedded points in the sums of cells.
    AddPoints,
    /// Collision of embedded points.
    CollidePoints,
    /// Message about embedded points to other ranks.
    TellPoints,
    /// What other ranks tell of embedded points.
    HearPoints,
}

macro_rules! file {
    ($name:literal) => {
        Template { name: $name, text: include_str!($name) }
    };
}

const PARTS: [Template; 19] = [
    file!("prelude.wgsl"),
    file!("lookup.wgsl"),
    file!("flight.wgsl"),
    file!("wall_velocity.wgsl"),
    file!("particles.wgsl"),
    file!("near.wgsl"),
    file!("fixed.wgsl"),
    file!("thermal.wgsl"),
    file!("collided.wgsl"),
    file!("leaving.wgsl"),
    file!("here.wgsl"),
    file!("distributions.wgsl"),
    file!("wide.wgsl"),
    file!("spin.wgsl"),
    file!("spin_of_cell.wgsl"),
    file!("turned.wgsl"),
    file!("senders.wgsl"),
    file!("shared_words.wgsl"),
    RANDOM,
];

impl Shader {
    /// All kernels.
    #[cfg(test)]
    pub const ALL: [Self; 15] = [
        Self::Collide,
        Self::Step,
        Self::SplitStep,
        Self::Pack,
        Self::Add,
        Self::Enter,
        Self::Close,
        Self::Sample,
        Self::Accumulate,
        Self::Measure,
        Self::Permute,
        Self::AddPoints,
        Self::CollidePoints,
        Self::TellPoints,
        Self::HearPoints,
    ];

    fn template(self) -> Template {
        match self {
            Self::Collide => file!("collide.wgsl"),
            Self::Step | Self::SplitStep => file!("step.wgsl"),
            Self::Pack => file!("pack.wgsl"),
            Self::Add => file!("add.wgsl"),
            Self::Enter => file!("enter.wgsl"),
            Self::Close => file!("close.wgsl"),
            Self::Sample => file!("sample.wgsl"),
            Self::Accumulate => file!("accumulate.wgsl"),
            Self::Measure => file!("measure.wgsl"),
            Self::Permute => file!("permute.wgsl"),
            Self::AddPoints => file!("add_points.wgsl"),
            Self::CollidePoints => file!("collide_points.wgsl"),
            Self::TellPoints => file!("tell_points.wgsl"),
            Self::HearPoints => file!("hear_points.wgsl"),
        }
    }

    /// Bytes of the immediate data.
    fn immediates(self) -> u32 {
        match self {
            Self::Add | Self::Accumulate => 4,
            Self::Pack | Self::Close | Self::TellPoints | Self::HearPoints => 8,
            Self::Permute => 16,
            Self::Collide
            | Self::Step
            | Self::SplitStep
            | Self::Enter
            | Self::Sample
            | Self::Measure
            | Self::AddPoints
            | Self::CollidePoints => 88,
        }
    }

    /// Whether it is for embedded points.
    #[cfg(test)]
    fn is_for_points(self) -> bool {
        matches!(self, Self::AddPoints | Self::CollidePoints | Self::TellPoints | Self::HearPoints)
    }

    /// The kernel's WGSL.
    pub fn wgsl(self, parameters: &Parameters) -> String {
        let shared = [&[MAIN], PIECES.as_slice(), PARTS.as_slice()].concat();
        let split = self == Self::SplitStep;
        // Particles of this workgroup are beyond all others, and their numbers below 2^32.
        let parts = context! { split, numbered => split, nowhere => u32::MAX / WORKGROUP, most_groups => MOST_GROUPS };
        render(self.template(), &shared, &context! { ..parts, ..context(parameters) })
    }

    /// The kernel on the device.
    ///
    /// # Errors
    /// Where the device refuses it.
    pub fn kernel(self, gpu: &Gpu, parameters: &Parameters) -> Result<Kernel> {
        Kernel::new(gpu, self.template().name, &self.wgsl(parameters), self.immediates())
    }
}

/// Which random numbers of a cell or a particle in a step are for what. Those of the gamma distribution come last.
fn purposes() -> Value {
    context! {
        rotation => 0,
        virtual_number => 1,
        virtual_momentum => 2,
        virtual_thermal => 3,
        thermal => 4,
        gamma => 64,
    }
}

/// Rows of four numbers in which collide.wgsl leaves what a cell does to its particles.
pub fn rows(parameters: &Parameters) -> u32 {
    match (parameters.angular_momentum, parameters.collision, parameters.dimension) {
        (true, ..) => 4,
        (false, Collision::Rotation, 2) => 1,
        (false, ..) => 2,
    }
}

fn context(parameters: &Parameters) -> Value {
    let Parameters { dimension, extent, periodic, collision, .. } = *parameters;
    let bits = parameters.bits();
    let axis = |a: usize| {
        let wraps = periodic[a] && a < dimension;
        let of_map = sites::axis(a, extent[a] as i32, wraps);
        context! { period => (extent[a] as u64) << bits, ..of_map }
    };
    let all: Vec<Value> = (0..3).map(axis).collect();
    let by_axis = context! {
        dimension,
        // Of all three axes where sites are looked up, of the domain's own where particles are.
        axes => all[..dimension].to_vec(),
        bits,
        one => literal(f64::from(1 << bits)),
        one_less => (1_i64 << bits) - 1,
        solid => SOLID,
        most_sites => 3 * parameters.reach() + 3,
        width => parameters.width(),
        record => parameters.record(),
        workgroup => WORKGROUP,
        strides => STRIDES,
    };
    let of_collision = context! {
        andersen => collision == Collision::Andersen,
        spin => parameters.angular_momentum,
        points => parameters.points.is_some(),
        first_of_spin => 2 + dimension + if collision == Collision::Andersen { dimension } else { 0 },
        length_scale => literal(parameters.length_scale()),
        // Rows of four numbers of what a cell does to its particles.
        rows => rows(parameters),
        thermostat => parameters.thermostat > 0.0,
        share => literal(parameters.thermostat),
        slip => parameters.walls == Walls::Slip,
        virtual => parameters.walls == Walls::NoSlip,
        in_wall => literal(parameters.in_wall()),
        speed => literal(parameters.speed),
        fastest => literal(parameters.fastest()),
        most => parameters.most_in_cell(),
        momentum_scale => literal(parameters.momentum_scale()),
        energy_scale => literal(parameters.energy_scale()),
        cos => literal(parameters.turn()[0]),
        sin => literal(parameters.turn()[1]),
        half_sin => literal(SQRT_2 * (0.5 * parameters.angle).sin()),
        turn => literal(TAU),
        seed => parameters.seed,
        purpose => purposes(),
        philox => random_context(),
    };
    context! { ..by_axis, ..of_collision }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_kernels_are_valid_wgsl() {
        for parameters in Parameters::samples() {
            let with_points = |shader: &Shader| parameters.points.is_some() || !shader.is_for_points();
            for shader in Shader::ALL.into_iter().filter(with_points) {
                wgsl_checks::validate((shader, &parameters), &shader.wgsl(&parameters));
            }
        }
    }
}
