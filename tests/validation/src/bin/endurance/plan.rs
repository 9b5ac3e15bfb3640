//! The rows of the table: which vessel with which blood, walls and speed for how many time steps.

use std::path::{Path, PathBuf};

use hematite_config::{Fault, Result};
use serde_json::{Value, json};

use crate::vessels::Vessel;

/// One run.
pub struct Row {
    /// Where the blood flows.
    pub vessel: Vessel,
    /// What it is and how it flows; none where the vessel's shipped run says so.
    pub blood: Option<Blood>,
    /// Time steps.
    pub steps: u64,
}

/// What differs between the rows of a vessel.
pub struct Blood {
    /// Share of the lumen that cells are seeded in.
    hematocrit: f64,
    /// Viscosity inside cells over that outside.
    contrast: u32,
    /// "fluid.lattice_boltzmann.walls".
    walls: Walls,
    /// Fast: 5 mm/s at the inlet, or 1000 /s; slow: a fifth.
    fast: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Walls {
    HalfWay,
    Interpolated,
}

const fn shipped(name: &'static str, steps: u64) -> Row {
    Row { vessel: Vessel::Shipped(name), blood: None, steps }
}

const fn row(vessel: Vessel, steps: u64, hematocrit: f64, contrast: u32, walls: Walls, fast: bool) -> Row {
    Row { vessel, blood: Some(Blood { hematocrit, contrast, walls, fast }), steps }
}

use Vessel::{BentTube, RetinaA, RetinaB, Tube, Vase};
use Walls::{HalfWay, Interpolated};

/// Any two of the settings occur together in some row.
pub const ALL: &[Row] = &[
    row(RetinaA, 300_000, 0.30, 1, HalfWay, true),
    row(RetinaA, 300_000, 0.45, 5, HalfWay, false),
    row(RetinaA, 300_000, 0.30, 5, Interpolated, true),
    row(RetinaB, 300_000, 0.45, 1, Interpolated, true),
    row(RetinaB, 300_000, 0.30, 5, HalfWay, false),
    row(RetinaB, 300_000, 0.45, 5, Interpolated, true),
    row(Vase, 300_000, 0.30, 1, HalfWay, true),
    row(Vase, 300_000, 0.45, 5, Interpolated, false),
    row(Vase, 300_000, 0.45, 1, HalfWay, true),
    row(BentTube, 300_000, 0.30, 5, HalfWay, true),
    row(BentTube, 300_000, 0.45, 1, Interpolated, true),
    row(BentTube, 300_000, 0.30, 1, Interpolated, false),
    row(Tube, 300_000, 0.45, 1, HalfWay, true),
    row(Tube, 300_000, 0.45, 5, Interpolated, true),
    row(Tube, 300_000, 0.30, 5, HalfWay, false),
    shipped("aneurysm-standard", 1_000_000),
    shipped("aneurysm-large", 300_000),
    shipped("bifurcation-cells", 300_000),
    shipped("bifurcation-bodies", 300_000),
    shipped("bifurcation", 1_000_000),
    shipped("porous", 1_000_000),
    shipped("aneurysm", 10_000_000),
];

impl Row {
    /// E.g. "bent-tube-0.30-5-interpolated-fast".
    pub fn name(&self) -> String {
        match &self.blood {
            None => self.vessel.name().to_owned(),
            Some(blood) => {
                let walls = if blood.walls == HalfWay { "half_way" } else { "interpolated" };
                let speed = if blood.fast { "fast" } else { "slow" };
                format!("{}-{:.2}-{}-{walls}-{speed}", self.vessel.name(), blood.hematocrit, blood.contrast)
            }
        }
    }

    /// Writes CASE.json, with the geometry that it names, and RUN.json into `folder`, and gives the path of the first.
    ///
    /// # Errors
    /// I/O faults.
    pub fn write(&self, folder: &Path, geometries: Option<&Path>, steps: Option<u64>) -> Result<PathBuf> {
        let failed = |error: std::io::Error| Fault::io(format!("cannot write into {}: {error}", folder.display()));
        std::fs::create_dir_all(folder).map_err(failed)?;
        let hematocrit = self.blood.as_ref().map(|blood| blood.hematocrit);
        let case = folder.join(match hematocrit {
            Some(hematocrit) => format!("{}-{hematocrit:.2}.case.json", self.vessel.name()),
            None => format!("{}.case.json", self.vessel.name()),
        });
        let made = case.with_extension("h5");
        let text = |value: &Value| format!("{value:#}\n");
        let config = self.vessel.case(folder, geometries, hematocrit)?;
        std::fs::write(&case, text(&config)).map_err(failed)?;
        let steps = steps.unwrap_or(self.steps);
        let mut run = match &self.blood {
            None => self.vessel.shipped_run()?,
            Some(blood) => {
                let walls = if blood.walls == HalfWay { "half_way" } else { "interpolated" };
                let mut run = self.vessel.flow(blood.fast);
                run["fluid"]["lattice_boltzmann"] =
                    json!({"density": "1025 kg/m3", "viscosity": "1.2 mPa s", "tau": 1.5, "walls": walls});
                run["cells"]["mechanics"] = json!({"red": {"contrast": blood.contrast}});
                run
            }
        };
        run["case"] = made.file_name().map(|name| name.to_string_lossy()).into();
        run["time"] = json!({"steps": steps});
        run["dumps"] = json!([]);
        run["cell_dumps"] = json!({"every": steps.div_ceil(4)});
        run["tracks"] = json!({"every": steps});
        run["checkpoint"] = json!({"every": steps.div_ceil(4)});
        std::fs::write(folder.join(format!("{}.json", self.name())), text(&run)).map_err(failed)?;
        Ok(case)
    }
}
