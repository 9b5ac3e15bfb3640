//! What is asked of a population.

use std::path::Path;

use hematite_cells::{RigidShape, Surface};
use hematite_config::{Fault, Result, sibling};

use super::config::HALF;
use super::distance::Distance;
use super::kind::Kind;
use super::{Growth, Placed, PopulationConfig, limits, positions};
use crate::Lattice;

/// What one and several of a population are called: rigid ones are bodies.
pub(super) fn words(rigid: bool) -> [&'static str; 2] {
    if rigid { ["body", "bodies"] } else { ["cell", "cells"] }
}

/// The most points of a table of distances: 1 GB.
const MOST_POINTS: f64 = 2.5e8;

/// What is asked of a population.
pub(super) struct Plan {
    pub config: PopulationConfig,
    /// The shape at rest, in metres.
    pub surface: Surface,
    /// What rigid bodies are.
    pub rigid: Option<RigidShape>,
    /// How many; of a hematocrit, 0 until [`Plan::count`] has counted them.
    pub asked: u64,
    /// The cells of a file of positions.
    pub given: Vec<Placed>,
}

impl Plan {
    /// Checks what a config asks and reads its files, relative to the config at `path`.
    ///
    /// # Errors
    /// A usage fault that names key, value, limit and remedy.
    pub fn new(lattice: &Lattice, path: &Path, config: &PopulationConfig) -> Result<Self> {
        config.check()?;
        let dimension = lattice.set.dimension();
        let (rigid, surface) = match config.rigid {
            true => config.shape.rigid(dimension).map(|(rigid, surface)| (Some(rigid), surface))?,
            false => {
                let mechanics = config.mechanics.clone().unwrap_or_default().resolve(dimension, config.shape.preset());
                let surface = config.shape.surface(path, dimension, lattice.spacing);
                let surface = surface.map_err(|fault| fault.within("key \"shape\""))?;
                mechanics.map_err(|fault| fault.within("key \"mechanics\""))?;
                (None, surface)
            }
        };
        let given = match &config.positions {
            Some(file) => {
                let file = sibling(path, file);
                let given = positions::read(&file, dimension)?;
                refuse_far(lattice, &given, &file, words(config.rigid)[0])?;
                given
            }
            None => Vec::new(),
        };
        let asked = config.count.unwrap_or(given.len() as u64);
        Ok(Self { config: config.clone(), surface, rigid, asked, given })
    }

    /// How many cells a hematocrit asks for in a lumen `room` times as large as a cell.
    ///
    /// # Errors
    /// A usage fault where these are none.
    pub fn count(&self, hematocrit: f64, room: f64) -> Result<u64> {
        match (hematocrit * room).round() as u64 {
            0 => Err(Fault::usage(format!(
                "key \"hematocrit\" is {hematocrit}, which is less than half a {one} in this lumen; one {one} is {:.2e}",
                1.0 / room,
                one = self.words()[0]
            ))),
            asked => Ok(asked),
        }
    }

    /// The shape suits the lattice, as far as its vertices or semi-axes tell, and distances out to gaps of `widest` lattice spacings
    /// can be held.
    ///
    /// # Errors
    /// A usage fault that names value, limit and remedy.
    pub fn check_shape(&self, widest: f64, spacing: f64) -> Result<()> {
        match self.rigid {
            Some(body) => limits::check_body(&body, spacing)?,
            None => limits::check_membrane(&self.surface, spacing)?,
        }
        if Distance::points(&self.surface.scaled(1.0 / spacing), Kind::reach(widest)) <= MOST_POINTS {
            return Ok(());
        }
        Err(Fault::usage(format!(
            "key \"seeding.gap\" is {widest:.3} lattice spacings, more than what can be looked ahead for from {} as small as these \
             (radius {:.3}): take a narrower gap",
            self.words()[1],
            self.surface.radius() / spacing
        )))
    }

    /// What one of these is called, and several.
    pub fn words(&self) -> [&'static str; 2] {
        words(self.rigid.is_some())
    }

    /// Wanted distance between two of these in lattice units; `given` is that of the config.
    pub fn gap(&self, given: Option<f64>, spacing: f64) -> f64 {
        given.unwrap_or(self.rigid.map_or(HALF, |body| HALF.min(0.25 * body.thinnest() / spacing)))
    }

    /// The shape in lattice units, its distances known as far as gaps up to `widest` need them.
    pub fn kind(&self, given: Option<f64>, widest: f64, spacing: f64, growth: Growth) -> Kind {
        let (gap, surface) = (self.gap(given, spacing), self.surface.scaled(1.0 / spacing));
        match self.rigid {
            None => Kind::membrane(&surface, gap, widest, growth == Growth::IfNeeded),
            Some(RigidShape { semi_axes }) => {
                let body = RigidShape { semi_axes: semi_axes.map(|axis| axis / spacing) };
                Kind::rigid(&body, &surface, gap, widest)
            }
        }
    }
}

/// The most periods of the domain that a centre may be away from it.
const MOST_PERIODS: f64 = 1e3;

/// Refuses centres outside the domain. Where it is periodic they may lie in one of its images.
fn refuse_far(lattice: &Lattice, given: &[Placed], file: &Path, one: &str) -> Result<()> {
    let Lattice { origin, spacing, extent, periodic, .. } = *lattice;
    let axes = 0..lattice.set.dimension();
    let inside = |cell: &Placed| {
        axes.clone().all(|k| {
            let share = (cell.centre[k] - origin[k]) / (spacing * extent[k] as f64);
            let beyond = if periodic[k] { MOST_PERIODS } else { 0.0 };
            (-beyond..=1.0 + beyond).contains(&share)
        })
    };
    let Some(row) = given.iter().position(|cell| !inside(cell)) else { return Ok(()) };
    let list = |x: &dyn Fn(usize) -> f64| axes.clone().map(|k| format!("{:.4e}", x(k))).collect::<Vec<_>>().join(", ");
    Err(Fault::usage(format!(
        "{}: row {}: the {one} reaches out of the fluid: its centre ({}) m is not in the domain, from ({}) to ({}) m; move it, or \
         leave it out",
        file.display(),
        row + 1,
        list(&|k| given[row].centre[k]),
        list(&|k| origin[k]),
        list(&|k| origin[k] + spacing * extent[k] as f64)
    )))
}
