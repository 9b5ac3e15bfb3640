//! Specks: connected pieces of fluid or wall that are too small to be more than noise of the picture.

use hematite_config::{Fault, Result};
use rayon::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::components::Components;
use crate::domain::Site;
use crate::rules::Labels;

/// Specks that are removed before pixels or voxels are divided: connected pieces of fewer of them than the numbers
/// given, e.g. {"fluid": 20, "wall": 20}. Pieces hang together by their corners in 2-D, by their edges in 3-D, as
/// links of the lattice do. Pieces of fluid go first.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct SpecksConfig {
    /// Pieces of fluid of fewer pixels or voxels become wall, e.g. 20.
    pub fluid: Option<usize>,
    /// Pieces of wall of fewer pixels or voxels become fluid, e.g. 20; those with named parts of the wall stay.
    pub wall: Option<usize>,
}

/// What became of specks.
#[derive(Default)]
pub(crate) struct Specks {
    /// What there is to say of it, a sentence each.
    pub said: Vec<String>,
    /// The first pixel of each run along x that was removed, the x behind its last, and whether it was fluid.
    pub runs: Vec<(([usize; 3], usize), bool)>,
}

impl SpecksConfig {
    /// Removes specks from `labels`, and gives what became of them.
    ///
    /// # Errors
    /// A number that removes nothing, or none at all.
    pub(crate) fn remove(self, labels: &mut Labels, level: Option<&mut [f32]>, periodic: [bool; 3]) -> Result<Specks> {
        for (key, least) in [("fluid", self.fluid), ("wall", self.wall)] {
            if let Some(least @ ..2) = least {
                return Err(Fault::usage(format!(
                    "geometry.specks.{key}: no piece has fewer pixels than {least}: give 2 or more, or take it out"
                )));
            }
        }
        if self.fluid.is_none() && self.wall.is_none() {
            return Err(Fault::usage("geometry.specks: needs \"fluid\", \"wall\" or both, e.g. {\"fluid\": 20}"));
        }
        let before = level.is_some().then(|| labels.sites.clone());
        let dimension = if labels.shape[2] == 1 { 2 } else { 3 };
        let mut specks = Specks::default();
        let mut note = |Swapped { pieces, sites, runs }: Swapped, of: &str, becomes: &str| {
            specks.runs.extend(runs.into_iter().map(|run| (run, of == "fluid")));
            let what = ["pixel", "voxel"][dimension - 2];
            let s = |n: usize| if n == 1 { "" } else { "s" };
            let (many, more) = (s(pieces), s(sites));
            specks.said.push(format!("{pieces} speck{many} of {of}, {sites} {what}{more}, became {becomes}"));
        };
        if let Some(least) = self.fluid {
            note(swap(labels, periodic, dimension, least, |site| site == Site::FLUID, Site::WALL), "fluid", "wall");
        }
        if let Some(least) = self.wall {
            note(swap(labels, periodic, dimension, least, Site::is_wall, Site::FLUID), "wall", "fluid");
        }
        if let (Some(level), Some(before)) = (level, before) {
            let changed = level.par_iter_mut().zip(&before).zip(&labels.sites).filter(|((_, old), new)| old != new);
            changed.for_each(|((level, _), _)| *level = -*level);
        }
        Ok(specks)
    }
}

/// Pieces that became something else.
struct Swapped {
    pieces: usize,
    sites: usize,
    /// The first pixel of each run along x, and the x behind its last.
    runs: Vec<([usize; 3], usize)>,
}

/// Makes `becomes` of the connected pieces of fewer than `least` sites that `counts` holds for; those with a named
/// part of the wall stay.
fn swap(
    labels: &mut Labels,
    periodic: [bool; 3],
    dimension: usize,
    least: usize,
    counts: impl Fn(Site) -> bool + Sync,
    becomes: Site,
) -> Swapped {
    let mask = |&site: &Site| if counts(site) { Site::FLUID } else { Site::WALL };
    let mut masked: Vec<Site> = labels.sites.par_iter().map(mask).collect();
    let pieces = Components::find(&masked, labels.shape, periodic, dimension);
    let mut kept: Vec<bool> = pieces.sizes.iter().map(|&size| size >= least).collect();
    let [nx, ny, _] = labels.shape;
    for (i, _) in labels.sites.iter().enumerate().filter(|(_, site)| site.as_wall_part().is_some()) {
        if let Some(piece) = pieces.at([i % nx, i / nx % ny, i / (nx * ny)]) {
            kept[piece] = true;
        }
    }
    pieces.remove(&mut masked, &kept);
    let went = |(site, masked): &(&mut Site, &Site)| counts(**site) && **masked == Site::WALL;
    labels.sites.par_iter_mut().zip(&masked).filter(went).for_each(|(site, _)| *site = becomes);
    let small = || pieces.sizes.iter().zip(&kept).filter(|(_, kept)| !**kept).map(|(size, _)| *size);
    Swapped { pieces: small().count(), sites: small().sum(), runs: pieces.removed_runs(&kept).collect() }
}
