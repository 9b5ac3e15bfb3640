//! Rigid platelets among cells with membranes: the same bits on any number of ranks, straight through and restarted, each kind in
//! its own files, and none lost.

use std::collections::BTreeSet;

use hematite_dump::{BodyReader, CellReader};
use pipeline_tests::draw::Voxels;
use pipeline_tests::suspension::{
    Suspension, balanced_ledger, counts, identical, platelets, ranks_agree, refilled_street, same, street,
};
use pipeline_tests::{Folder, is_full};
use serde_json::{Value, json};

/// Expects that every line of the ledger, and every dump of cells and of bodies, counts each member.
fn balances(folder: &Folder, run: &str, steps: u64) {
    let ledger = balanced_ledger(folder, run, steps);
    assert_eq!(ledger.populations, ["red", "platelet", "white"]);
    let cells = CellReader::open(&folder.path(&format!("{run}/cells.vtkhdf"))).expect("a dump of cells");
    let bodies = BodyReader::open(&folder.path(&format!("{run}/bodies.vtkhdf"))).expect("a dump of bodies");
    assert_eq!(cells.kinds().iter().map(|kind| kind.name.as_str()).collect::<Vec<_>>(), ["red", "white"]);
    assert_eq!(bodies.kinds().iter().map(|kind| kind.name.as_str()).collect::<Vec<_>>(), ["platelet"]);
    let mut met = 0;
    for dump in 0..cells.steps().len() {
        let (cells, bodies) = (cells.frame(dump).expect("a frame"), bodies.frame(dump).expect("a frame"));
        assert_eq!(cells.step, bodies.step);
        let Some(row) = ledger.rows.iter().find(|row| row.step == cells.step) else { continue };
        let of = |kinds: &[u32], kind: u32| kinds.iter().filter(|&&k| k == kind).count() as u64;
        let dumped = [of(&cells.kind, 0), of(&bodies.kind, 0), of(&cells.kind, 1)];
        assert_eq!(
            dumped.to_vec(),
            row.cells.iter().map(|count| count.inside).collect::<Vec<_>>(),
            "step {}",
            row.step
        );
        met += 1;
    }
    assert!(met > 1, "no dump when the ledger was written");
}

/// The least place of a vertex in a body, over its semi-axes, in all dumps: 1 is on its surface.
fn least(folder: &Folder, run: &str) -> f64 {
    let cells = CellReader::open(&folder.path(&format!("{run}/cells.vtkhdf"))).expect("a dump of cells");
    let bodies = BodyReader::open(&folder.path(&format!("{run}/bodies.vtkhdf"))).expect("a dump of bodies");
    let header = hematite_case::Case::open(&folder.path("case.h5")).expect("a case").header().clone();
    let period = [0, 1, 2].map(|a| header.periodic[a].then_some(header.extent[a] as f64 * header.spacing));
    let mut least = f64::INFINITY;
    for dump in 0..cells.steps().len() {
        let (cells, frame) = (cells.frame(dump).expect("a frame"), bodies.frame(dump).expect("a frame"));
        for i in 0..frame.id.len() {
            let (axes, q) = (bodies.kinds()[frame.kind[i] as usize].semi_axes, frame.orientation[i].map(f64::from));
            for vertex in &cells.position {
                let r = [0, 1, 2].map(|a| {
                    let r = vertex[a] - frame.position[i][a];
                    period[a].map_or(r, |period| r - period * (r / period).round())
                });
                let y = turned_back(q, r);
                let place = (0..3).map(|k| (y[k] / axes[k]).powi(2)).sum::<f64>().sqrt();
                least = least.min(place);
            }
        }
    }
    least
}

