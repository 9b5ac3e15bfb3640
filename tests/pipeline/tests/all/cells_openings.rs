//! Cells that come in and go out through openings: the same bits on any number of ranks, and none lost.

use std::path::Path;

use hematite_dump::{CellReader, Ledger};
use pipeline_tests::draw::{Picture, Voxels};
use pipeline_tests::suspension::{Suspension, ranks_agree, same};
use pipeline_tests::{Folder, is_full};
use serde_json::{Value, json};

const STEPS: u64 = 700;

/// From a velocity opening on the left to a pressure opening on the right.
fn run(speed: &str) -> Value {
    json!({
        "case": "case.h5",
        "fluid": {"lattice_boltzmann": {"density": "1025 kg/m3", "viscosity": "1.2 mPa s", "tau": 1.5}},
        "time": {"steps": STEPS},
        "openings": {"in": {"velocity": speed, "ramp": "20 us"}, "out": {"pressure": "0 Pa"}},
        "cells": {"inflow": {"in": {}}},
        "dumps": [{"every": 350}],
        "cell_dumps": {"every": 200},
        "tracks": {"every": 125},
        "monitor": {"every": 50}
    })
}

fn case(geometry: &Value, shape: &Value, hematocrit: f64) -> Value {
    json!({
        "geometry": geometry,
        "openings": [{"name": "in", "kind": "velocity", "face": "x-"}, {"name": "out", "kind": "pressure", "face": "x+"}],
        "cells": [{"name": "red", "shape": shape, "hematocrit": hematocrit}],
        "parts": [4]
    })
}

/// A channel that bends, so that cells meet parts above and below.
fn channel() -> Suspension {
    let picture = Picture::of(96, 32, |x, y| {
        let bend = 2.0 * (std::f64::consts::TAU * x as f64 / 96.0).sin();
        (4.0 + bend..27.0 + bend).contains(&(y as f64))
    });
    let geometry = json!({"image": "channel.pgm", "spacing": "1 um"});
    let case = case(&geometry, &json!({"kind": "red_cell"}), 0.25);
    Suspension { file: "channel.pgm", content: picture.pgm(), case, run: run("60 mm/s") }
}

/// A tube, of which four parts meet in corners.
fn tube() -> Suspension {
    let voxels = Voxels::of([44, 15, 15], |[_, y, z]| (y as f64 - 7.0).hypot(z as f64 - 7.0) < 6.8);
    let geometry = json!({"voxels": {"file": "tube.mha"}, "spacing": "1 um"});
    let shape = json!({"kind": "red_cell", "diameter": "6 um", "vertices": 162});
    Suspension { file: "tube.mha", content: voxels.mha(), case: case(&geometry, &shape, 0.12), run: run("60 mm/s") }
}

/// Expects that at least `most` cells came in and went, and that every line and every dump counts those inside.
fn balances(run: &Path, most: u64) {
    let ledger = Ledger::read(run).expect("a ledger");
    for row in &ledger.rows {
        let cells = row.cells[0];
        assert_eq!(cells.seeded + cells.inserted, cells.inside + cells.left, "step {}", row.step);
    }
    let last = ledger.rows.last().expect("a line");
    assert_eq!(last.step, STEPS);
    let (inserted, left) = (last.cells[0].inserted, last.cells[0].left);
    assert!(inserted >= most && left >= most, "{inserted} came in, {left} went");
    let cells = CellReader::open(&run.join("cells.vtkhdf")).expect("a dump of cells");
    for dump in 0..cells.steps().len() {
        let frame = cells.frame(dump).expect("a frame");
        let row = ledger.rows.iter().find(|row| row.step == frame.step).expect("a line for every dump");
        assert_eq!(frame.id.len() as u64, row.cells[0].inside, "step {}", frame.step);
    }
}

#[test]
fn ranks_agree_in_a_channel() {
    let folder = ranks_agree(&channel(), |folder, run| balances(&folder.path(run), 2));
    if is_full() {
        // Stopped on one rank and gone on with on four.
        let stop = ["run.json", "-o", "restarted", "--quiet", "--steps", "415", "--checkpoint-every", "350"];
        let _stopped = folder.run(&stop).done();
        let _gone_on = folder.mpirun(4, &["run.json", "-o", "restarted", "--restart", "latest", "--quiet"]).done();
        same(&folder, "solo", "restarted");
    }
}

#[test]
#[ignore = "make test-full"]
fn ranks_agree_in_a_tube() {
    let _folder = ranks_agree(&tube(), |folder, run| balances(&folder.path(run), 1));
}

