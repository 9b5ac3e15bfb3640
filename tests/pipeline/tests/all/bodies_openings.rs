//! Rigid bodies that come in and go out through openings: the same bits on any number of ranks, none lost, none overlapping, and
//! as many inside as before.

use std::f64::consts::PI;

use hematite_case::{Case, Ellipsoid};
use hematite_dump::{BodyFrame, BodyReader, Ledger};
use pipeline_tests::suspension::{Suspension, balanced_ledger, fork, ranks_agree, same};
use pipeline_tests::{Folder, is_full};
use serde_json::json;

const STEPS: u64 = 960;

/// Density of the fluid, kg/m3.
const DENSITY: f64 = 1025.0;

/// Length of the vessel behind the inlet whose bodies come in again and again, um.
const FEED: f64 = 28.0;

/// Share by which the volume of the bodies that came in may differ from what the flow through the inlet carries: the first come
/// half a feed early or late, and some of the bodies that wait at an inlet find no room.
const BAND: f64 = 0.05;

/// The fork, fed at its inlet, which is of this `kind`.
fn fed(kind: &str, inlet: serde_json::Value) -> Suspension {
    let mut fork = fork();
    fork.case["openings"][0]["kind"] = json!(kind);
    fork.run["openings"]["inlet"] = inlet;
    fork.run["time"]["steps"] = json!(STEPS);
    fork.run["bodies"] = json!({"inflow": {"inlet": {"length": format!("{FEED} um")}}});
    fork.run["cell_dumps"] = json!({"every": 64, "at": [111]});
    fork.run["dumps"] = json!([{"every": STEPS / 2}]);
    fork
}

/// Expects that the ledger counts each body, that at least `most` came in and as many went, that numbers are given once, and that
/// the bodies that came in have the volume that the flow through the inlet carries.
fn balances(folder: &Folder, run: &str, most: u64) {
    let ledger = balanced_ledger(folder, run, STEPS);
    let last = ledger.rows.last().expect("a line");
    let sum = |of: fn(&hematite_dump::CellCount) -> u64| last.cells.iter().map(of).sum::<u64>();
    let (seeded, inserted, left) = (sum(|c| c.seeded), sum(|c| c.inserted), sum(|c| c.left));
    println!("{run}: {seeded} seeded, {inserted} came in, {left} went");
    assert!(inserted >= most && left >= most, "{inserted} came in, {left} went");
    assert!(last.cells.iter().all(|bodies| bodies.inserted > 0), "{:?}", last.cells);
    let bodies = BodyReader::open(&folder.path(&format!("{run}/bodies.vtkhdf"))).expect("a dump of bodies");
    let volumes: Vec<f64> =
        bodies.kinds().iter().map(|kind| 4.0 / 3.0 * PI * kind.semi_axes.iter().product::<f64>()).collect();
    let frames: Vec<BodyFrame> = (0..bodies.steps().len()).map(|dump| bodies.frame(dump).expect("a frame")).collect();
    for frame in &frames {
        assert!(frame.id.is_sorted_by(|a, b| a < b), "bodies at step {}: {:?}", frame.step, frame.id);
        assert!(frame.id.last().is_some_and(|&id| id < seeded + inserted), "step {}", frame.step);
        if let Some(row) = ledger.rows.iter().find(|row| row.step == frame.step) {
            assert_eq!(frame.id.len() as u64, row.cells.iter().map(|bodies| bodies.inside).sum::<u64>());
        }
    }
    let came_in: f64 = last.cells.iter().zip(&volumes).map(|(bodies, volume)| bodies.inserted as f64 * volume).sum();
    // Bodies come with the speed of the fluid where they are, over the mean that of a round tube of 24 um around (36, 16) um.
    let speed = |[_, y, z]: [f64; 3]| 2.0 * (1.0 - ((y - 36e-6).powi(2) + (z - 16e-6).powi(2)) / 12e-6_f64.powi(2));
    let fed = |frame: &BodyFrame| {
        let near = (0..frame.id.len()).filter(|&n| frame.position[n][0] < 1e-6 * FEED);
        near.map(|n| volumes[frame.kind[n] as usize] * speed(frame.position[n])).sum::<f64>()
    };
    let case = Case::open(&folder.path("case.h5")).expect("a case");
    let (area, spacing) = (case.header().openings[0].area, case.header().spacing);
    let flowed_in = last.through[0] / DENSITY;
    let carried = fed(&frames[0]) / (area * spacing.powi(2) * 1e-6 * FEED) * flowed_in;
    println!("{run}: {:.3} of the volume carried came in", came_in / carried);
    assert!((came_in / carried - 1.0).abs() < BAND, "{came_in:e} m3 of bodies came in, {carried:e} were carried");
}

