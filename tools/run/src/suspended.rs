//! What is suspended in the fluid of a run: cells, rigid bodies, or nothing.

use hematite_comm::Comm;
use hematite_config::Result;
use hematite_engine::Physics;
use hematite_engine::passage::Tally;
use physics_bodies::RigidBodies;
use physics_cells::Suspension;

/// What is suspended in the fluid.
pub enum Suspended {
    /// Nothing.
    Nothing,
    /// Cells with membranes.
    Cells(Box<Suspension>),
    /// Rigid bodies.
    Bodies(Box<RigidBodies>),
}

impl Suspended {
    /// It as a physics, where there is any.
    pub fn physics(&mut self) -> Option<&mut dyn Physics> {
        match self {
            Self::Nothing => None,
            Self::Cells(cells) => Some(&mut **cells),
            Self::Bodies(bodies) => Some(&mut **bodies),
        }
    }

    /// Refuses to go on with a broken cell or body. Collective.
    ///
    /// # Errors
    /// A numerical failure that names it; when the device or a rank is lost.
    pub fn check_sound(&self, comm: &dyn Comm) -> Result<()> {
        match self {
            Self::Nothing => Ok(()),
            Self::Cells(cells) => cells.check_sound(comm),
            Self::Bodies(bodies) => bodies.check_sound(comm),
        }
    }

    /// How many of each population there are and were, on all ranks; nothing where there are none. Collective.
    ///
    /// # Errors
    /// When the device or a rank is lost.
    pub fn tally(&self, comm: &dyn Comm) -> Result<Vec<Tally>> {
        match self {
            Self::Nothing => Ok(Vec::new()),
            Self::Cells(cells) => cells.tally(comm),
            Self::Bodies(bodies) => bodies.tally(comm),
        }
    }

    /// Of each feeder: the number of its opening, how often its cells or bodies came in, and how many turns passed in which there
    /// was no room for one.
    pub fn feeders(&self) -> Vec<(usize, u64, u64)> {
        match self {
            Self::Nothing => Vec::new(),
            Self::Cells(cells) => cells.feeders().collect(),
            Self::Bodies(bodies) => bodies.feeders().collect(),
        }
    }

    /// What it is called by the key of its config.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Nothing => "fluid",
            Self::Cells(_) => "cells",
            Self::Bodies(_) => "bodies",
        }
    }
}
