//! Cells at walls of all kinds: specks of one pixel in the lumen, corners, narrow bends, inlets narrower than what lies behind.

use std::collections::HashSet;
use std::path::Path;

use hematite_case::Case;
use hematite_dump::{CellReader, Ledger};
use pipeline_tests::Folder;
use pipeline_tests::draw::Picture;
use pipeline_tests::suspension::{counts, keeps_its_cells};
use serde_json::{Value, json};

/// Expects that no vertex of any dump is in the wall: all are farther from each wall site than where a wall half-way to its neighbours ends
/// between them.
fn stays_out(case: &Path, run: &Path) {
    let case = Case::open(case).expect("a case");
    let header = case.header();
    let mut fluid: HashSet<[i32; 2]> = HashSet::new();
    case.each_position(|positions| fluid.extend(positions.iter().map(|at| [at[0], at[1]]))).expect("reads");
    let [nx, ny] = [0, 1].map(|a| header.extent[a] as i32);
    let wall = |[x, y]: [i32; 2]| {
        let x = if header.periodic[0] { x.rem_euclid(nx) } else { x };
        (0..nx).contains(&x) && (0..ny).contains(&y) && !fluid.contains(&[x, y])
    };
    let cells = CellReader::open(&run.join("cells.vtkhdf")).expect("a dump of cells");
    for dump in 0..cells.steps().len() {
        let frame = cells.frame(dump).expect("a frame");
        for x in &frame.position {
            let at = [0, 1].map(|a| (x[a] - header.origin[a]) / header.spacing - 0.5);
            let site = at.map(|x| x.round() as i32);
            let away = (0..2).map(|a| (at[a] - f64::from(site[a])).powi(2)).sum::<f64>().sqrt();
            assert!(!wall(site) || away > 0.45, "step {}: a vertex at {at:?}, {away} from {site:?}", frame.step);
        }
    }
}

fn run(walls: &str, contrast: f64, force: &str) -> Value {
    json!({
        "case": "case.h5",
        "fluid": {"lattice_boltzmann": {"density": "1025 kg/m3", "viscosity": "1.2 mPa s", "walls": walls, "tau": 1.5}},
        "time": {"steps": 640},
        "drive": {"force": [force, "0 Pa/m"]},
        "cells": {"mechanics": {"red": {"contrast": contrast}}},
        "dumps": [],
        "cell_dumps": {"every": 80},
        "tracks": {"every": 320},
        "monitor": {"every": 80}
    })
}

fn survives(picture: &Picture, hematocrit: f64, force: &str) {
    let folder = Folder::new();
    folder.write("vessel.pgm", &picture.pgm());
    folder.json(
        "case.json",
        &json!({
            "geometry": {"image": "vessel.pgm", "spacing": "1 um", "periodic": ["x"]},
            "cells": [{"name": "red", "shape": {"kind": "red_cell"}, "hematocrit": hematocrit}],
            "walls": {"spacing": 0.75}
        }),
    );
    let _made = folder.mkcase(&["case.json", "--quiet"]).done();
    for (walls, contrast) in [("half_way", 1.0), ("interpolated", 5.0), ("immersed", 5.0)] {
        folder.json("run.json", &run(walls, contrast, force));
        let _done = folder.run(&["run.json", "-o", walls, "--quiet"]).done();
        keeps_its_cells(&folder.path(walls), 640, &counts(&folder.path("case.h5")));
        stays_out(&folder.path("case.h5"), &folder.path(walls));
        if walls == "interpolated" {
            keeps_its_mass(&folder.path(walls));
        }
    }
}

/// Expects that the walls of a domain without openings have given or taken less than a thousandth of the mass inside. Walls
/// that are interpolated under membranes too give five thousandths in the narrow bend.
fn keeps_its_mass(run: &Path) {
    let ledger = Ledger::read(run).expect("a ledger");
    let last = ledger.rows.last().expect("rows");
    let walls = *last.through.last().expect("walls are the last opening");
    assert!(walls.abs() < 1e-3 * last.inside, "{walls} kg of {}", last.inside);
}

#[test]
fn specks_and_corners_leave_cells_whole() {
    let specks = [[12, 12], [26, 20], [40, 14], [47, 24]];
    let picture = Picture::of(56, 34, |x, y| {
        let step = (18..24).contains(&x) && y > 23;
        (2..32).contains(&y) && !step && !specks.contains(&[x, y])
    });
    survives(&picture, 0.35, "0.5 MPa/m");
}

#[test]
fn a_narrow_bend_leaves_cells_whole() {
    let picture = Picture::of(60, 48, |x, y| {
        let middle = 23.5 + 14.0 * (std::f64::consts::TAU * x as f64 / 60.0).sin();
        (y as f64 - middle).abs() < 7.5
    });
    survives(&picture, 0.3, "1 MPa/m");
}

#[test]
fn cells_come_in_where_the_inlet_is_narrower_than_the_vessel() {
    let picture = Picture::of(90, 44, |x, y| (4..18 + 2 * x.saturating_sub(10).min(11)).contains(&y));
    let folder = Folder::new();
    folder.write("funnel.pgm", &picture.pgm());
    folder.json(
        "case.json",
        &json!({
            "geometry": {"image": "funnel.pgm", "spacing": "1 um"},
            "openings": [
                {"name": "in", "kind": "velocity", "face": "x-"},
                {"name": "out", "kind": "pressure", "face": "x+"}
            ],
            "cells": [{"name": "red", "shape": {"kind": "red_cell"}, "hematocrit": 0.3}]
        }),
    );
    let _made = folder.mkcase(&["case.json", "--quiet"]).done();
    let mut config = run("half_way", 1.0, "0 Pa/m");
    config.as_object_mut().expect("an object").remove("drive");
    config["time"]["steps"] = json!(1600);
    config["openings"] = json!({"in": {"velocity": "40 mm/s", "ramp": "20 us"}, "out": {"pressure": "0 Pa"}});
    config["cells"]["inflow"] = json!({"in": {}});
    folder.json("run.json", &config);
    let _done = folder.run(&["run.json", "-o", "funnel", "--quiet"]).done();
    let ledger = Ledger::read(&folder.path("funnel")).expect("a ledger");
    let last = ledger.rows.last().expect("rows").cells[0];
    assert!(last.inserted >= 3, "{last:?}");
    stays_out(&folder.path("case.h5"), &folder.path("funnel"));
}
