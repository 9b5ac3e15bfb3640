//! Rigid bodies: blood of oblate ellipsoids in a bifurcation, in the size of MUPHY's benchmark (Bisson et al., Commun. Comput.
//! Phys. 11, 48, 2012: 6 million nodes, 500 000 bodies), and a dilute gas of the same without a fluid.

use std::path::{Path, PathBuf};
use std::time::Instant;

use hematite_comm::Solo;
use hematite_config::{Fault, Result};
use hematite_engine::sites::{Coordinate, SiteMap};
use hematite_engine::{Physics, Precision};
use hematite_geometry::models::bifurcation;
use hematite_geometry::write_meta_image;
use hematite_gpu::{Gpu, Needs, Recorder};
use physics_bodies::gay_berne::{GayBerne, Shape};
use physics_bodies::{Kind, LOOK, Parameters, RigidBodies, State, Surroundings, friction};
use serde::Deserialize;
use serde_json::json;

use crate::tool::{answer, call, case, folder, write};
use crate::{Figure, Target};

/// Semi-axes of a body in lattice spacings; its region is twice as wide: 4 x 4 x 2 nodes.
const AXES: [f64; 3] = [1.0, 1.0, 0.5];
/// Of the lumen inside bodies: one on 12 nodes.
const HEMATOCRIT: f64 = 0.1745;
/// Lattice spacings between the bodies of the gas, and steps of a measurement.
const APART: usize = 4;
const STEPS: u64 = 512;

/// What is read of `run --bench=json`, ascending.
#[derive(Deserialize)]
struct Speeds {
    nodes: f64,
    mlups: Vec<f64>,
    cell_steps: Vec<f64>,
    phases: Vec<Phase>,
}

#[derive(Deserialize)]
struct Phase {
    name: String,
    ms: f64,
}

/// Width of the vessel, edge of the gas's box, and targets: on a software device and on any other.
struct Extent {
    width: usize,
    edge: usize,
    step: Option<f64>,
    rate: Option<f64>,
}

/// Measures both.
pub fn measure(software: bool, repeats: u32) -> Result<Vec<Figure>> {
    let extent = match software {
        true => Extent { width: 16, edge: 48, step: None, rate: None },
        false => Extent { width: 92, edge: 320, step: Some(1.5), rate: Some(300.0) },
    };
    let folder = folder()?;
    let _taken = call("mkcase", &[&artery(folder.path(), extent.width)?])?;
    let found = speeds(folder.path())?;
    for Phase { name, ms } in &found.phases {
        println!("  {name:<46} | {ms:>10.4} ms a step");
    }
    let per_step: Vec<f64> = found.mlups.iter().rev().map(|mlups| 1e-3 * found.nodes / mlups).collect();
    let gas = gas(extent.edge, repeats)?;
    let spread = |of: &[f64]| Some([of[0], of[of.len() - 1]]);
    let middle = |of: &[f64]| of[of.len() / 2];
    let millions: Vec<f64> = found.cell_steps.iter().map(|rate| 1e-6 * rate).collect();
    Ok(vec![
        Figure {
            what: "rigid bodies in a bifurcation, a step",
            unit: "ms",
            value: middle(&per_step),
            spread: spread(&per_step),
            target: extent.step.map(Target::Most),
        },
        Figure {
            what: "rigid bodies in a bifurcation",
            unit: "M steps/s",
            value: middle(&millions),
            spread: spread(&millions),
            target: None,
        },
        Figure {
            what: "rigid bodies, dilute, without a fluid",
            unit: "M steps/s",
            value: middle(&gas),
            spread: spread(&gas),
            target: extent.rate.map(Target::Least),
        },
    ])
}

/// A vessel that splits into two, at 4 um.
fn artery(folder: &Path, width: usize) -> Result<PathBuf> {
    write_meta_image(&folder.join("artery.mha"), &bifurcation(width, true))?;
    let axes: Vec<String> = AXES.iter().map(|a| format!("{} um", 8.0 * a)).collect();
    let config = json!({
        "geometry": {"voxels": {"file": "artery.mha"}, "spacing": "4 um"},
        "openings": [
            {"name": "inlet", "kind": "velocity", "face": "x-"},
            {"name": "outlet", "kind": "pressure", "face": "x+"},
        ],
        "cells": [{
            "name": "red",
            "rigid": true,
            "shape": {"kind": "ellipsoid", "axes": axes, "vertices": 42},
            "hematocrit": HEMATOCRIT,
        }],
    });
    case(folder, &config)
}