/// A vector in the frame that the quaternion turns into space.
fn turned_back([w, x, y, z]: [f64; 4], v: [f64; 3]) -> [f64; 3] {
    let cross =
        |a: [f64; 3], b: [f64; 3]| [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
    let u = [-x, -y, -z];
    let t = cross(u, v).map(|t| 2.0 * t);
    let ut = cross(u, t);
    [0, 1, 2].map(|k| v[k] + w * t[k] + ut[k])
}

fn steps(suspension: &Suspension) -> u64 {
    suspension.run["time"]["steps"].as_u64().expect("steps")
}

#[test]
fn ranks_agree_in_a_pipe_and_each_kind_has_its_statistics() {
    let suspension = platelets();
    let folder = ranks_agree(&suspension, |folder, run| balances(folder, run, steps(&suspension)));
    let ledger = balanced_ledger(&folder, "solo", steps(&suspension));
    let last = ledger.rows.last().expect("a line");
    assert!(last.cells.iter().all(|count| count.left == 0), "{last:?}");
    assert_eq!(last.cells.iter().map(|count| count.inside).collect::<Vec<_>>(), counts(&folder.path("case.h5")));
    let least = least(&folder, "solo");
    println!("a vertex comes to {least:.3} of a body's semi-axes");
    assert!((0.9..1.6).contains(&least), "{least}");
    for what in ["cells", "bodies"] {
        let _statistics = folder.post(&[what, "solo"]).done();
    }
}

/// Where a run of 600 steps stops, how often it writes checkpoints, and the ranks before and after; other runs stop at
/// the same share of their steps.
type Stop = (u64, u64, &'static [&'static str], &'static [&'static str]);

const STOPS: [Stop; 2] = [(301, 203, &[], &["--threads", "3"]), (411, 333, &["--threads", "2"], &[])];

/// Expects the same bits on any number of ranks, and in the full suite after a restart at each of [`STOPS`]. Of both kinds,
/// some leave.
fn ranks_and_restarts_agree(suspension: &Suspension) -> Folder {
    let steps = steps(suspension);
    let folder = ranks_agree(suspension, |folder, run| balances(folder, run, steps));
    if is_full() {
        restarts_agree(&folder, steps, &STOPS);
    }
    let ledger = balanced_ledger(&folder, "solo", steps);
    let last = ledger.rows.last().expect("a line");
    assert!(last.cells.iter().take(2).all(|count| count.left > 0), "{last:?}");
    folder
}

#[test]
#[ignore = "make test-full"]
fn ranks_and_restarts_agree_where_both_leave() {
    let _folder = ranks_and_restarts_agree(&street());
}

#[test]
fn ranks_and_restarts_agree_where_both_come_in() {
    let suspension = refilled_street();
    let folder = ranks_and_restarts_agree(&suspension);
    let ledger = balanced_ledger(&folder, "solo", steps(&suspension));
    let last = ledger.rows.last().expect("a line");
    assert!(last.cells[0].inserted >= 2 && last.cells[1].inserted > 5, "{last:?}");
    let least = least(&folder, "solo");
    println!("{last:?}: a vertex comes to {least:.3} of a body's semi-axes");
    assert!(least > 0.9, "{least}");
    // No number twice, neither among cells and bodies at one time nor ever.
    let cells = CellReader::open(&folder.path("solo/cells.vtkhdf")).expect("a dump of cells");
    let bodies = BodyReader::open(&folder.path("solo/bodies.vtkhdf")).expect("a dump of bodies");
    let (mut of_cells, mut of_bodies) = (BTreeSet::new(), BTreeSet::new());
    for dump in 0..cells.steps().len() {
        of_cells.extend(cells.frame(dump).expect("a frame").id);
        of_bodies.extend(bodies.frame(dump).expect("a frame").id);
    }
    let seeded: u64 = counts(&folder.path("case.h5")).iter().sum();
    assert!(of_cells.iter().chain(&of_bodies).any(|&id| id >= seeded), "some of those that came in were dumped");
    assert!(of_cells.is_disjoint(&of_bodies), "{of_cells:?}, {of_bodies:?}");
}

/// A slit so narrow that bodies find no room beside the cells that come in next, with one cell.
fn slit() -> Suspension {
    let voxels = Voxels::of([24, 11, 22], |[_, y, z]| (1..10).contains(&y) && (1..21).contains(&z));
    let mut suspension = refilled_street();
    suspension.file = "slit.mha";
    suspension.content = voxels.mha();
    suspension.case["geometry"]["voxels"]["file"] = json!("slit.mha");
    let red = json!({"kind": "platelet", "diameter": "5 um", "thickness": "2.2 um", "vertices": 162});
    let platelet = json!({"kind": "ellipsoid", "axes": ["2.4 um", "4 um", "4 um"]});
    suspension.case["cells"] = json!([
        {"name": "red", "shape": red, "count": 1},
        {"name": "platelet", "rigid": true, "shape": platelet, "hematocrit": 0.3}
    ]);
    suspension.case["seeding"] = json!({"seed": 789});
    let run = &mut suspension.run;
    run["fluid"]["lattice_boltzmann"]["tau"] = json!(1.0);
    run["time"] = json!({"steps": 160});
    run["openings"]["in"] = json!({"velocity": "300 mm/s", "ramp": "4 us"});
    run["cells"]["inflow"]["in"]["hematocrit"] = json!(0.38);
    run["monitor"] = json!({"every": 16});
    suspension
}

