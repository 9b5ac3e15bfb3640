//! The WGSL of the kernels.

use std::f64::consts::SQRT_2;

use hematite_config::Result;
use hematite_gpu::{Gpu, Kernel, MAIN, MOST_GROUPS, Template, WORKGROUP, literal, render};
use minijinja::{Value, context};

use crate::amount::PER_ONE;
use crate::parameters::Parameters;

/// Numbers of a cell that its neighbours see.
pub const ROW: usize = 5;

/// Stands for a cell that is not there.
pub const NONE: u32 = u32::MAX;

/// Invocations that share the cells in [`Shader::Measure`].
pub const STRIDES: u32 = 1 << 16;

/// Words of a row of sums.
pub const SUMS: usize = 12;

/// Most of its lava, as a share, that a cell gives to another one in a step: so that eight cannot take more than there is. The
/// time step is so short that this limit is not met, see [`DRAINING`].
const MOST: f64 = 1.0 / 9.0;

/// The longest time step over the time in which flows change slopes of the surface. From 1 on, steps may overshoot; from 1.25 on
/// surfaces oscillate.
pub const LEVELLING: f64 = 0.8;

/// The longest time step over the time in which flows change thicknesses. Flow grows at least with the third power of thickness, so
/// that a cell loses less than a third of this share to another one.
pub const DRAINING: f64 = 0.3;

/// Blocks of a list for each workgroup that waits for blocks that enter later. Where more enter, workgroups take several blocks.
const BLOCKS_PER_SPARE: u32 = 16;

/// Thickness below which lava does not flow, m.
const THINNEST: f64 = 1e-9;

/// Share of its lava above which all of a cell freezes.
const FROZEN: f64 = 0.5;

/// Kernels of lava.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shader {
    /// The number of workgroups for the blocks of a list.
    Groups,
    /// A time step.
    Step,
    /// How long a time step may be.
    Rates,
    /// How deep vents are.
    Depths,
    /// A new list of blocks in which something may flow.
    Refresh,
    /// Blocks to which lava of other ranks may flow.
    Hear,
    /// Sums for the ledger.
    Measure,
}

macro_rules! file {
    ($name:literal) => {
        Template { name: $name, text: include_str!($name) }
    };
}

const PARTS: [Template; 9] = [
    file!("fixed.wgsl"),
    file!("lava.wgsl"),
    file!("flow.wgsl"),
    file!("pairs.wgsl"),
    file!("rheology.wgsl"),
    file!("cooling.wgsl"),
    file!("vents.wgsl"),
    file!("activate.wgsl"),
    file!("listed.wgsl"),
];

impl Shader {
    /// All kernels.
    #[cfg(test)]
    pub const ALL: [Self; 7] =
        [Self::Groups, Self::Step, Self::Rates, Self::Depths, Self::Refresh, Self::Hear, Self::Measure];

    fn template(self) -> Template {
        match self {
            Self::Groups => file!("groups.wgsl"),
            Self::Step => file!("step.wgsl"),
            Self::Rates => file!("rates.wgsl"),
            Self::Depths => file!("depths.wgsl"),
            Self::Refresh => file!("refresh.wgsl"),
            Self::Hear => file!("hear.wgsl"),
            Self::Measure => file!("measure.wgsl"),
        }
    }

    /// Bytes of the immediate data.
    fn immediates(self) -> u32 {
        match self {
            Self::Groups | Self::Depths | Self::Rates => 4,
            Self::Measure | Self::Refresh => 8,
            Self::Hear => 16,
            Self::Step => 24,
        }
    }

    /// The kernel's WGSL.
    pub fn wgsl(self, parameters: &Parameters) -> String {
        let shared = [&[MAIN], PARTS.as_slice()].concat();
        let entered = if self == Self::Refresh { "entered" } else { "blocks" };
        render(self.template(), &shared, &context(parameters, entered))
    }

    /// The kernel on the device.
    ///
    /// # Errors
    /// Where the device refuses it.
    pub fn kernel(self, gpu: &Gpu, parameters: &Parameters) -> Result<Kernel> {
        Kernel::new(gpu, self.template().name, &self.wgsl(parameters), self.immediates())
    }
}

