//! Seeding: what is asked of each population, whether it can be, and the cells placed.

use std::path::Path;
use std::time::Instant;

use hematite_cells::Surface;
use hematite_config::{Fault, Result, sibling};
use rayon::prelude::*;

use super::lumen::Lumen;
use super::packing::{Body, Kind, Packing};
use super::random::Draws;
use super::relaxation::Relaxation;
use super::report::{PopulationReport, Refusal};
use super::start::{self, Places};
use super::{Growth, Placed, Population, PopulationConfig, SeedingConfig, positions};
use crate::Lattice;

/// Share of the lumen that hulls of cells can be packed to, in 2-D and 3-D: a little below random close packing.
const DENSEST: [f64; 2] = [0.84, 0.66];
/// Longest mean side of a shape, in lattice spacings: a coarser membrane leaks.
const LONGEST_SIDE: f64 = 1.5;
/// Smallest thickness of a shape, in lattice spacings.
const THINNEST: f64 = 1.5;
/// Cells that are put into the empty lumen to see whether one fits.
const TRIALS: u64 = 64;

/// Populations to be seeded in a lattice, checked.
pub struct Seeding<'a> {
    lattice: &'a Lattice,
    config: SeedingConfig,
    plans: Vec<Plan>,
    kinds: Vec<Kind>,
    lumen: Lumen,
    gap: f64,
    wall_gap: f64,
    slack: f64,
}

/// What is asked of a population.
struct Plan {
    config: PopulationConfig,
    surface: Surface,
    asked: u64,
    /// The cells of a file of positions.
    given: Vec<Placed>,
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
    /// one of hematocrit, count and positions, shapes that are no cells or too coarse or thin for the lattice, more
    /// cells than the lumen holds, cells larger than the lumen, positions outside it or overlapping.
    pub fn plan(
        lattice: &'a Lattice,
        path: &Path,
        populations: &[PopulationConfig],
        config: &SeedingConfig,
    ) -> Result<Self> {
        let (gap, wall_gap) = config.gaps(lattice.spacing).map_err(|fault| fault.within("key \"seeding\""))?;
        let mut plans: Vec<Plan> = Vec::with_capacity(populations.len());
        for (k, population) in populations.iter().enumerate() {
            let within = |fault: Fault| fault.within(format!("key \"cells[{k}]\" (\"{}\")", population.name));
            if let Some(other) = plans.iter().position(|plan| plan.config.name == population.name) {
                return Err(within(Fault::usage(format!(
                    "cells[{other}] has the same name; give each population its own"
                ))));
            }
            plans.push(Plan::new(lattice, path, population).map_err(within)?);
        }
        let spacing = lattice.spacing;
        let in_lattice: Vec<Surface> = plans.iter().map(|plan| plan.surface.scaled(1.0 / spacing)).collect();
        // Distances are wanted as far as the gap, also from cells at half size.
        let kinds: Vec<Kind> = in_lattice.iter().map(|surface| Kind::new(surface, 2.2 * gap + 0.2)).collect();
        let coarsest = kinds.iter().map(|kind| kind.distance.step).fold(0.0, f64::max);
        let seeding = Self {
            lattice,
            config: config.clone(),
            lumen: Lumen::new(lattice, ((wall_gap + 3.0).ceil() as usize).clamp(4, 8)),
            kinds,
            plans,
            gap,
            wall_gap,
            // Tables of distances are true to a tenth of their step.
            slack: 0.02 + 0.1 * coarsest,
        };
        for (k, plan) in seeding.plans.iter().enumerate() {
            let within = |fault: Fault| fault.within(format!("key \"cells[{k}]\" (\"{}\")", plan.config.name));
            seeding.check_size(k).map_err(within)?;
            seeding.check_fit(k).map_err(within)?;
        }
        seeding.check_density()?;
        seeding.check_given()?;
        Ok(seeding)
    }

