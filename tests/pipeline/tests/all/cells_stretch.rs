//! A red cell pulled at both ends, from a case to dumps.

use hematite_dump::CellReader;
use pipeline_tests::Folder;
use pipeline_tests::draw::Voxels;
use pipeline_tests::suspension::same;
use serde_json::{Value, json};

/// One red cell that stands as its shape does, in a box that is periodic in all directions.
fn alone() -> Folder {
    let folder = Folder::new();
    folder.write("box.mha", &Voxels::of([20, 14, 14], |_| true).mha());
    folder.write("cell.csv", b"x [um],y [um],z [um]\n10,7,7\n");
    folder.json(
        "case.json",
        &json!({
            "geometry": {"voxels": {"file": "box.mha"}, "spacing": "1 um", "periodic": ["x", "y", "z"]},
            "cells": [{"name": "red", "shape": {"kind": "red_cell", "vertices": 162}, "positions": "cell.csv"}],
        }),
    );
    folder.mkcase(&["case.json", "--quiet"]).done();
    folder
}

fn config(cells: &Value) -> Value {
    json!({
        "case": "case.h5",
        "fluid": {"lattice_boltzmann": {"density": "1025 kg/m3", "viscosity": "0.3 mPa s"}},
        "time": {"step": "0.3 us", "steps": 1000},
        "cells": cells,
        "cell_dumps": {"every": 1000},
    })
}

/// Runs and gives the cell's lengths along x, y and z in the end, um.
fn lengths(folder: &Folder, name: &str, cells: &Value, flags: &[&str]) -> [f64; 3] {
    folder.json("run.json", &config(cells));
    folder.run(&[&["run.json", "--quiet", "-o", name], flags].concat()).done();
    let reader = CellReader::open(&folder.path(name).join("cells.vtkhdf")).expect("a dump of cells");
    let frame = reader.frame(reader.steps().len() - 1).expect("a frame");
    [0, 1, 2].map(|axis| {
        let along = || frame.position.iter().map(|x| x[axis]);
        1e6 * (along().fold(f64::NEG_INFINITY, f64::max) - along().fold(f64::INFINITY, f64::min))
    })
}

#[test]
fn a_pulled_cell_grows_long_and_narrow() {
    let folder = alone();
    let rest = lengths(&folder, "rest", &json!({}), &[]);
    let pull = json!({"stretch": {"red": {"force": "80 pN", "share": 0.05}}});
    let pulled = lengths(&folder, "pulled", &pull, &[]);
    println!("{rest:?} {pulled:?}");
    assert!((rest[0] - rest[1]).abs() < 0.1 && rest[2] < 0.5 * rest[0], "{rest:?}");
    assert!(pulled[0] > 1.1 * rest[0], "{rest:?} {pulled:?}");
    assert!(pulled[1] < 0.97 * rest[1], "{rest:?} {pulled:?}");
    lengths(&folder, "ranks", &pull, &["--threads", "2"]);
    same(&folder, "pulled", "ranks");

    let across =
        lengths(&folder, "across", &json!({"stretch": {"red": {"force": "80 pN", "share": 0.05, "axis": "y"}}}), &[]);
    assert!(across[1] > 1.1 * rest[1] && across[0] < 0.97 * rest[0], "{rest:?} {across:?}");
    let pressed = lengths(&folder, "pressed", &json!({"stretch": {"red": {"force": "-20 pN", "share": 0.05}}}), &[]);
    assert!(pressed[0] < 0.99 * rest[0], "{rest:?} {pressed:?}");
}

#[test]
fn pulls_that_cannot_be_are_refused() {
    let folder = alone();
    let refused = |stretch: Value, pieces: &[&str]| {
        folder.json("run.json", &config(&json!({"stretch": stretch})));
        folder.refuses("run", &["run.json", "--quiet", "--check"], &[&["run.json"], pieces].concat());
    };
    refused(json!({"redd": {"force": "50 pN"}}), &["cells.stretch.redd", "no such population", "did you mean \"red\""]);
    refused(json!({"red": {"force": "50 pN", "share": 0.7}}), &["cells.stretch.red.share 0.7", "at most 0.5"]);
    refused(json!({"red": {"force": "50 pN", "share": 0}}), &["cells.stretch.red.share 0", "above 0"]);
    refused(json!({"red": {"force": "50 uN"}}), &["cells.stretch.red.force", "at most", "time step"]);
    refused(json!({"red": {"force": "50 um"}}), &["force", "50 um"]);
    refused(json!({"red": {"force": "50 pN", "axes": "x"}}), &["axes", "axis"]);
}
