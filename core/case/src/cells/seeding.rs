//! Seeding: what is asked of each population, and the cells placed.

use std::path::Path;
use std::time::Instant;

use hematite_config::{Fault, Result, check_name};

use super::kind::Kind;
use super::limits::DENSEST;
use super::lumen::Lumen;
use super::packing::{Body, Packing};
use super::plan::Plan;
use super::relaxation::Relaxation;
use super::report::{PopulationReport, Refusal};
use super::start::{self, Places};
use super::{Growth, Placed, Population, PopulationConfig, SeedingConfig};
use crate::Lattice;

/// Populations to be seeded in a lattice, checked.
pub struct Seeding<'a> {
    pub(super) lattice: &'a Lattice,
    pub(super) config: SeedingConfig,
    pub(super) plans: Vec<Plan>,
    pub(super) kinds: Vec<Kind>,
    pub(super) lumen: Lumen,
    pub(super) wall_gap: f64,
    pub(super) slack: f64,
    /// Of each population: the fluid of vessels that are wide enough for its cells, lattice units.
    pub(super) room: Vec<f64>,
}

/// Seeds populations of cells: [`Seeding::plan`], then [`Seeding::place`].
///
/// # Errors
/// As those.
pub fn seed(
    lattice: &Lattice,
    path: &Path,
    populations: &[PopulationConfig],
    config: &SeedingConfig,
    progress: &dyn Fn(String),
) -> Result<Vec<Population>> {
    Seeding::plan(lattice, path, populations, config)?.place(progress)
}

impl<'a> Seeding<'a> {
    /// Checks what is asked and reads shapes and positions, their files relative to the config at `path`. Quick: no
    /// cell is moved but a few against the walls.
    ///
    /// # Errors
    /// A usage fault that names key, value, limit and remedy: names that are empty or not distinct, more or less than
    /// one of hematocrit, count and positions, shapes that are no cells or too coarse or thin for the lattice, rigid
    /// bodies that are no ellipsoids or too small or large for it, more cells than the lumen holds, cells larger than
    /// the lumen, positions outside it or overlapping.
    pub fn plan(
        lattice: &'a Lattice,
        path: &Path,
        populations: &[PopulationConfig],
        config: &SeedingConfig,
    ) -> Result<Self> {
        let (gap, wall_gap) = config.gaps(lattice.spacing).map_err(|fault| fault.within("key \"seeding\""))?;
        let mut plans: Vec<Plan> = Vec::with_capacity(populations.len());
        for (k, population) in populations.iter().enumerate() {
            check_name(&population.name).map_err(|fault| fault.within(format!("key \"cells[{k}]\"")))?;
            let within = |fault: Fault| fault.within(format!("key \"cells[{k}]\" (\"{}\")", population.name));
            if let Some(other) = plans.iter().position(|plan| plan.config.name == population.name) {
                return Err(within(Fault::usage(format!(
                    "cells[{other}] has the same name; give each population its own"
                ))));
            }
            plans.push(Plan::new(lattice, path, population).map_err(within)?);
        }
        let spacing = lattice.spacing;
        let widest = plans.iter().map(|plan| plan.gap(gap, spacing)).fold(0.0, f64::max);
        for (k, plan) in plans.iter().enumerate() {
            let within = |fault: Fault| fault.within(format!("key \"cells[{k}]\" (\"{}\")", plan.config.name));
            plan.check_shape(widest, spacing).map_err(within)?;
        }
        let kinds: Vec<Kind> = plans.iter().map(|plan| plan.kind(gap, widest, spacing, config.growth)).collect();
        let lumen = Lumen::new(lattice, ((wall_gap + 3.0).ceil() as usize).clamp(4, 8));
        let mut seeding = Self::new(lattice, config.clone(), plans, kinds, lumen, wall_gap);
        seeding.ask()?;
        for (k, plan) in seeding.plans.iter().enumerate() {
            let within = |fault: Fault| fault.within(format!("key \"cells[{k}]\" (\"{}\")", plan.config.name));
            seeding.check_size(k).map_err(within)?;
            seeding.check_fit(k).map_err(within)?;
        }
        seeding.check_density()?;
        seeding.check_given()?;
        Ok(seeding)
    }

    /// With all that is known of it, nothing checked.
    pub(super) fn new(
        lattice: &'a Lattice,
        config: SeedingConfig,
        plans: Vec<Plan>,
        kinds: Vec<Kind>,
        lumen: Lumen,
        wall_gap: f64,
    ) -> Self {
        // Between rigid bodies no table is looked at.
        let tables = kinds.iter().filter(|_| kinds.iter().any(|kind| kind.semi_axes.is_none()));
        let coarsest = tables.map(|kind| kind.distance.step).fold(0.0, f64::max);
        // Tables of distances are true to a tenth of their step.
        let slack = 0.02 + 0.1 * coarsest;
        let room = vec![lattice.nodes() as f64; plans.len()];
        Self { lattice, config, plans, kinds, lumen, wall_gap, slack, room }
    }

