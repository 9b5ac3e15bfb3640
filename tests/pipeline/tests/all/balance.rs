//! Ranks that hand nodes over in the midst of a run: the same bits, ledgers and dumps, straight through and restarted.

use pipeline_tests::suspension::{Suspension, balanced_ledger, bent_channel, fork, same};
use pipeline_tests::{Folder, configs, draw, is_full};
use serde_json::{Value, json};

/// Looks at every step that may be one; ranks never take equally long to the last bit.
const OFTEN: f64 = 0.0;

/// Writes "balanced.json": as "run.json", where ranks hand nodes over every so many steps.
fn balanced(folder: &Folder, every: u64) {
    let mut run = folder.read_json("run.json");
    run["balance"] = json!({"every": every, "tolerance": OFTEN});
    folder.json("balanced.json", &run);
}

/// At which steps nodes changed ranks.
fn moves(folder: &Folder, run: &str) -> Vec<u64> {
    let log = folder.read(&format!("{run}/log.jsonl"));
    let events = log.lines().map(|line| serde_json::from_str::<Value>(line).expect("an event"));
    let moves = events.filter(|event| event["event"] == "balance" && event["moved_nodes"].as_u64() > Some(0));
    moves.filter_map(|event| event["step"].as_u64()).collect()
}

/// How often a run is made until nodes changed ranks often enough.
const TRIES: usize = 5;

/// Makes the run `name` by `run`, and expects that nodes changed ranks at `least` so often, and that it holds what "solo" does. On a busy
/// machine ranks may seem to take equally long for a while: then it is made again.
fn agrees(folder: &Folder, name: &str, least: usize, run: impl Fn()) {
    let mut tries = Vec::new();
    while tries.last().is_none_or(|moves: &Vec<u64>| moves.len() < least) {
        assert!(tries.len() < TRIES, "{name}: nodes changed ranks after steps {tries:?} only");
        run();
        let compared = folder.post(&["compare", "solo", name]).done();
        assert!(compared.stdout.starts_with("the same"), "{name}: {}", compared.stdout);
        tries.push(moves(folder, name));
    }
}

/// How runs that hand nodes over are called, before the name of their folder.
const CALL: [&str; 4] = ["balanced.json", "--quiet", "--force", "-o"];

/// The run "three" of three threads, in which nodes changed ranks.
fn three_agree(folder: &Folder, least: usize) {
    agrees(folder, "three", least, || {
        let _three = folder.run(&[&CALL[..], &["three", "--threads", "3"]].concat()).done();
    });
}

/// That, and the run "two" of two ranks of MPI.
fn three_and_two_agree(folder: &Folder, least: usize) {
    three_agree(folder, least);
    agrees(folder, "two", least, || {
        let _two = folder.mpirun(2, &[&CALL[..], &["two"]].concat()).done();
    });
}

/// A vessel between openings, with dumps of all nodes and of some, and walls of a kind.
fn vessel(walls: &str) -> Folder {
    let folder = Folder::new();
    folder.write("vessel.pgm", &draw::vessel().pgm());
    let mut case = configs::vessel_case();
    case["walls"] = json!({"spacing": 0.75});
    folder.json("case.json", &case);
    let _made = folder.mkcase(&["case.json", "--quiet"]).done();
    let run = json!({
        "case": "case.h5",
        "fluid": {"lattice_boltzmann": {"density": "1025 kg/m3", "viscosity": "1.2 mPa s", "walls": walls, "tau": 0.8}},
        "time": {"steps": 400},
        "openings": configs::pulsating(),
        "dumps": [
            {"every": 100, "at": [1, 133]},
            {"name": "box", "every": 150, "region": {"box": {"min": ["100 um", "20 um"], "max": ["170 um", "90 um"]}}},
        ],
        "monitor": {"every": 50}
    });
    folder.json("run.json", &run);
    let _solo = folder.run(&["run.json", "-o", "solo", "--quiet"]).done();
    balanced(&folder, 60);
    folder
}

#[test]
fn fluids_stay_the_same() {
    let all = ["half_way", "immersed", "interpolated"];
    for walls in if is_full() { &all[..] } else { &all[..2] } {
        let folder = vessel(walls);
        if is_full() || *walls == "half_way" {
            three_and_two_agree(&folder, 4);
        } else {
            three_agree(&folder, 4);
        }
        assert_eq!(folder.read("solo/ledger.csv"), folder.read("three/ledger.csv"), "{walls}");
    }
}