/// Expects that bodies which came in at the step of a dump overlap no other.
fn apart(folder: &Folder, run: &str) {
    let bodies = BodyReader::open(&folder.path(&format!("{run}/bodies.vtkhdf"))).expect("a dump of bodies");
    let (mut met, mut last) = (0, 0);
    for dump in 0..bodies.steps().len() {
        let frame = bodies.frame(dump).expect("a frame");
        let body = |n: usize| Ellipsoid {
            semi_axes: bodies.kinds()[frame.kind[n] as usize].semi_axes,
            orientation: frame.orientation[n].map(f64::from),
        };
        let fresh = |n: usize| frame.id[n] > last && frame.velocity[n] == [0.0; 3];
        for n in (0..frame.id.len()).filter(|&n| dump > 0 && fresh(n)) {
            met += 1;
            for other in (0..frame.id.len()).filter(|&other| other != n) {
                let apart = [0, 1, 2].map(|a| frame.position[other][a] - frame.position[n][a]);
                let [one, two] = [frame.id[n], frame.id[other]];
                assert!(!body(n).overlaps(&body(other), apart), "{one} and {two} at step {}", frame.step);
            }
        }
        last = frame.id.last().copied().unwrap_or(last);
    }
    assert!(met > 10, "{met} bodies were seen as they came in");
}

#[test]
#[ignore = "make test-full"]
fn ranks_agree_where_bodies_come_in_with_a_prescribed_flow() {
    let fed = fed("velocity", json!({"velocity": "60 mm/s", "ramp": "50 us"}));
    let folder = ranks_agree(&fed, |folder, run| balances(folder, run, 30));
    apart(&folder, "solo");
    // Stopped between two looks and gone on with on other numbers of ranks.
    let first = ["run.json", "-o", "again", "--quiet", "--steps", "500", "--checkpoint-every", "411"];
    let _first = folder.run(&[&first[..], &["--threads", "3"]].concat()).done();
    let _second = folder.mpirun(2, &["run.json", "-o", "again", "--restart", "--quiet", "--steps", "800"]).done();
    let _third = folder.run(&["run.json", "-o", "again", "--restart", "--quiet"]).done();
    balances(&folder, "again", 30);
    same(&folder, "solo", "again");
}

#[test]
fn ranks_agree_where_bodies_come_in_with_the_pressure() {
    let folder = fed("pressure", json!({"pressure": "400 Pa", "ramp": "50 us"})).folder();
    let _solo = folder.run_on_all_cores(&["run.json", "-o", "solo", "--quiet"]).done();
    balances(&folder, "solo", 10);
    apart(&folder, "solo");
    let threads = if is_full() { "3" } else { "2" };
    let _threads = folder.run(&["run.json", "-o", "threads", "--threads", threads, "--quiet"]).done();
    same(&folder, "solo", "threads");
}

#[test]
#[ignore = "make test-full"]
fn half_of_the_bodies_come_in_where_half_of_the_hematocrit_is_asked_for() {
    let mut suspension = fed("velocity", json!({"velocity": "60 mm/s", "ramp": "50 us"}));
    suspension.run["time"]["steps"] = json!(STEPS / 2);
    let inserted = |suspension: &Suspension| {
        let folder = suspension.folder();
        let _done = folder.run(&["run.json", "-o", "solo", "--quiet"]).done();
        let ledger = Ledger::read(&folder.path("solo")).expect("a ledger");
        ledger.rows.last().expect("a line").cells.iter().map(|bodies| bodies.inserted).sum::<u64>() as f64
    };
    let all = inserted(&suspension);
    // `run` says which share of the volume comes in as bodies.
    let checked = suspension.folder().run(&["run.json", "--check"]).done();
    let said = format!("{}{}", checked.stdout, checked.stderr);
    let before = said.split(" of the volume that comes in").next().and_then(|text| text.split(' ').next_back());
    let share: f64 = before.and_then(|text| text.parse().ok()).unwrap_or_else(|| panic!("{said}"));
    suspension.run["bodies"]["inflow"]["inlet"]["hematocrit"] = json!(share / 2.0);
    let half = inserted(&suspension);
    assert!((0.3..0.7).contains(&(half / all)), "{half} of {all} came in");
}

/// The warnings of a run of these bodies that come in, of their inflow.
fn inflow_warnings(suspension: &Suspension) -> Vec<String> {
    let folder = suspension.folder();
    let _done = folder.run(&["run.json", "-o", "solo", "--quiet"]).done();
    let record = folder.read_json("solo/run.json");
    let warnings = record["warnings"].as_array().expect("a list");
    let of_inflow = warnings.iter().filter(|warning| warning["kind"] == "inflow:bodies:inlet");
    of_inflow.map(|warning| warning["text"].as_str().expect("a text").to_owned()).collect()
}

#[test]
fn bodies_that_find_no_room_are_told_of() {
    let mut suspension = fed("velocity", json!({"velocity": "60 mm/s", "ramp": "50 us"}));
    suspension.run["time"]["steps"] = json!(STEPS / 2);
    suspension.run["bodies"]["inflow"]["inlet"]["hematocrit"] = json!(0.05);
    assert_eq!(inflow_warnings(&suspension), Vec::<String>::new());
    suspension.run["bodies"]["inflow"]["inlet"]["hematocrit"] = json!(null);
    // So heavy that the fluid passes them by: they stay where others are to come in.
    let heavy = json!({"density": "20000 kg/m3"});
    suspension.run["bodies"]["populations"] = json!({"red": heavy, "ball": heavy});
    let warnings = inflow_warnings(&suspension);
    println!("{warnings:?}");
    let [warning] = &warnings[..] else { panic!("{warnings:?}") };
    for piece in ["bodies that were to come in through opening \"inlet\"", "bodies.inflow.inlet.hematocrit"] {
        assert!(warning.contains(piece), "{piece}: {warning}");
    }
}
