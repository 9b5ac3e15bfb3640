//! The WGSL of the kernels.

use hematite_config::Result;
use hematite_engine::sites::{self, PIECES, SOLID};
use hematite_gpu::{Gpu, Kernel, MAIN, Template, WORKGROUP, literal, render};
use minijinja::{Value, context};

use crate::chains::NONE;
use crate::parameters::{LONGEST, Parameters};

/// Kernels of polymers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shader {
    /// Motion of beads in one or several sub-steps.
    SubSteps,
    /// The bucket of each bead in the grid in which neighbours are found.
    Keys,
    /// Lists of neighbours.
    Lists,
}

macro_rules! file {
    ($name:literal) => {
        Template { name: $name, text: include_str!($name) }
    };
}

const PARTS: [Template; 9] = [
    file!("prelude.wgsl"),
    file!("beads.wgsl"),
    file!("harmonic.wgsl"),
    file!("fene.wgsl"),
    file!("bending.wgsl"),
    file!("lennard_jones.wgsl"),
    file!("force.wgsl"),
    file!("motion.wgsl"),
    file!("grid.wgsl"),
];

impl Shader {
    /// All kernels.
    #[cfg(test)]
    pub const ALL: [Self; 3] = [Self::SubSteps, Self::Keys, Self::Lists];

    fn template(self) -> Template {
        match self {
            Self::SubSteps => file!("sub_steps.wgsl"),
            Self::Keys => file!("keys.wgsl"),
            Self::Lists => file!("lists.wgsl"),
        }
    }

    /// The kernel's WGSL for `beads` beads.
    pub fn wgsl(self, parameters: &Parameters, beads: u32) -> String {
        render(self.template(), &[&[MAIN], PIECES.as_slice(), PARTS.as_slice()].concat(), &context(parameters, beads))
    }

    /// The kernel on the device.
    ///
    /// # Errors
    /// Where the device refuses it.
    pub fn kernel(self, gpu: &Gpu, parameters: &Parameters, beads: u32) -> Result<Kernel> {
        Kernel::new(gpu, self.template().name, &self.wgsl(parameters, beads), 48)
    }
}

/// Buckets of the grid for so many beads, a power of two.
pub fn buckets(beads: u32) -> u32 {
    (2 * beads.max(1)).next_power_of_two()
}

fn context(parameters: &Parameters, beads: u32) -> Value {
    let Parameters { dimension, extent, periodic, bits, .. } = *parameters;
    let (counts, edges) = parameters.grid();
    let axis = |a: usize| {
        let period = (extent[a] as u64) << bits;
        context! {
            period,
            half => period / 2,
            longest => literal(LONGEST * extent[a] as f64),
            // Cells of the grid along a periodic axis, and which lie beside one without being met twice.
            cells => counts[a],
            first => if counts[a] == 1 || counts[a] == 2 { 0 } else { -1 },
            last => i32::from(counts[a] != 1),
            per_edge => literal(1.0 / (edges[a] * f64::from(1_u32 << bits))),
            ..sites::axis(a, extent[a] as i32, periodic[a])
        }
    };
    let axes: Vec<Value> = (0..dimension).map(axis).collect();
    context! {
        dimension,
        axes,
        bits,
        per_one => literal(1.0 / f64::from(1_u32 << bits)),
        one => literal(f64::from(1_u32 << bits)),
        no_bead => NONE,
        solid => SOLID,
        workgroup => WORKGROUP,
        beads,
        buckets => buckets(beads),
        most => if parameters.pairs() { parameters.most_neighbours(beads) } else { 0 },
        listed => literal(parameters.listed()),
        pairs => parameters.pairs(),
        bends => parameters.bends(),
        fene => parameters.kinds.iter().any(|kind| kind.extension > 0.0),
        harmonic => parameters.kinds.iter().any(|kind| kind.extension == 0.0),
        moving => parameters.wall_velocities.len() > 1,
        slip => !parameters.no_slip,
        fastest => literal(parameters.fastest()),
        sub_steps => parameters.sub_steps,
        h => literal(1.0 / f64::from(parameters.sub_steps)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_kernels_are_valid_wgsl() {
        for parameters in Parameters::samples() {
            for shader in Shader::ALL {
                wgsl_checks::validate((shader, &parameters), &shader.wgsl(&parameters, 100));
            }
        }
    }
}