#[test]
fn ranks_agree_where_cells_come_in_with_the_pressure() {
    let mut suspension = channel();
    suspension.case["openings"][0]["kind"] = json!("pressure");
    suspension.run["openings"]["in"] = json!({"pressure": "540 Pa", "ramp": "20 us"});
    let folder = suspension.folder();
    let _solo = folder.run(&["run.json", "-o", "solo", "--quiet"]).done();
    balances(&folder.path("solo"), 2);
    let three = ["run.json", "-o", "threads3", "--threads", "3", "--quiet", "--force"];
    let _three = folder.run(&three).done();
    same(&folder, "solo", "threads3");
    // Shares that are long travel under other work.
    let long = folder.call("run", &three).with("HEMATITE_LONG_SHARES", "0").with("HEMATITE_LONG_MESSAGES", "1");
    let _long = long.end().done();
    same(&folder, "solo", "threads3");
}

/// How many cells had come in by each line of the ledger.
fn inserted(folder: &Folder, run: &str) -> Vec<(u64, u64)> {
    let ledger = Ledger::read(&folder.path(run)).expect("a ledger");
    ledger.rows.iter().map(|row| (row.step, row.cells[0].inserted)).collect()
}

#[test]
fn a_feeder_that_is_new_at_a_restart_begins_there() {
    let mut suspension = channel();
    suspension.run["time"]["steps"] = json!(1050);
    let folder = suspension.folder();
    suspension.run["cells"] = json!({});
    folder.json("unfed.json", &suspension.run);
    let unfed = ["unfed.json", "-o", "late", "--quiet", "--steps", "700", "--checkpoint-every", "700"];
    let _unfed = folder.run(&unfed).done();
    let _fed = folder.run(&["run.json", "-o", "late", "--quiet", "--restart", "--allow-changes"]).done();
    let _always = folder.run(&["run.json", "-o", "always", "--quiet"]).done();
    let by = |run: &str, step: u64| {
        let lines = inserted(&folder, run);
        lines.iter().find(|line| line.0 == step).expect("a line").1
    };
    let (soon, late) = (by("late", 750), by("late", 1050));
    assert!(soon <= 1, "{soon} came in at once");
    let [before, after] = [700, 1050].map(|step| by("always", step));
    assert!(late.abs_diff(after - before) <= 1, "{late} came in where {before} to {after} do");
}

#[test]
fn a_restart_at_any_look_agrees_with_a_straight_run() {
    // Two populations in a short tube, where a cell comes in or goes out at nearly every second look.
    let mut suspension = tube();
    suspension.case["cells"].as_array_mut().expect("populations").push(json!(
        {"name": "platelet", "shape": {"kind": "platelet", "diameter": "3 um", "thickness": "2 um", "vertices": 42}, "count": 6}
    ));
    suspension.run["time"]["steps"] = json!(400);
    suspension.run["openings"]["in"]["velocity"] = json!("60 mm/s");
    suspension.run["dumps"] = json!([{"every": 400}]);
    suspension.run["cell_dumps"] = json!({"every": 100});
    suspension.run["tracks"] = json!({"every": 100});
    suspension.run["monitor"] = json!({"every": 16});
    let folder = suspension.folder();
    let _solo = folder.run(&["run.json", "-o", "solo", "--quiet"]).done();
    let ledger = Ledger::read(&folder.path("solo")).expect("a ledger");
    let passed =
        |row: &hematite_dump::LedgerRow| row.cells.iter().map(|cells| cells.inserted + cells.left).sum::<u64>();
    let looks = ledger.rows.windows(2).filter(|rows| passed(&rows[0]) != passed(&rows[1])).map(|rows| rows[1].step);
    let looks: Vec<u64> = looks.filter(|&step| step < 400).collect();
    assert!(looks.len() >= 3, "cells pass at {looks:?}");
    // The short suite takes every fourth.
    for step in looks.into_iter().step_by(if is_full() { 1 } else { 4 }) {
        let (run, step) = (format!("from{step}"), step.to_string());
        let first = ["run.json", "-o", &run, "--quiet", "--checkpoint-every", &step, "--steps", &step];
        let _first = folder.run(&first).done();
        let _rest = folder.run(&["run.json", "-o", &run, "--quiet", "--restart"]).done();
        same(&folder, "solo", &run);
    }
}