fn speeds(folder: &Path) -> Result<Speeds> {
    let half_widths: Vec<String> = AXES.iter().map(|a| format!("{} um", 8.0 * a)).collect();
    let config = json!({
        "case": "case.h5",
        "fluid": {"lattice_boltzmann": {"density": "1025 kg/m3", "viscosity": "1.2 mPa s", "tau": 1.0}},
        "time": {"steps": 1000},
        "openings": {"inlet": {"velocity": "5 mm/s", "ramp": "100 us"}, "outlet": {"pressure": "0 Pa"}},
        "bodies": {"populations": {"red": {"half_widths": half_widths}}},
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

/// Million body-steps a second of a gas in a periodic box, ascending.
fn gas(edge: usize, repeats: u32) -> Result<Vec<f64>> {
    let gpu = Gpu::open(0, Needs::default())?;
    let sites = |step: usize| {
        let along = move || (0..edge).step_by(step);
        along().flat_map(move |z| along().flat_map(move |y| along().map(move |x| [x, y, z])))
    };
    let own: Vec<[i32; 3]> = sites(1).map(|site| site.map(|x| x as i32)).collect();
    let kind = Kind {
        name: "red".to_owned(),
        shape: Shape::new(AXES),
        half_widths: AXES.map(|a| 2.0 * a),
        gamma_t: [0.0; 3],
        gamma_r: [0.0; 3],
        mass: friction::mass(AXES, 1.0),
        inertia: friction::inertia(AXES, 1.0),
        lambda: [0.0; 3],
        force: [0.0; 3],
        torque: [0.0; 3],
        seeded: 0,
    };
    let parameters = Parameters {
        precision: Precision::F32,
        in_fluid: false,
        sharing: None,
        kinds: vec![kind],
        pairs: GayBerne { epsilon: 4e-4, sigma: 1.0, gamma: 1.0, mu: 0, upsilon: 0, largest: 0.08 },
        wall: None,
        surface: None,
        extent: [edge; 3],
        periodic: [true; 3],
        spacing: 1.0,
        origin: [0.0; 3],
    };
    let bodies = sites(APART).zip(0..).map(|(site, id): ([usize; 3], u32)| {
        // Velocities and turns without a pattern, from a multiplicative hash.
        let draw = |k: u32| f64::from((id ^ k << 28).wrapping_mul(2_654_435_769) >> 8) / f64::from(1_u32 << 24) - 0.5;
        let q = [0, 1, 2, 3].map(|k| draw(k) + 1e-3);
        let norm = q.iter().map(|q| q * q).sum::<f64>().sqrt();
        let at = site.map(|x| Coordinate::of(x as f64));
        State { velocity: [4, 5, 6].map(|k| 0.02 * draw(k)), ..State::at_rest(id, 0, at, q.map(|q| q / norm)) }
    });
    let count = edge.div_ceil(APART).pow(3);
    let map = SiteMap::builder(3, &own, parameters.map_margin(), parameters.extent, parameters.periodic).build(&gpu)?;
    let around = Surroundings { own, map, wall_distance: None, gates: Vec::new() };
    let mut gas = RigidBodies::new(&gpu, &Solo, parameters, None, around, 0, bodies)?;
    let mut step = 0;
    let mut rates = Vec::new();
    // The first is to warm up.
    for _ in 0..=repeats {
        let start = Instant::now();
        let mut before = None;
        for _ in 0..STEPS / LOOK {
            let mut recorder = Recorder::new(&gpu);
            for _ in 0..LOOK {
                gas.step(&Solo, &mut recorder, step)?;
                step += 1;
            }
            if let Some(before) = before.replace(recorder.submit()) {
                gpu.wait_for(&before)?;
            }
        }
        gpu.wait()?;
        rates.push(1e-6 * (count as u64 * STEPS) as f64 / start.elapsed().as_secs_f64());
        gas.check_sound(&Solo)?;
    }
    let mut rates = rates.split_off(1);
    rates.sort_by(f64::total_cmp);
    Ok(rates)
}
