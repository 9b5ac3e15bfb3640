//! What became of the cells that were asked for.

use serde::{Deserialize, Serialize};

/// Measures of one population's seeding, lengths in metres.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PopulationReport {
    /// Its name.
    pub name: String,
    /// Whether they are rigid bodies.
    #[serde(default)]
    pub rigid: bool,
    /// Hematocrit that was asked for; where a number of cells was, theirs.
    pub asked_hematocrit: f64,
    /// Cells that were asked for.
    pub asked: u64,
    /// Cells that were placed.
    pub placed: u64,
    /// Share of the fluid in vessels that are wide enough for them: hematocrits are those in there.
    #[serde(default = "whole")]
    pub room: f64,
    /// Hematocrit of the cells placed, at full size.
    pub hematocrit: f64,
    /// Hematocrit of the cells placed, at the size they were placed with.
    pub hematocrit_placed: f64,
    /// Cells that were left out, by reason.
    pub refused: Vec<Refusal>,
    /// Share of the cells that were placed smaller than they are.
    pub shrunk: f64,
    /// Smallest and mean scale.
    pub scale: [f64; 2],
    /// Smallest distance to another cell, of any population; none where all are farther than it is measured.
    pub gap: Option<f64>,
    /// Smallest distance to walls and openings; none where all are farther than it is measured.
    pub wall_gap: Option<f64>,
    /// Time that the seeding of all populations took.
    pub seconds: f64,
}

/// The share of all the fluid.
fn whole() -> f64 {
    1.0
}

/// Cells that were left out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Refusal {
    /// Why.
    pub reason: String,
    /// How many.
    pub cells: u64,
}

impl PopulationReport {
    /// The report as lines for people, without a newline at its end.
    pub fn lines(&self) -> String {
        let um = |length: Option<f64>| length.map_or("wide".to_owned(), |metres| format!("{:.3} um", 1e6 * metres));
        let things = if self.rigid { "rigid bodies" } else { "cells" };
        let mut text = format!(
            "{}: {} of {} {}, hematocrit {:.4} of {:.4}, gaps {} between {}, {} to the wall, {:.1} s",
            self.name,
            self.placed,
            self.asked,
            things,
            self.hematocrit,
            self.asked_hematocrit,
            um(self.gap),
            if self.rigid { "bodies" } else { "cells" },
            um(self.wall_gap),
            self.seconds
        );
        if self.room < 0.9995 {
            text += &format!(
                "\n{}: hematocrit in the {:.1} % of the fluid where vessels are wide enough for these {things}; over all of it {:.4}",
                self.name,
                100.0 * self.room,
                self.room * self.hematocrit
            );
        }
        if self.shrunk > 0.0 {
            text += &format!(
                "\n{}: {:.1} % of the cells begin smaller, at {:.3} of full size and more, {:.3} in the mean of all; \
                 the run grows them (hematocrit at the start {:.4})",
                self.name,
                100.0 * self.shrunk,
                self.scale[0],
                self.scale[1],
                self.hematocrit_placed
            );
        }
        for refusal in &self.refused {
            text += &format!("\n{}: {} {things} left out: {}", self.name, refusal.cells, refusal.reason);
        }
        text
    }
}