#[test]
fn a_restart_finds_dumps_of_nodes_that_were_handed_over() {
    let folder = vessel("half_way");
    let call = |arguments: &[&str]| folder.run(&[&["balanced.json", "--quiet"], arguments].concat()).done();
    for (name, ranks) in [("same", ["--threads", "3"]), ("other", ["--threads", "2"])] {
        agrees(&folder, name, 5, || {
            call(&["-o", name, "--force", "--steps", "200", "--checkpoint-every", "200", "--threads", "3"]);
            call(&[&["-o", name, "--restart"], &ranks[..]].concat());
        });
    }
}

#[test]
fn a_dump_of_other_nodes_is_refused() {
    let folder = vessel("half_way");
    let call = |arguments: &[&str]| folder.run(&[&["balanced.json", "--quiet", "--threads", "2"], arguments].concat());
    let _first = call(&["-o", "first", "--steps", "200", "--checkpoint-every", "200"]).done();
    let mut run = folder.read_json("balanced.json");
    run["dumps"][1]["region"]["box"]["min"][0] = json!("110 um");
    folder.json("balanced.json", &run);
    let refused = call(&["-o", "first", "--restart"]).exits(2);
    assert!(refused.stderr.contains("other nodes than the run dumps now"), "{}", refused.stderr);
}

/// The suspension for `steps` steps, and the same with nodes handed over.
fn suspended(mut suspension: Suspension, steps: u64, every: u64) -> Folder {
    suspension.run["time"]["steps"] = json!(steps);
    suspension.run["cell_dumps"] = json!({"every": 100});
    suspension.run["dumps"] = json!([{"every": 200}]);
    let folder = suspension.folder();
    let _solo = folder.run(&["run.json", "-o", "solo", "--quiet"]).done();
    balanced(&folder, every);
    if is_full() {
        three_and_two_agree(&folder, 3);
        same(&folder, "solo", "two");
    } else {
        three_agree(&folder, 3);
    }
    same(&folder, "solo", "three");
    folder
}

#[test]
fn cells_stay_the_same() {
    let mut suspension = bent_channel();
    // Membranes, moves and marks of insides are seldom due at one step.
    suspension.run["cells"] = json!({"every": 4, "move_every": 2, "mark_every": 6});
    for (population, contrast) in [(0, 3), (1, 5)] {
        suspension.case["cells"][population]["mechanics"] = json!({"contrast": contrast});
    }
    let folder = suspended(suspension, 600, 101);
    assert!(moves(&folder, "three")[0] > 101, "it waits until the cells' state is whole");
}

#[test]
#[ignore = "make test-full"]
fn rigid_bodies_stay_the_same_while_they_come_and_go() {
    let mut suspension = fork();
    suspension.run["bodies"] = json!({"inflow": {"inlet": {}}});
    suspension.run["openings"]["inlet"]["velocity"] = json!("60 mm/s");
    let folder = suspended(suspension, 400, 60);
    let ledger = balanced_ledger(&folder, "three", 400);
    let last = ledger.rows.last().expect("a line");
    assert!(last.cells.iter().any(|bodies| bodies.inserted > 0 && bodies.left > 0), "{last:?}");
}

#[test]
fn a_rank_alone_hands_nothing_over() {
    let folder = vessel("half_way");
    agrees(&folder, "alone", 0, || {
        let _alone = folder.run(&["balanced.json", "-o", "alone", "--quiet"]).done();
    });
    assert_eq!(moves(&folder, "alone"), Vec::<u64>::new());
}

#[test]
fn what_makes_no_sense_is_refused() {
    let folder = vessel("half_way");
    for (balance, said) in [
        (json!({"every": 0}), "balance.every 0 must be at least 1 step"),
        (json!({"every": 10, "tolerance": -0.1}), "balance.tolerance -0.1 must be a share from 0 on"),
        (json!({"evry": 10}), "unknown field `evry`"),
    ] {
        let mut run = folder.read_json("run.json");
        run["balance"] = balance;
        folder.json("bad.json", &run);
        let refused = folder.run(&["bad.json", "--check"]).exits(2);
        assert!(refused.stderr.contains(said), "{}", refused.stderr);
    }
}