/// A channel 24 wide at an angle to x, cut by x- and x+.
fn oblique(degrees: f64, hematocrit: f64) -> Suspension {
    let (sine, cosine) = degrees.to_radians().sin_cos();
    let (width, height) = (90, 34 + (90.0 * sine / cosine) as usize);
    let picture = Picture::of(width, height, |x, y| {
        let from_axis = (y as f64 - 17.0) * cosine - x as f64 * sine;
        from_axis.abs() < 12.0
    });
    let geometry = json!({"image": "channel.pgm", "spacing": "1 um"});
    let case = case(&geometry, &json!({"kind": "red_cell"}), hematocrit);
    let mut run = run("40 mm/s");
    run["time"]["steps"] = json!(7000);
    run["dumps"] = json!([]);
    run["cell_dumps"] = json!({"every": 7000});
    run["tracks"] = json!({"every": 7000});
    run["monitor"] = json!({"every": 500});
    Suspension { file: "channel.pgm", content: picture.pgm(), case, run }
}

/// Cells that came in after the first third of a run, over those that the fluid was to bring with this hematocrit.
fn share_that_came_in(folder: &Folder, run: &str, hematocrit: f64) -> f64 {
    let ledger = Ledger::read(&folder.path(run)).expect("a ledger");
    let (last, first) = (&ledger.rows[ledger.rows.len() - 1], &ledger.rows[ledger.rows.len() / 3]);
    let volume = (last.through[0] - first.through[0]) / 1025.0;
    // A ring of 13.2 um2 in a layer of one spacing.
    let asked = hematocrit * volume / (13.2e-12 * 1e-6);
    let came = (last.cells[0].inserted - first.cells[0].inserted) as f64;
    assert!(asked > 15.0, "{asked} were to come in");
    came / asked
}

#[test]
fn as_many_cells_come_in_as_the_hematocrit_says() {
    for (degrees, hematocrit) in if is_full() { &[(25.0, 0.25), (0.0, 0.4)][..] } else { &[(25.0, 0.25)] } {
        let folder = oblique(*degrees, *hematocrit).folder();
        let _as_in_the_case = folder.run(&["run.json", "-o", "whole", "--quiet"]).done();
        let whole = share_that_came_in(&folder, "whole", *hematocrit);
        assert!((whole - 1.0).abs() < 0.1, "{degrees} degrees: {whole}");
    }
}

#[test]
#[ignore = "make test-full"]
fn fewer_cells_come_in_where_the_run_says_so() {
    let mut suspension = oblique(0.0, 0.4);
    suspension.run["cells"]["inflow"]["in"]["hematocrit"] = json!(0.2);
    let folder = suspension.folder();
    let _half = folder.run(&["run.json", "-o", "half", "--quiet"]).done();
    let half = share_that_came_in(&folder, "half", 0.2);
    assert!((half - 1.0).abs() < 0.15, "{half}");
}

#[test]
fn a_column_is_as_narrow_as_the_vessel_behind_its_opening() {
    let mut narrower = oblique(0.0, 0.3);
    // Four spacings behind the opening a side steps in by three: no cell can go straight in along that side.
    narrower.content = Picture::of(90, 34, |x, y| (if x < 5 { 5 } else { 8 }..29).contains(&y)).pgm();
    narrower.run["time"]["steps"] = json!(10);
    let told = narrower.folder().run(&["run.json"]).done().stderr;
    assert!(told.contains("cells come in with hematocrit 0.30"), "{told}");
    assert!(!told.contains("in their way"), "{told}");
}

#[test]
fn what_cannot_come_in_is_refused() {
    let suspension = oblique(0.0, 0.2);
    let folder = suspension.folder();
    let refused = |inflow: Value, words: &[&str]| {
        let mut run = suspension.run.clone();
        run["cells"]["inflow"] = json!({"in": inflow});
        folder.json("bad.json", &run);
        folder.run(&["bad.json", "-o", "bad", "--quiet"]).fails(2, words);
    };
    refused(json!({"hematocrit": 0.0}), &["cells.inflow.in", "hematocrit 0", "above 0"]);
    refused(json!({"hematocrit": 1.5}), &["cells.inflow.in", "hematocrit 1.5", "below 1"]);
    refused(
        json!({"hematocrit": 0.9}),
        &["cells.inflow.in", "0.9 is more than can come in here", "ask for at most that"],
    );
    refused(json!({"length": "5 um"}), &["cells.inflow.in", "length", "two diameters"]);
    // A wall across the vessel three spacings behind the opening.
    let mut blocked = oblique(0.0, 0.2);
    blocked.content = Picture::of(90, 34, |x, y| (5..29).contains(&y) && (x != 4 || y < 7)).pgm();
    let folder = blocked.folder();
    folder.run(&["run.json", "--quiet"]).fails(2, &["cells.inflow.in", "no cell finds room between the walls"]);
}
