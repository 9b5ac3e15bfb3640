//! Whether what is asked of populations can be.

use std::path::Path;

use hematite_cells::{RigidShape, Surface};
use hematite_config::{Fault, Result};
use rayon::prelude::*;

use super::plan::Plan;
use super::random::Draws;
use super::relaxation::Relaxation;
use super::seeding::Seeding;
use super::start::{self, Places};

/// Share of the lumen that hulls of cells can be packed to, in 2-D and 3-D: a little below random close packing.
pub(super) const DENSEST: [f64; 2] = [0.84, 0.66];
/// Longest mean side of a shape, in lattice spacings: a coarser membrane leaks.
const LONGEST_SIDE: f64 = 1.5;
/// Smallest thickness of a shape, in lattice spacings.
const THINNEST: f64 = 1.5;
/// Smallest and largest semi-axis of a rigid body, in lattice spacings: a run's region and its lists of neighbours hold no others.
const SEMI_AXES: [f64; 2] = [0.4, 7.0];
/// Cells that are put into the empty lumen to see whether one fits.
const TRIALS: u64 = 64;

impl Seeding<'_> {
    /// The lumen holds what is asked.
    pub(super) fn check_density(&self) -> Result<()> {
        let hulls = self.plans.iter().zip(&self.kinds).map(|(plan, kind)| plan.asked as f64 * kind.distance.hull);
        let packed: f64 = hulls.zip(&self.room).map(|(hulls, room)| hulls / room).sum();
        let limit = DENSEST[self.lattice.set.dimension() - 2];
        if packed <= limit {
            return Ok(());
        }
        let share = limit / packed;
        let most = |(k, plan): (usize, &Plan)| {
            let cells = (plan.asked as f64 * share) as u64;
            let [_, several] = plan.words();
            format!(
                "\"{}\" asks for {} ({} {several}), at most {:.3} ({cells} {several}) fit",
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

    /// The lattice suits the thickness and size of population `k`.
    pub(super) fn check_size(&self, k: usize) -> Result<()> {
        let (kind, lattice) = (&self.kinds[k], self.lattice);
        if self.plans[k].rigid.is_none() {
            thick_enough(2.0 * kind.distance.inradius, lattice.spacing)?;
        }
        for axis in (0..lattice.set.dimension()).filter(|&axis| lattice.periodic[axis]) {
            let period = lattice.extent[axis] as f64;
            if 2.0 * kind.radius + kind.gap + 2.0 * self.slack > period {
                let [_, several] = self.plans[k].words();
                return Err(Fault::usage(format!(
                    "its {several} are {} across and would touch their own images: the domain is {} long along its periodic \
                     {}; take a longer domain or smaller {several}",
                    self.um(2.0 * kind.radius),
                    self.um(period),
                    ["x", "y", "z"][axis]
                )));
            }
        }
        Ok(())
    }

    /// Whether a cell fits anywhere in the lumen.
    pub(super) fn check_fit(&self, k: usize) -> Result<()> {
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
        let (kind, [_, several]) = (&self.kinds[k], self.plans[k].words());
        Err(Fault::usage(format!(
            "its {several} ({} across, {} thick) are larger than the lumen: none of {TRIALS} fits between the walls with {} to \
             spare; take smaller {several} or a wider geometry",
            self.um(2.0 * kind.radius),
            self.um(2.0 * kind.distance.inradius),
            self.um(self.wall_gap)
        )))
    }

    /// A length in lattice units, for people.
    fn um(&self, lattice_units: f64) -> String {
        um(lattice_units, self.lattice.spacing)
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
    pub(super) fn check_given(&self) -> Result<()> {
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
                    return (format!("{file}: row {}", i + 1), plan.words()[0]);
                }
                i -= plan.given.len();
            }
            (String::new(), "cell")
        };
        let Some((i, other)) = relaxation.first_fault() else { return Ok(()) };
        let (row_i, one) = row(i);
        Err(Fault::usage(match other {
            None => {
                format!("{row_i}: the {one} reaches out of the fluid, by walls or openings; move it, or leave it out")
            }
            Some(j) => format!("{row_i}: the {one} overlaps that of {}; move one of them", row(j).0),
        }))
    }
}

/// A length in lattice units, for people.
fn um(lattice_units: f64, spacing: f64) -> String {
    let length = 1e6 * lattice_units * spacing;
    if (1e-3..1e6).contains(&length) { format!("{length:.3} um") } else { format!("{length:.3e} um") }
}

/// A rigid body is neither too small nor too large for the region by which it meets the fluid.
pub(super) fn check_body(body: &RigidShape, spacing: f64) -> Result<()> {
    let [thinnest, widest] = [body.thinnest(), body.widest()].map(|axis| axis / spacing);
    if thinnest < SEMI_AXES[0] {
        return Err(Fault::usage(format!(
            "its shortest semi-axis is {}, {thinnest:.2} lattice spacings; the region by which a rigid body meets the \
             fluid cannot hold less than {}: take a lattice of {} or finer, or thicker bodies",
            um(thinnest, spacing),
            SEMI_AXES[0],
            um(thinnest / SEMI_AXES[0], spacing)
        )));
    }
    if widest > SEMI_AXES[1] {
        return Err(Fault::usage(format!(
            "its longest semi-axis is {}, {widest:.2} lattice spacings; a run finds bodies that touch each other up to \
             {}: take a lattice of {} or coarser, or smaller bodies",
            um(widest, spacing),
            SEMI_AXES[1],
            um(widest / SEMI_AXES[1], spacing)
        )));
    }
    Ok(())
}

/// A membrane is not too coarse for the lattice, nor too small.
pub(super) fn check_membrane(surface: &Surface, spacing: f64) -> Result<()> {
    let side = mean_side(surface) / spacing;
    if side.is_nan() || side > LONGEST_SIDE {
        let needed = (side / LONGEST_SIDE).powi(surface.dimension as i32 - 1) * surface.vertices.len() as f64;
        return Err(Fault::usage(format!(
            "the vertices of its shape are {side:.2} lattice spacings apart in the mean, at most {LONGEST_SIDE} keep the \
             membrane tight: take \"vertices\" {} or more, or a coarser lattice than {}",
            needed.ceil(),
            um(1.0, spacing)
        )));
    }
    // No thicker than across.
    thick_enough(2.0 * surface.radius() / spacing, spacing)
}

/// A cell's `thickness`, in lattice spacings, is not too small.
fn thick_enough(thickness: f64, spacing: f64) -> Result<()> {
    if thickness >= THINNEST {
        return Ok(());
    }
    Err(Fault::usage(format!(
        "its shape is {} thick, {thickness:.2} lattice spacings; a cell needs {THINNEST}: take a lattice of {} or finer",
        um(thickness, spacing),
        um(thickness / THINNEST, spacing)
    )))
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
