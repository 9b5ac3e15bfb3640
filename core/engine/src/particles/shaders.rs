//! The WGSL of the engine's kernels.

use hematite_config::Result;
use hematite_gpu::{Gpu, Kernel, MAIN, Template, WORKGROUP, render};
use minijinja::{Value, context};

use super::tiles::{NOBODY, OWN};
use crate::sites::{self, FLUID, PIECES, Tiling};
use crate::{Precision, particles::MOST_NEIGHBOURS};

/// The kernels on tiles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shader {
    /// To which tile or neighbour particles belong.
    Keys,
    /// Their tiles alone.
    Bins,
    /// How many particles leave for each neighbour.
    CountLeaving,
    /// Which.
    ListLeaving,
    /// How many particles each neighbour sees.
    CountSeen,
    /// Which.
    ListSeen,
    /// Particles near each.
    Neighbours,
}

/// What they are specialised for.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Variant {
    pub precision: Precision,
    pub dimension: usize,
    pub extent: [i32; 3],
    pub periodic: [bool; 3],
    pub tiling: Tiling,
    pub tiles: u32,
    pub neighbours: u32,
    /// How far lists of neighbours reach, lattice units.
    pub reach: f64,
    /// How far beyond its nodes a rank must see particles, lattice units.
    pub sight: f64,
}

impl Variant {
    /// The key of tile 0 where others see it: keys of tiles that none does come before.
    fn frontier(&self) -> u32 {
        if self.neighbours == 0 { 0 } else { self.tiles }
    }

    /// The key of own particles that are where no rank has nodes; then come those of neighbours.
    pub fn lost(&self) -> u32 {
        self.frontier() + self.tiles
    }

    /// The key of those that are gone.
    pub fn gone(&self) -> u32 {
        self.lost() + self.neighbours + 1
    }
}

const PRELUDE: Template = Template { name: "prelude.wgsl", text: include_str!("prelude.wgsl") };

impl Shader {
    pub const ALL: [Self; 7] = [
        Self::Keys,
        Self::Bins,
        Self::CountLeaving,
        Self::ListLeaving,
        Self::CountSeen,
        Self::ListSeen,
        Self::Neighbours,
    ];

    pub fn wgsl(self, variant: &Variant) -> String {
        let template = match self {
            Self::Keys => Template { name: "keys.wgsl", text: include_str!("keys.wgsl") },
            Self::Bins => Template { name: "bins.wgsl", text: include_str!("bins.wgsl") },
            Self::CountLeaving | Self::ListLeaving => {
                Template { name: "leaving.wgsl", text: include_str!("leaving.wgsl") }
            }
            Self::CountSeen | Self::ListSeen => Template { name: "seen.wgsl", text: include_str!("seen.wgsl") },
            Self::Neighbours => Template { name: "neighbours.wgsl", text: include_str!("neighbours.wgsl") },
        };
        let dimension = variant.dimension;
        let axis = |a: usize| {
            context! {
                last_tiled => variant.tiling.last_whole(variant.extent[a]),
                ..sites::axis(a, variant.extent[a], variant.periodic[a])
            }
        };
        let steps = variant.tiling.steps(variant.reach);
        let joined = |by: &str, term: &dyn Fn(usize) -> String| (0..dimension).map(term).collect::<Vec<_>>().join(by);
        let along = |a: usize| ["x", "y", "z"][a];
        // A position and the site nearest to it are up to half a unit apart, and so are two positions and their sites, each.
        let nodes_within = (variant.sight + 0.5).floor() as u32;
        let reach = (variant.reach + 1.0).floor() as u32;
        let edge = variant.tiling.edge() as u32;
        let context = context! {
            real => variant.precision.real(),
            workgroup => WORKGROUP,
            nowhere => NOBODY,
            own => OWN,
            dimension,
            axes => (0..dimension).map(axis).collect::<Vec<Value>>(),
            steps,
            fluid => FLUID,
            nodes_within,
            // Whole edges, so that steps of one from end to end meet every tile.
            tiles_within => (2 * reach).next_multiple_of(edge) / 2,
            axes_joined => context! {
                place => joined(" + ", &|a| format!("place_{0}(t{0})", along(a))),
                local => joined(" | ", &|a| format!("local_{0}(t{0})", along(a))),
                site => joined(" | ", &|a| format!("(u32(t{} & 7) << {}u)", along(a), 3 * a)),
            },
            tiles_around => (2 * steps + 1).pow(dimension as u32),
            tile => variant.tiling.context(dimension),
            tiles => variant.tiles,
            frontier => variant.frontier(),
            lost => variant.lost(),
            neighbours => variant.neighbours,
            ranges => if variant.neighbours > 0 { vec!["interior", "frontier", "copies"] } else { vec!["interior"] },
            most => MOST_NEIGHBOURS,
            reach_squared => format!("{:?}", variant.reach * variant.reach),
            fraction_24 => format!("{:?}", 1.0 / 16_777_216.0),
            fraction_32 => format!("{:?}", 1.0 / 4_294_967_296.0),
            count => matches!(self, Self::CountSeen | Self::CountLeaving),
        };
        render(template, &[[MAIN, PRELUDE].as_slice(), &PIECES].concat(), &context)
    }

    pub fn kernel(self, gpu: &Gpu, variant: &Variant) -> Result<Kernel> {
        Kernel::new(gpu, &format!("{self:?}"), &self.wgsl(variant), 36)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_permutation_is_valid_wgsl() {
        let shaders = Shader::ALL;
        for k in 0..shaders.len() * 2 * 2 * 2 {
            let variant = Variant {
                precision: [Precision::F32, Precision::F64][k / 14 % 2],
                dimension: 2 + k / 7 % 2,
                extent: [40, 41, 64],
                periodic: [k >= 28, false, k >= 28],
                tiling: Tiling::reaching([4.0, 8.0][k % 2]).expect("tiles"),
                tiles: 100,
                neighbours: 3,
                reach: [3.5, 7.5, 15.0][k % 3],
                sight: 3.4,
            };
            let shader = shaders[k % shaders.len()];
            let source = shader.wgsl(&variant);
            let module = naga::front::wgsl::parse_str(&source)
                .unwrap_or_else(|e| panic!("{}\n{shader:?}\n{source}", e.emit_to_string(&source)));
            naga::valid::Validator::new(naga::valid::ValidationFlags::all(), naga::valid::Capabilities::all())
                .validate(&module)
                .unwrap_or_else(|e| panic!("{}\n{shader:?}\n{source}", e.emit_to_string(&source)));
        }
    }
}