/// Directions to neighbours: axial ones, then diagonal ones, in the order of the case's links. Beside a pair along an axis lie the
/// cells a and b at right angles to it, and c and d beyond these; beside a diagonal pair a and b.
fn directions(dx: f64) -> Vec<Value> {
    let axial = [[3, 4, 5, 7], [3, 4, 8, 6], [1, 2, 5, 8], [1, 2, 7, 6]];
    let diagonal = [[1, 3], [2, 4], [1, 4], [2, 3]];
    let axial = axial.iter().enumerate().map(|(place, &[a, b, c, d])| {
        context! { i => place + 1, kind => "axial", place, a, b, c, d, per_distance => literal(1.0 / dx) }
    });
    let diagonal = diagonal.iter().enumerate().map(|(place, &[a, b])| {
        context! { i => place + 5, kind => "diagonal", place, a, b, per_distance => literal(1.0 / (SQRT_2 * dx)) }
    });
    axial.chain(diagonal).collect()
}

/// What the kernels' templates take. Blocks in which something may flow enter the list `entered`.
fn context(parameters: &Parameters, entered: &str) -> Value {
    let dx = parameters.dx;
    let rheology = parameters.rheology;
    context! {
        workgroup => WORKGROUP,
        entered,
        directions => directions(dx),
        row => ROW,
        absent => NONE,
        strides => STRIDES,
        sums => SUMS,
        most_groups => MOST_GROUPS,
        blocks_per_spare => BLOCKS_PER_SPARE,
        unit => literal(1.0 / PER_ONE),
        most => literal(MOST),
        per_levelling => literal(1.0 / (LEVELLING * parameters.dx)),
        per_draining => literal(1.0 / (DRAINING * parameters.dx)),
        thinnest => literal(THINNEST),
        weight => literal(parameters.weight()),
        per_dx => literal(1.0 / dx),
        half_per_dx => literal(0.5 / dx),
        per_diagonal => literal(1.0 / (SQRT_2 * dx)),
        isotropic => parameters.isotropic,
        // Weights of the isotropic Laplacian of nine points, for flows over the distance between two cells.
        axial => literal(2.0 / 3.0),
        per_missing => literal(1.0 / 12.0),
        diagonal => literal(SQRT_2 / 6.0),
        A => literal(rheology.a),
        B => literal(rheology.b),
        C => literal(rheology.c),
        S_0 => literal(rheology.s_0),
        T_0 => literal(rheology.t_0),
        E => literal(rheology.e),
        cooling => literal(parameters.cooling()),
        solidus => literal(parameters.solidus),
        // So far above the solidus that rounding does not lead below it.
        just_fluid => literal(parameters.just_fluid()),
        left => literal(parameters.just_fluid() - parameters.latent_heat / parameters.heat_capacity),
        freezing => parameters.freezing().map(literal),
        frozen => literal(FROZEN),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_kernels_are_valid_wgsl() {
        for parameters in Parameters::samples() {
            for shader in Shader::ALL {
                wgsl_checks::validate((shader, &parameters), &shader.wgsl(&parameters));
            }
        }
    }

    #[test]
    fn cells_beside_a_pair_are_beside_it_seen_from_both_ends() {
        let c = hematite_case::VelocitySet::D2Q9.velocities();
        let sides: [&[usize]; 8] =
            [&[3, 4, 5, 7], &[3, 4, 8, 6], &[1, 2, 5, 8], &[1, 2, 7, 6], &[1, 3], &[2, 4], &[1, 4], &[2, 3]];
        for (i, sides) in (1..).zip(sides) {
            let back = hematite_case::VelocitySet::opposite(i);
            let there = |j: usize| [0, 1].map(|a| c[back][a] + c[j][a]);
            for &side in sides {
                let same = |k: &usize| there(side) == [c[*k][0], c[*k][1]];
                // From the other end, the cell beside the pair is again one of the cells beside it.
                let other: &[usize] = match back {
                    1 => &[3, 4, 5, 7],
                    2 => &[3, 4, 8, 6],
                    3 => &[1, 2, 5, 8],
                    4 => &[1, 2, 7, 6],
                    5 => &[1, 3],
                    6 => &[2, 4],
                    7 => &[1, 4],
                    _ => &[2, 3],
                };
                assert!(other.iter().any(same), "direction {i}, side {side}");
            }
        }
    }
}
