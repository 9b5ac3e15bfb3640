//! Blood: the model aneurysm in the size of PaSuMO's benchmark, and a box in that of HemoCell's.

use std::path::{Path, PathBuf};

use hematite_config::{Fault, Result};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::tool::{answer, call, case, folder, write};
use crate::{Figure, Target};

/// What is read of `run --bench=json`, ascending.
#[derive(Deserialize)]
struct Speeds {
    mlups: Vec<f64>,
    cell_steps: Vec<f64>,
}

/// Targets on a software device and on any other.
struct Targets {
    aneurysm: f64,
    every_step: f64,
    cadence: Option<f64>,
}

/// Seeds both and measures, the box with everything every step and with membranes every 20th, moves every 5th.
pub fn measure(software: bool) -> Result<Vec<Figure>> {
    let targets = if software {
        Targets { aneurysm: 5.0, every_step: 2500.0, cadence: Some(5000.0) }
    } else {
        Targets { aneurysm: 2000.0, every_step: 1.5e6, cadence: None }
    };
    let folder = folder()?;
    let shipped = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cases/aneurysm-large.json");
    let made = folder.path().join("aneurysm.h5");
    let _taken = call("mkcase", &[&shipped, Path::new("-o"), &made])?;
    let blood = speeds(folder.path(), "aneurysm", "100 Pa", &json!({}))?;
    let _taken = call("mkcase", &[&channel(folder.path())?])?;
    let each = speeds(folder.path(), "case", "20 Pa", &json!({}))?;
    let seldom = speeds(folder.path(), "case", "20 Pa", &json!({"every": 20, "move_every": 5}))?;
    let figure = |what, unit, found: &[f64], target: Option<f64>| Figure {
        what,
        unit,
        value: found[found.len() / 2],
        spread: Some([found[0], found[found.len() - 1]]),
        target: target.map(Target::Least),
    };
    Ok(vec![
        figure("blood in the model aneurysm, 2-D", "MLUPS", &blood.mlups, Some(targets.aneurysm)),
        figure("blood in a box, 3-D, all every step", "cell-steps/s", &each.cell_steps, Some(targets.every_step)),
        figure("blood in a box, membranes every 20th", "cell-steps/s", &seldom.cell_steps, targets.cadence),
    ])
}

/// 100 x 50 x 50 um at 0.5 um, walls along y and z, hematocrit 0.42.
fn channel(folder: &Path) -> Result<PathBuf> {
    const EXTENT: [usize; 3] = [200, 100, 100];
    write(&folder.join("voxels.raw"), &vec![1; EXTENT.iter().product()])?;
    let voxels = json!({"file": "voxels.raw", "shape": EXTENT, "type": "u8"});
    let config = json!({
        "geometry": {"voxels": voxels, "spacing": "0.5 um", "periodic": ["x"]},
        "cells": [{"name": "red", "shape": {"kind": "red_cell"}, "hematocrit": 0.42}],
    });
    case(folder, &config)
}

fn speeds(folder: &Path, case: &str, drop: &str, cells: &Value) -> Result<Speeds> {
    let config = json!({
        "case": format!("{case}.h5"),
        "fluid": {"lattice_boltzmann": {"density": "1025 kg/m3", "viscosity": "1.2 mPa s", "tau": 1.5}},
        "time": {"steps": 1000},
        "drive": {"pressure_drop": {"axis": "x", "drop": drop}, "ramp": "100 us"},
        "cells": cells,
    });
    let path = folder.join("run.json");
    write(&path, config.to_string().as_bytes())?;
    let text = answer("run", &[&path, Path::new("--bench=json")])?;
    let speeds: Speeds = serde_json::from_str(&text).map_err(|error| Fault::io(error.to_string()))?;
    match speeds.mlups.is_empty() || speeds.cell_steps.is_empty() {
        true => Err(Fault::io("run --bench gave no speed")),
        false => Ok(speeds),
    }
}
