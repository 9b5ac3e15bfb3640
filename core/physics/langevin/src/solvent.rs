//! The solvent on the device.

use hematite_config::Result;
use hematite_engine::{EmbeddedPoints, PointNeeds, RANDOM, random_context};
use hematite_gpu::{Bound, Gpu, Kernel, MAIN, Recorder, Template, WORKGROUP, literal, render};
use minijinja::context;

/// A solvent in lattice units: lengths in spacings, times in steps, masses in those of a usual point.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameters {
    /// 2 or 3.
    pub dimension: usize,
    /// Thermal speed along an axis of a point of unit mass, sqrt(kT/m).
    pub speed: f64,
    /// Friction xi of a point, masses a step.
    pub friction: f64,
    /// The key of random numbers.
    pub seed: [u32; 2],
}

/// Which random numbers of a point in a step are for its noise.
const NOISE: u32 = 32;

const THERMALIZE: Template = Template { name: "thermalize.wgsl", text: include_str!("thermalize.wgsl") };

impl Parameters {
    /// The WGSL of the kernel for so many points.
    pub fn wgsl(&self, count: u32) -> String {
        let axes = ["x", "y", "z"][..self.dimension].iter().enumerate();
        let context = context! {
            axes => axes.map(|(index, name)| context! { index, name }).collect::<Vec<_>>(),
            count,
            speed => literal(self.speed),
            friction => literal(self.friction),
            noise => NOISE,
            seed => self.seed,
            philox => random_context(),
            workgroup => WORKGROUP,
        };
        render(THERMALIZE, &[MAIN, RANDOM], &context)
    }
}

/// The solvent and the points in it.
pub struct Solvent {
    points: EmbeddedPoints,
    kernel: Kernel,
    bound: Bound,
}

impl Solvent {
    /// Room for the points that `needs` tells of; who brings them fills and moves them.
    ///
    /// # Errors
    /// When the device lacks room.
    pub fn new(gpu: &Gpu, parameters: &Parameters, needs: PointNeeds) -> Result<Self> {
        let array = |label: &str, each: u32| gpu.buffer(label, 4 * u64::from(needs.count * each));
        let d = parameters.dimension as u32;
        let points = EmbeddedPoints {
            position: array("positions of points", d)?,
            velocity: array("velocities of points", d)?,
            mass: array("masses of points", 1)?,
            count: needs.count,
        };
        let kernel = Kernel::new(gpu, THERMALIZE.name, &parameters.wgsl(needs.count), 8)?;
        let bound = kernel.bind(gpu, &[("velocity", &points.velocity), ("mass", &points.mass)]);
        Ok(Self { points, kernel, bound })
    }

    /// The points, for who moves them.
    pub fn points(&self) -> &EmbeddedPoints {
        &self.points
    }

    /// Records that velocities relax and are stirred in step `step`.
    pub fn record_step(&self, recorder: &mut Recorder, step: u64) {
        recorder.phase("friction and noise");
        let count = self.points.count;
        recorder.dispatch(&self.kernel, &self.bound, count, &[count, step as u32]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernel_is_valid_wgsl() {
        for dimension in [2, 3] {
            let parameters = Parameters { dimension, speed: 0.05, friction: 0.2, seed: [1, 2] };
            wgsl_checks::validate(&parameters, &parameters.wgsl(100));
        }
    }
}