    /// Counts the cells of each hematocrit, which is that of the vessels wide enough for them.
    fn ask(&mut self) -> Result<()> {
        for k in 0..self.plans.len() {
            let Some(share) = self.plans[k].config.hematocrit else { continue };
            let clear = self.wall_gap + self.kinds[k].distance.inradius;
            self.room[k] = match self.lattice.set.dimension() {
                2 => Places::new::<2>(self.lattice, &self.lumen, clear).room,
                _ => Places::new::<3>(self.lattice, &self.lumen, clear).room,
            };
            let within = |fault: Fault| fault.within(format!("key \"cells[{k}]\" (\"{}\")", self.plans[k].config.name));
            let asked = self.plans[k].count(share, self.room[k] / self.kinds[k].volume).map_err(within)?;
            self.plans[k].asked = asked;
        }
        Ok(())
    }

    /// What will be placed, a line a population.
    pub fn outlook(&self) -> Vec<String> {
        let line = |(k, plan): (usize, &Plan)| {
            let shape = match plan.rigid {
                None => format!("cells of {} vertices", plan.surface.vertices.len()),
                Some(body) => {
                    let [a, b, c] = body.semi_axes.map(|axis| 1e6 * axis);
                    format!("rigid bodies of semi-axes {a:.3} x {b:.3} x {c:.3} um")
                }
            };
            format!(
                "{}: {} {shape}, hematocrit {:.4} (at most {:.2} of this shape)",
                plan.config.name,
                plan.asked,
                self.hematocrit(k, plan.asked),
                self.densest(k)
            )
        };
        self.plans.iter().enumerate().map(line).collect()
    }

    /// Places the cells. The same seed gives the same cells on any number of threads.
    ///
    /// # Errors
    /// A usage fault when not one cell of a population could be placed.
    pub fn place(&self, progress: &dyn Fn(String)) -> Result<Vec<Population>> {
        if self.plans.is_empty() {
            return Ok(Vec::new());
        }
        match self.lattice.set.dimension() {
            2 => self.place_in::<2>(progress),
            _ => self.place_in::<3>(progress),
        }
    }

    fn place_in<const D: usize>(&self, progress: &dyn Fn(String)) -> Result<Vec<Population>> {
        let begun = Instant::now();
        let packing = self.packing::<D>(2.0 * self.slack);
        progress(format!("putting {} into the lumen", packing.things()));
        let places = self.places::<D>();
        let counts: Vec<u64> =
            self.plans.iter().map(|plan| if plan.given.is_empty() { plan.asked } else { 0 }).collect();
        let mut bodies = start::bodies(&packing, &places, &counts, self.config.seed);
        drop(places);
        let begun_with = self.count(&bodies);
        bodies.extend(self.given());
        let mut relaxation = Relaxation::new(&packing, bodies, self.slack);
        relaxation.grow(self.lattice.nodes() as f64, progress);
        relaxation.relax(progress);
        match self.kinds.iter().any(|kind| kind.shrinks) {
            true => relaxation.shrink(progress),
            false => relaxation.thin(progress),
        }
        progress("measuring the gaps".into());
        relaxation.refuse(self.wall_gap);
        let gaps = relaxation.gaps();
        let seconds = begun.elapsed().as_secs_f64();

        let mut first = 0;
        let mut populations = Vec::with_capacity(self.plans.len());
        for (k, plan) in self.plans.iter().enumerate() {
            let own: Vec<usize> = (0..gaps.len()).filter(|&i| relaxation.bodies[i].kind == k as u32).collect();
            if own.is_empty() {
                let [_, several] = plan.words();
                return Err(Fault::usage(format!(
                    "key \"cells[{k}]\" (\"{}\"): not one of {} {several} found room; ask for fewer {several}, smaller ones or \
                     a smaller \"gap\"",
                    plan.config.name, plan.asked
                )));
            }
            let cells: Vec<Placed> = own.iter().map(|&i| self.placed(&relaxation.bodies[i])).collect();
            let least = |pick: &dyn Fn(usize) -> f64| own.iter().map(|&i| pick(i)).fold(f64::INFINITY, f64::min);
            let nowhere = plan.asked - if plan.given.is_empty() { begun_with[k] } else { plan.asked };
            let mut report = self.report(k, &cells, nowhere);
            let known = |gap: f64| gap.is_finite().then_some(gap * self.lattice.spacing);
            report.gap = known(least(&|i| gaps[i].cells));
            report.wall_gap = known(least(&|i| gaps[i].wall));
            report.seconds = seconds;
            let count = cells.len() as u64;
            populations.push(Population {
                name: plan.config.name.clone(),
                shape: plan.config.shape.clone(),
                surface: plan.surface.clone(),
                rigid: plan.rigid,
                mechanics: plan.config.mechanics.clone().unwrap_or_default(),
                first,
                cells,
                report: serde_json::to_value(report).unwrap_or_default(),
            });
            first += count;
        }
        Ok(populations)
    }