    /// What will be placed, a line a population.
    pub fn outlook(&self) -> Vec<String> {
        let line = |(k, plan): (usize, &Plan)| {
            format!(
                "{}: {} cells of {} vertices, hematocrit {:.4} (at most {:.2} of this shape)",
                plan.config.name,
                plan.asked,
                plan.surface.vertices.len(),
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
        progress("putting cells into the lumen".into());
        let places = self.places::<D>().along_curve();
        let counts: Vec<u64> =
            self.plans.iter().map(|plan| if plan.given.is_empty() { plan.asked } else { 0 }).collect();
        let mut bodies = start::bodies(&packing, &places, &counts, self.config.seed);
        drop(places);
        let begun_with = self.count(&bodies);
        bodies.extend(self.given());
        let mut relaxation = Relaxation::new(&packing, bodies, self.slack);
        relaxation.grow(self.lattice.nodes() as f64, progress);
        relaxation.relax(progress);
        match self.config.growth {
            Growth::IfNeeded => relaxation.shrink(progress),
            Growth::Never => relaxation.thin(progress),
        }
        progress("measuring the gaps".into());
        relaxation.refuse(self.gap, self.wall_gap);
        let gaps = relaxation.gaps();
        let seconds = begun.elapsed().as_secs_f64();

        let mut first = 0;
        let mut populations = Vec::with_capacity(self.plans.len());
        for (k, plan) in self.plans.iter().enumerate() {
            let own: Vec<usize> = (0..gaps.len()).filter(|&i| relaxation.bodies[i].kind == k as u32).collect();
            if own.is_empty() {
                return Err(Fault::usage(format!(
                    "key \"cells[{k}]\" (\"{}\"): not one of {} cells found room; ask for fewer cells, smaller ones or a \
                     smaller \"gap\"",
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
        let full = match self.config.growth {
            Growth::IfNeeded => "no room among the others, not even at half size",
            Growth::Never => "no room among the others at full size, and \"growth\" is \"never\"",
        };
        let refused = [("does not fit between the walls", nowhere), (full, crowded)];
        let size = cells.iter().map(|cell| cell.scale.powi(dimension)).sum::<f64>();
        PopulationReport {
            name: plan.config.name.clone(),
            asked_hematocrit: plan.config.hematocrit.unwrap_or_else(|| self.hematocrit(k, plan.asked)),
            asked: plan.asked,
            placed,
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

    fn packing<const D: usize>(&self, wider: f64) -> Packing<'_, D> {
        Packing {
            kinds: &self.kinds,
            lumen: &self.lumen,
            extent: self.lattice.extent,
            periodic: self.lattice.periodic,
            gap: self.gap + wider,
            wall_gap: self.wall_gap + wider,
            slack: self.slack,
        }
    }

    fn places<const D: usize>(&self) -> Places<'_> {
        Places::new::<D>(self.lattice, &self.lumen, self.wall_gap + start::clearance(&self.kinds))
    }

    fn count(&self, bodies: &[Body]) -> Vec<u64> {
        let mut counts = vec![0; self.plans.len()];
        bodies.iter().for_each(|body| counts[body.kind as usize] += 1);
        counts
    }

    /// The cells of files of positions, in lattice units.
    fn given(&self) -> Vec<Body> {
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

    fn placed(&self, body: &Body) -> Placed {
        let Lattice { origin, spacing, .. } = *self.lattice;
        let flat = self.lattice.set.dimension() == 2;
        let mut centre = [0, 1, 2].map(|k| origin[k] + (body.centre[k] + 0.5) * spacing);
        if flat {
            centre[2] = 0.0;
        }
        Placed { centre, orientation: body.orientation, scale: body.scale }
    }

    /// Hematocrit of so many cells of a population.
    fn hematocrit(&self, k: usize, cells: u64) -> f64 {
        cells as f64 * self.kinds[k].volume / self.lattice.nodes() as f64
    }

    /// The highest hematocrit of one population alone.
    fn densest(&self, k: usize) -> f64 {
        DENSEST[self.lattice.set.dimension() - 2] * self.kinds[k].volume / self.kinds[k].distance.hull
    }

    fn check_density(&self) -> Result<()> {
        let hulls: f64 =
            self.plans.iter().zip(&self.kinds).map(|(plan, kind)| plan.asked as f64 * kind.distance.hull).sum();
        let packed = hulls / self.lattice.nodes() as f64;
        let limit = DENSEST[self.lattice.set.dimension() - 2];
        if packed <= limit {
            return Ok(());
        }
        let share = limit / packed;
        let most = |(k, plan): (usize, &Plan)| {
            let cells = (plan.asked as f64 * share) as u64;
            format!(
                "\"{}\" asks for {} ({} cells), at most {:.3} ({cells} cells) fit",
                plan.config.name,
                plan.config
                    .hematocrit
                    .map_or_else(|| format!("{:.3}", self.hematocrit(k, plan.asked)), |h| h.to_string()),
                plan.asked,
                self.hematocrit(k, plan.asked) * share
            )
        };
        let mosts: Vec<String> = self.plans.iter().enumerate().map(most).collect();
        Err(Fault::usage(format!("key \"cells\": hematocrit beyond packing: {}; ask for less", mosts.join("; "))))
    }

    fn check_size(&self, k: usize) -> Result<()> {
        let (plan, kind) = (&self.plans[k], &self.kinds[k]);
        let (lattice, surface) = (self.lattice, &plan.surface);
        let side = mean_side(surface) / lattice.spacing;
        let um = |lattice_units: f64| format!("{:.3} um", 1e6 * lattice_units * lattice.spacing);
        if side > LONGEST_SIDE {
            let needed = (side / LONGEST_SIDE).powi(surface.dimension as i32 - 1) * surface.vertices.len() as f64;
            return Err(Fault::usage(format!(
                "the vertices of its shape are {side:.2} lattice spacings apart in the mean, at most {LONGEST_SIDE} keep the \
                 membrane tight: take \"vertices\" {} or more, or a coarser lattice than {}",
                needed.ceil(),
                um(1.0)
            )));
        }
        let thickness = 2.0 * kind.distance.inradius;
        if thickness < THINNEST {
            return Err(Fault::usage(format!(
                "its shape is {} thick, {thickness:.2} lattice spacings; a cell needs {THINNEST}: take a lattice of {} or finer",
                um(thickness),
                um(thickness / THINNEST)
            )));
        }
        for axis in (0..surface.dimension).filter(|&axis| lattice.periodic[axis]) {
            let period = lattice.extent[axis] as f64;
            if 2.0 * kind.radius + self.gap + 2.0 * self.slack > period {
                return Err(Fault::usage(format!(
                    "its cells are {} across and would touch their own images: the domain is {} long along its periodic {}; \
                     take a longer domain or smaller cells",
                    um(2.0 * kind.radius),
                    um(period),
                    ["x", "y", "z"][axis]
                )));
            }
        }
        Ok(())
    }

    /// Whether a cell fits anywhere in the lumen.
    fn check_fit(&self, k: usize) -> Result<()> {
        if !self.plans[k].given.is_empty() {
            return Ok(());
        }
        let fits = match self.lattice.set.dimension() {
            2 => self.fits::<2>(k),
            _ => self.fits::<3>(k),
        };
        if fits {
            return Ok(());
        }
        let kind = &self.kinds[k];
        let um = |lattice_units: f64| format!("{:.3} um", 1e6 * lattice_units * self.lattice.spacing);
        Err(Fault::usage(format!(
            "its cells ({} across, {} thick) are larger than the lumen: none of {TRIALS} fits between the walls with {} to \
             spare; take smaller cells or a wider geometry",
            um(2.0 * kind.radius),
            um(2.0 * kind.distance.inradius),
            um(self.wall_gap)
        )))
    }

    fn fits<const D: usize>(&self, k: usize) -> bool {
        let packing = self.packing::<D>(2.0 * self.slack);
        let clear = self.wall_gap + self.kinds[k].distance.inradius;
        let places = Places::new::<D>(self.lattice, &self.lumen, clear);
        let fits =
            |trial| start::fitted(&packing, &places, Draws::of(self.config.seed, trial), k as u32, None).is_some();
        (0..TRIALS).into_par_iter().any(fits)
    }

    /// Given cells lie in the fluid and do not overlap.
    fn check_given(&self) -> Result<()> {
        match self.lattice.set.dimension() {
            2 => self.check_given_in::<2>(),
            _ => self.check_given_in::<3>(),
        }
    }

    fn check_given_in<const D: usize>(&self) -> Result<()> {
        let bodies = self.given();
        let packing = self.packing::<D>(0.0);
        let mut relaxation = Relaxation::new(&packing, bodies, self.slack);
        let row = |mut i: usize| {
            for plan in &self.plans {
                if i < plan.given.len() {
                    let file = plan.config.positions.as_deref().unwrap_or(Path::new("")).display();
                    return format!("{file}: row {}", i + 1);
                }
                i -= plan.given.len();
            }
            String::new()
        };
        let Some((i, other)) = relaxation.first_fault() else { return Ok(()) };
        Err(Fault::usage(match other {
            None => {
                format!("{}: the cell reaches out of the fluid, by walls or openings; move it, or leave it out", row(i))
            }
            Some(j) => format!("{}: the cell overlaps that of {}; move one of them", row(i), row(j)),
        }))
    }
}

impl Plan {
    fn new(lattice: &Lattice, path: &Path, config: &PopulationConfig) -> Result<Self> {
        config.check()?;
        let dimension = lattice.set.dimension();
        let surface = config.shape.surface(path, dimension).map_err(|fault| fault.within("key \"shape\""))?;
        let mechanics = config.mechanics.clone().unwrap_or_default().resolve(dimension, config.shape.preset());
        mechanics.map_err(|fault| fault.within("key \"mechanics\""))?;
        let lumen = lattice.nodes() as f64 * lattice.spacing.powi(dimension as i32);
        let given = match &config.positions {
            Some(file) => positions::read(&sibling(path, file), dimension)?,
            None => Vec::new(),
        };
        let asked = match (config.hematocrit, config.count) {
            (Some(share), _) => (share * lumen / surface.volume()).round() as u64,
            (None, Some(count)) => count,
            (None, None) => given.len() as u64,
        };
        if asked == 0 {
            return Err(Fault::usage(format!(
                "key \"hematocrit\" is {}, which is less than half a cell in this lumen; one cell is {:.2e}",
                config.hematocrit.unwrap_or_default(),
                surface.volume() / lumen
            )));
        }
        Ok(Self { config: config.clone(), surface, asked, given })
    }
}

/// Mean length of the sides of a surface, in metres.
fn mean_side(surface: &Surface) -> f64 {
    if surface.dimension == 2 {
        return surface.area() / surface.vertices.len() as f64;
    }
    let side = |a: u32, b: u32| {
        let (a, b) = (surface.vertices[a as usize], surface.vertices[b as usize]);
        (0..3).map(|k| (a[k] - b[k]).powi(2)).sum::<f64>().sqrt()
    };
    let sum: f64 = surface.triangles.iter().map(|&[a, b, c]| side(a, b) + side(b, c) + side(c, a)).sum();
    sum / (3 * surface.triangles.len()) as f64
}
