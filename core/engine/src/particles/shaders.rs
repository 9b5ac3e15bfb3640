//! The WGSL of the engine's kernels.

use hematite_config::Result;
use hematite_gpu::{Gpu, Kernel, MAIN, Template, WORKGROUP, literal, render};
use minijinja::{Value, context};

use super::Setting;
use super::neighbours::SPARE;
use super::tiles::{NOBODY, OWN};
use crate::Precision;
use crate::sites::{self, FLUID, PIECES, Tiling};

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
    /// Particles of another set near each.
    NeighboursBetween,
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
    /// For so many tiles of a rank that has so many neighbours.
    pub fn new(setting: &Setting, tiling: Tiling, tiles: u32, neighbours: u32) -> Self {
        let &Setting { dimension, precision, extent, periodic, reach, sight } = setting;
        Self { precision, dimension, extent, periodic, tiling, tiles, neighbours, reach, sight }
    }

    /// What the kernels of a domain that begin with `span.wgsl` know of it.
    pub fn context(&self) -> Value {
        let axis = |a: usize| {
            context! {
                last_tiled => self.tiling.last_whole(self.extent[a]),
                ..sites::axis(a, self.extent[a], self.periodic[a])
            }
        };
        context! {
            real => self.precision.real(),
            workgroup => WORKGROUP,
            dimension => self.dimension,
            axes => (0..self.dimension).map(axis).collect::<Vec<Value>>(),
            ..sites::fractions()
        }
    }

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

/// What all kernels of the engine on particles begin with, and what those on tiles do.
pub(super) const SPAN: Template = Template { name: "span.wgsl", text: include_str!("span.wgsl") };
const PRELUDE: Template = Template { name: "prelude.wgsl", text: include_str!("prelude.wgsl") };

/// Bytes of a `Span`.
pub(super) const SPAN_BYTES: u32 = 48;

impl Shader {
    /// Those that one table of buffers is for.
    pub const OF_ONE_TABLE: [Self; 5] =
        [Self::Keys, Self::CountLeaving, Self::ListLeaving, Self::CountSeen, Self::ListSeen];

    #[cfg(test)]
    const ALL: [Self; 8] = [
        Self::Keys,
        Self::Bins,
        Self::CountLeaving,
        Self::ListLeaving,
        Self::CountSeen,
        Self::ListSeen,
        Self::Neighbours,
        Self::NeighboursBetween,
    ];

    pub fn wgsl(self, variant: &Variant) -> String {
        let template = match self {
            Self::Keys => Template { name: "keys.wgsl", text: include_str!("keys.wgsl") },
            Self::Bins => Template { name: "bins.wgsl", text: include_str!("bins.wgsl") },
            Self::CountLeaving | Self::ListLeaving => {
                Template { name: "leaving.wgsl", text: include_str!("leaving.wgsl") }
            }
            Self::CountSeen | Self::ListSeen => Template { name: "seen.wgsl", text: include_str!("seen.wgsl") },
            Self::Neighbours | Self::NeighboursBetween => {
                Template { name: "neighbours.wgsl", text: include_str!("neighbours.wgsl") }
            }
        };
        let dimension = variant.dimension;
        let steps = variant.tiling.steps(variant.reach);
        let joined = |by: &str, term: &dyn Fn(usize) -> String| (0..dimension).map(term).collect::<Vec<_>>().join(by);
        let along = |a: usize| ["x", "y", "z"][a];
        // A position and the site nearest to it are up to half a unit apart, and so are two positions and their sites,
        // each.
        let nodes_within = (variant.sight + 0.5).floor() as u32;
        let reach = (variant.reach + 1.0).floor() as u32;
        let edge = variant.tiling.edge() as u32;
        let between = self == Self::NeighboursBetween;
        let ranges = match (between, variant.neighbours) {
            (true, _) => vec!["bins"],
            (false, 0) => vec!["interior"],
            (false, _) => vec!["interior", "frontier", "bins"],
        };
        let context = context! {
            nowhere => NOBODY,
            own => OWN,
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
            between,
            own_position => if between { "own_position" } else { "position" },
            // Ghosts come after own particles.
            first_binned => if between { "0u" } else { "span.count" },
            another => if between { "" } else { "j != i && " },
            ranges,
            spare => SPARE,
            reach_squared => literal(variant.reach * variant.reach),
            count => matches!(self, Self::CountSeen | Self::CountLeaving),
            ..variant.context()
        };
        render(template, &[[MAIN, SPAN, PRELUDE].as_slice(), &PIECES].concat(), &context)
    }

    pub fn kernel(self, gpu: &Gpu, variant: &Variant) -> Result<Kernel> {
        Kernel::new(gpu, &format!("{self:?}"), &self.wgsl(variant), SPAN_BYTES)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_permutation_is_valid_wgsl() {
        let shaders = Shader::ALL;
        let count = shaders.len();
        for k in 0..count * 2 * 2 * 2 {
            let variant = Variant {
                precision: [Precision::F32, Precision::F64][k / (2 * count) % 2],
                dimension: 2 + k / count % 2,
                extent: [40, 41, 64],
                periodic: [k >= 4 * count, false, k >= 4 * count],
                tiling: Tiling::reaching([4.0, 8.0][(k / count + k / (2 * count)) % 2]).expect("tiles"),
                tiles: 100,
                neighbours: 3,
                reach: [3.5, 7.5, 15.0][k % 3],
                sight: 3.4,
            };
            let shader = shaders[k % count];
            wgsl_checks::validate((shader, &variant), &shader.wgsl(&variant));
        }
    }
}
