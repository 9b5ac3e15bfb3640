//! Columns: cells packed in a straight stretch of a vessel, periodic along it, for what comes in through an opening.

use hematite_config::Result;
use hematite_geometry::{Domain, Report, Site};

use super::kind::Kind;
use super::lumen::Lumen;
use super::plan::Plan;
use super::relaxation::Relaxation;
use super::seeding::Seeding;
use super::start;
use super::{Growth, Placed, Population, PopulationConfig, SeedingConfig};
use crate::Lattice;

/// Distance of a column's cells from its wall, lattice spacings: a little more than of other cells, so that all their vertices lie
/// between fluid nodes.
const WALL_GAP: f64 = 0.6;

/// A straight stretch of a vessel along x: the fluid sites (y, z) of its cross-section, and its length in sites. In 2-D all z are 0.
/// Its node (0, 0, 0) has the coordinates (0, 0, 0).
#[derive(Clone, Debug, PartialEq)]
pub struct Column {
    /// 2 or 3.
    pub dimension: usize,
    /// Lattice spacing in metres.
    pub spacing: f64,
    /// Sites along x, after which it begins again.
    pub length: usize,
    /// Fluid sites of the cross-section.
    pub section: Vec<[usize; 2]>,
}

impl Column {
    /// Packs `counts[k]` cells of each population at full size, by the rules of [`super::seed`]; fewer where there is no room. Gives
    /// those of each population, none for rigid bodies. The same on any number of threads.
    ///
    /// # Errors
    /// Where the cross-section is none.
    pub fn pack(&self, populations: &[Population], counts: &[u64]) -> Result<Vec<Vec<Placed>>> {
        let lattice = Lattice::build(&self.domain())?;
        let config = SeedingConfig { growth: Growth::Never, ..SeedingConfig::default() };
        let (gap, _) = config.gaps(self.spacing)?;
        let plan = |(population, &asked): (&Population, &u64)| Plan {
            config: PopulationConfig {
                name: population.name.clone(),
                shape: population.shape.clone(),
                rigid: false,
                mechanics: None,
                hematocrit: None,
                count: Some(asked),
                positions: None,
            },
            surface: population.surface.clone(),
            rigid: None,
            asked: if population.rigid.is_some() { 0 } else { asked },
            given: Vec::new(),
        };
        let plans: Vec<Plan> = populations.iter().zip(counts).map(plan).collect();
        let widest = plans.iter().map(|plan| plan.gap(gap, self.spacing)).fold(0.0, f64::max);
        let kinds: Vec<Kind> = plans.iter().map(|plan| plan.kind(gap, widest, self.spacing, config.growth)).collect();
        let lumen = Lumen::new(&lattice, 4);
        let seeding = Seeding::new(&lattice, config, plans, kinds, lumen, WALL_GAP);
        Ok(match self.dimension {
            2 => seeding.packed::<2>(),
            _ => seeding.packed::<3>(),
        })
    }

    /// The stretch as a domain, periodic along x.
    pub(super) fn domain(&self) -> Domain {
        let most = |axis: usize| self.section.iter().map(|site| site[axis] + 2).max().unwrap_or(1);
        let extent = [self.length, most(0), if self.dimension == 2 { 1 } else { most(1) }];
        let mut sites = vec![Site::WALL; extent.iter().product()];
        for &[y, z] in &self.section {
            let first = (z * extent[1] + y) * extent[0];
            sites[first..first + extent[0]].fill(Site::FLUID);
        }
        Domain {
            dimension: self.dimension,
            extent,
            spacing: self.spacing,
            // Node (0, 0, 0) at the origin; in 2-D cells lie in the plane z = 0 anyway.
            origin: [-0.5 * self.spacing; 3],
            periodic: [true, false, false],
            sites,
            openings: Vec::new(),
            wall_parts: Vec::new(),
            surface: None,
            report: Report::default(),
        }
    }
}

impl Seeding<'_> {
    /// The cells that find room at full size, by population.
    fn packed<const D: usize>(&self) -> Vec<Vec<Placed>> {
        let packing = self.packing::<D>(2.0 * self.slack);
        let places = self.places::<D>();
        let counts: Vec<u64> = self.plans.iter().map(|plan| plan.asked).collect();
        let bodies = start::bodies(&packing, &places, &counts, self.config.seed);
        let mut relaxation = Relaxation::new(&packing, bodies, self.slack);
        let quiet = |_: String| {};
        relaxation.grow(self.lattice.nodes() as f64, &quiet);
        relaxation.relax(&quiet);
        relaxation.thin(&quiet);
        relaxation.refuse(self.wall_gap);
        let of = |k: usize| relaxation.bodies.iter().filter(move |body| body.kind as usize == k);
        (0..self.plans.len()).map(|k| of(k).map(|body| self.placed(body)).collect()).collect()
    }
}