    fn report(&self, k: usize, cells: &[Placed], nowhere: u64) -> PopulationReport {
        let (plan, placed) = (&self.plans[k], cells.len() as u64);
        let dimension = self.lattice.set.dimension() as i32;
        let shrunk = cells.iter().filter(|cell| cell.scale < 1.0).count();
        let crowded = plan.asked - nowhere - placed;
        let full = match (plan.rigid, self.config.growth) {
            (Some(_), _) => "no room among the others, and rigid bodies do not grow",
            (None, Growth::IfNeeded) => "no room among the others, not even at half size",
            (None, Growth::Never) => "no room among the others at full size, and \"growth\" is \"never\"",
        };
        let refused = [("does not fit between the walls", nowhere), (full, crowded)];
        let size = cells.iter().map(|cell| cell.scale.powi(dimension)).sum::<f64>();
        PopulationReport {
            name: plan.config.name.clone(),
            rigid: plan.rigid.is_some(),
            asked_hematocrit: plan.config.hematocrit.unwrap_or_else(|| self.hematocrit(k, plan.asked)),
            asked: plan.asked,
            placed,
            room: self.room[k] / self.lattice.nodes() as f64,
            hematocrit: self.hematocrit(k, placed),
            hematocrit_placed: self.hematocrit(k, 1) * size,
            refused: refused
                .into_iter()
                .filter(|&(_, cells)| cells > 0)
                .map(|(reason, cells)| Refusal { reason: reason.into(), cells })
                .collect(),
            shrunk: shrunk as f64 / placed as f64,
            scale: [
                cells.iter().map(|cell| cell.scale).fold(1.0, f64::min),
                cells.iter().map(|cell| cell.scale).sum::<f64>() / placed as f64,
            ],
            gap: None,
            wall_gap: None,
            seconds: 0.0,
        }
    }

    pub(super) fn packing<const D: usize>(&self, wider: f64) -> Packing<'_, D> {
        Packing {
            kinds: &self.kinds,
            lumen: &self.lumen,
            extent: self.lattice.extent,
            periodic: self.lattice.periodic,
            wider,
            wall_gap: self.wall_gap + wider,
            slack: self.slack,
        }
    }

    pub(super) fn places<const D: usize>(&self) -> Places<'_> {
        Places::new::<D>(self.lattice, &self.lumen, self.wall_gap + start::clearance(&self.kinds))
    }

    fn count(&self, bodies: &[Body]) -> Vec<u64> {
        let mut counts = vec![0; self.plans.len()];
        bodies.iter().for_each(|body| counts[body.kind as usize] += 1);
        counts
    }

    /// The cells of files of positions, in lattice units.
    pub(super) fn given(&self) -> Vec<Body> {
        let Lattice { origin, spacing, .. } = *self.lattice;
        let all =
            self.plans.iter().enumerate().flat_map(|(kind, plan)| plan.given.iter().map(move |cell| (kind, cell)));
        all.map(|(kind, cell)| Body {
            id: 0,
            kind: kind as u32,
            fixed: true,
            centre: [0, 1, 2].map(|k| match k < self.lattice.set.dimension() {
                true => (cell.centre[k] - origin[k]) / spacing - 0.5,
                false => 0.0,
            }),
            orientation: cell.orientation,
            scale: 1.0,
            velocity: [0.0; 3],
            spin: [0.0; 3],
            awake: true,
        })
        .collect()
    }

    pub(super) fn placed(&self, body: &Body) -> Placed {
        let Lattice { origin, spacing, .. } = *self.lattice;
        let flat = self.lattice.set.dimension() == 2;
        let mut centre = [0, 1, 2].map(|k| origin[k] + (body.centre[k] + 0.5) * spacing);
        if flat {
            centre[2] = 0.0;
        }
        Placed { centre, orientation: body.orientation, scale: body.scale }
    }

    /// Hematocrit of so many cells of a population, in the vessels that are wide enough for them.
    pub(super) fn hematocrit(&self, k: usize, cells: u64) -> f64 {
        cells as f64 * self.kinds[k].volume / self.room[k]
    }

    /// The highest hematocrit of one population alone.
    fn densest(&self, k: usize) -> f64 {
        DENSEST[self.lattice.set.dimension() - 2] * self.kinds[k].volume / self.kinds[k].distance.hull
    }
}