/// A single rank makes room for more cells when they come in, where several ranks have enough: bodies leave the places
/// of those that come in next alone all the same.
#[test]
fn bodies_wait_for_cells_whatever_room_ranks_have() {
    let suspension = slit();
    let steps = steps(&suspension);
    let folder = ranks_agree(&suspension, |folder, run| drop(balanced_ledger(folder, run, steps)));
    let ledger = balanced_ledger(&folder, "solo", steps);
    let last = ledger.rows.last().expect("a line");
    assert!(last.cells[0].inside > last.cells[0].seeded, "{last:?}");
    assert!(folder.read("solo/log.jsonl").contains("inflow:bodies:in"), "bodies were due");
}

/// Expects that a run of a folder with the straight run "solo", stopped and restarted on other ranks, has its bits.
fn restarts_agree(folder: &Folder, steps: u64, stops: &[Stop]) {
    for &(stop, every, first, second) in stops {
        let name = format!("stop{stop}");
        let mut run = folder.read_json("run.json");
        run["checkpoint"] = json!({"at_end": false});
        folder.json("stops.json", &run);
        let call =
            |arguments: &[&str]| folder.run(&[&["stops.json", "-o", &name, "--quiet"], arguments].concat()).done();
        let [stop, every] = [stop, every].map(|step| (step * steps / 600).to_string());
        let _first = call(&[&["--steps", &stop, "--checkpoint-every", &every], first].concat());
        let _second = call(&[&["--restart"], second].concat());
        balances(folder, &name, steps);
        same(folder, "solo", &name);
    }
}

#[test]
#[ignore = "make test-full"]
fn a_restart_agrees_with_a_straight_run() {
    let mut seldom = platelets();
    seldom.run["cells"] = json!({"every": 3});
    let folder = seldom.folder();
    let _solo = folder.run(&["run.json", "-o", "solo", "--quiet"]).done();
    restarts_agree(&folder, steps(&seldom), &STOPS);
}

#[test]
fn ranks_that_hand_nodes_over_agree() {
    let folder = platelets().folder();
    let mut run = folder.read_json("run.json");
    run["balance"] = json!({"every": 64, "tolerance": 0.0});
    folder.json("balanced.json", &run);
    let _solo = folder.run(&["run.json", "-o", "solo", "--quiet"]).done();
    let _three = folder.run(&["balanced.json", "-o", "three", "--quiet", "--threads", "3"]).done();
    let log = folder.read("three/log.jsonl");
    let events = log.lines().map(|line| serde_json::from_str::<Value>(line).expect("an event"));
    assert!(events.filter(|event| event["event"] == "balance").count() > 1, "{log}");
    identical(&folder, "solo", "three");
}

#[test]
fn what_cannot_be_is_refused() {
    let folder = platelets().folder();
    let refuses = |key: &str, value: Value, pieces: &[&str]| {
        let mut run = platelets().run;
        run[key] = value;
        folder.json("run.json", &run);
        let pieces = [&["run.json"], pieces].concat();
        folder.refuses("run", &["run.json", "--quiet", "--check"], &pieces);
        folder.refuses("run", &["run.json", "--quiet", "--threads", "2"], &pieces);
    };
    refuses("cells", json!({"move_every": 2, "every": 2}), &["cells.move_every 2 must be 1", "rigid bodies"]);
    refuses("cells", json!({"contact": {"strength": "0 Pa"}}), &["cells.contact.strength must be above 0"]);
    refuses("bodies", json!({"populations": {"red": {}}}), &["bodies.populations.red", "platelet"]);
    refuses("cells", json!({"mechanics": {"platelet": {}}}), &["cells.mechanics.platelet", "red, white"]);
    let mut smoothed = platelets();
    smoothed.case["walls"] = json!({"spacing": 0.75});
    smoothed.run["fluid"]["lattice_boltzmann"]["walls"] = json!("immersed");
    let pieces = ["run.json", "immersed walls", "half_way"];
    smoothed.folder().refuses("run", &["run.json", "--quiet", "--check"], &pieces);
}
