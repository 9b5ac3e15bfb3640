//! The WGSL of the kernels of the particle engine.

use hematite_config::Result;
use hematite_gpu::{Gpu, Kernel, MAIN, Template, WORKGROUP, literal, render};
use minijinja::{Value, context};

use super::Setting;
use super::neighbours::SPARE;
use super::tiles::{NOBODY, OWN};
use crate::Precision;
use crate::sites::{self, FLUID, PIECES, Tiling};

/// Kernels that work with tiles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shader {
    /// Finds the tile or neighbour of particles.
    Keys,
    /// Finds the tile of particles.
    Bins,
    /// Counts the particles that leave for each neighbour.
    CountLeaving,
    /// Lists the particles that leave for each neighbour.
    ListLeaving,
    /// Counts the particles that each neighbour sees.
    CountSeen,
    /// Lists the particles that each neighbour sees.
    ListSeen,
    /// Lists the particles near each particle.
    Neighbours,
    /// Lists the particles of another set near each particle.
    NeighboursBetween,
}

/// Parameters of kernels.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Variant {
    pub precision: Precision,
    pub dimension: usize,
    pub extent: [i32; 3],
    pub periodic: [bool; 3],
    pub tiling: Tiling,
    pub tiles: u32,
    pub neighbours: u32,
    /// Reach of lists of neighbours, lattice units.
    pub reach: f64,
    /// Distance from its nodes up to which a rank must see particles, lattice units.
    pub sight: f64,
}

impl Variant {
    /// Parameters for a rank with `tiles` tiles and `neighbours` neighbours.
    pub fn new(setting: &Setting, tiling: Tiling, tiles: u32, neighbours: u32) -> Self {
        let &Setting { dimension, precision, extent, periodic, reach, sight } = setting;
        Self { precision, dimension, extent, periodic, tiling, tiles, neighbours, reach, sight }
    }

    /// Context of kernels that include `span.wgsl`.
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

    /// The key of tile 0 if others see it. Keys of tiles that no other rank sees are smaller.
    fn frontier(&self) -> u32 {
        if self.neighbours == 0 { 0 } else { self.tiles }
    }

    /// The key of own particles where no rank has nodes. Keys of neighbours come next.
    pub fn lost(&self) -> u32 {
        self.frontier() + self.tiles
    }

    /// The key of particles that are gone.
    pub fn gone(&self) -> u32 {
        self.lost() + self.neighbours + 1
    }
}

/// Templates at the beginning of all kernels on particles, and of those that work with tiles.
pub(super) const SPAN: Template = Template { name: "span.wgsl", text: include_str!("span.wgsl") };
const PRELUDE: Template = Template { name: "prelude.wgsl", text: include_str!("prelude.wgsl") };

/// Bytes of a `Span`.
pub(super) const SPAN_BYTES: u32 = 48;

impl Shader {
    /// The kernels that are bound by one table of buffers.
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
        // A position is up to half a unit from its nearest site; two positions are up to one unit nearer than their
        // sites.
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
            // Whole edges, so that steps of one edge from end to end meet every tile.
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
