//! The same bits with rigid bodies on any number of ranks, straight through and restarted, and none lost.

use hematite_dump::{BodyReader, Ledger};
use pipeline_tests::Folder;
use pipeline_tests::suspension::{Suspension, balanced_ledger, fork, pipe, ranks_agree, ranks_agree_under_mpi, same};
use serde_json::json;

/// Expects the same bits on any number of ranks, and that none of them loses a body.
fn agrees(suspension: &Suspension) -> Folder {
    let steps = suspension.run["time"]["steps"].as_u64().expect("steps");
    ranks_agree(suspension, |folder, run| balances(folder, run, steps))
}

/// Expects that every line of the ledger, and every dump, counts each body.
fn balances(folder: &Folder, run: &str, steps: u64) {
    let ledger = balanced_ledger(folder, run, steps);
    let bodies = BodyReader::open(&folder.path(&format!("{run}/bodies.vtkhdf"))).expect("a dump of bodies");
    let mut met = 0;
    for dump in 0..bodies.steps().len() {
        let frame = bodies.frame(dump).expect("a frame");
        assert!(frame.id.is_sorted_by(|a, b| a < b), "bodies at step {}: {:?}", frame.step, frame.id);
        if let Some(row) = ledger.rows.iter().find(|row| row.step == frame.step) {
            for (kind, count) in row.cells.iter().enumerate() {
                let dumped = frame.kind.iter().filter(|&&k| k as usize == kind).count() as u64;
                assert_eq!(dumped, count.inside, "step {} of {run}", frame.step);
            }
            met += 1;
        }
    }
    assert!(met > 1, "no dump when the ledger was written");
}

/// How many bodies left, by population.
fn left(folder: &Folder, run: &str) -> Vec<u64> {
    let ledger = Ledger::read(&folder.path(run)).expect("a ledger");
    ledger.rows.last().expect("a line").cells.iter().map(|bodies| bodies.left).collect()
}

/// Stops after `stop` steps on some ranks, goes on from the checkpoint of about step `every` on others, and expects what
/// the run "solo" gave.
fn restart_agrees(folder: &Folder, steps: u64, [stop, every]: [u64; 2], first: &[&str], second: &[&str]) {
    let name = format!("stop{stop}");
    // The last checkpoint is that one, not one at the end.
    let mut run = folder.read_json("run.json");
    run["checkpoint"] = json!({"at_end": false});
    folder.json("stops.json", &run);
    let call = |arguments: &[&str]| folder.run(&[&["stops.json", "-o", &name, "--quiet"], arguments].concat()).done();
    let _first = call(&[&["--steps", &stop.to_string(), "--checkpoint-every", &every.to_string()], first].concat());
    let saved = |step: u64| folder.has(&format!("{name}/checkpoint/step-{step:012}"));
    assert!((every..stop).any(saved), "no checkpoint between steps {every} and {stop}");
    let _second = call(&[&["--restart"], second].concat());
    balances(folder, &name, steps);
    same(folder, "solo", &name);
}

#[test]
#[ignore = "make test-full"]
fn ranks_agree_where_parts_meet_in_corners() {
    let folder = agrees(&pipe());
    let bodies = BodyReader::open(&folder.path("solo/bodies.vtkhdf")).expect("a dump of bodies");
    let [first, last] = [0, bodies.steps().len() - 1].map(|dump| bodies.frame(dump).expect("a frame"));
    assert_eq!((&first.id, left(&folder, "solo")), (&last.id, vec![0, 0]));
    assert!(last.image.iter().any(|image| image[0] > 0), "none goes round");
}

#[test]
#[ignore = "make test-full"]
fn ranks_and_restarts_agree_where_bodies_leave() {
    let steps = fork().run["time"]["steps"].as_u64().expect("steps");
    let folder = ranks_agree_under_mpi(&fork(), |folder, run| balances(folder, run, steps));
    let left = left(&folder, "solo");
    assert!(left.iter().all(|&left| left > 0), "{left:?} left");
    // Neither a step at which bodies are sorted, nor one at which they are looked at.
    restart_agrees(&folder, steps, [300, 203], &[], &["--threads", "3"]);
    restart_agrees(&folder, steps, [500, 411], &["--threads", "3"], &[]);
}

#[test]
fn ranks_agree_where_devices_wait_for_messages() {
    let folder = fork().folder();
    let run = |name: &str, more: &[&str]| {
        let arguments = [&["run.json", "-o", name, "--steps", "150", "--quiet"], more].concat();
        let call = folder.call("run", &arguments).with("HEMATITE_DEVICE_WAITS", "1");
        call.with("HEMATITE_LONG_MESSAGES", "1").end().done()
    };
    let _solo = run("solo", &[]);
    let _two = run("two", &["--threads", "2"]);
    same(&folder, "solo", "two");
}

#[test]
#[ignore = "make test-full"]
fn ranks_agree_for_long() {
    for mut suspension in [pipe(), fork()] {
        suspension.run["time"]["steps"] = json!(5000);
        suspension.run["dumps"] = json!([{"every": 1000}]);
        suspension.run["cell_dumps"] = json!({"every": 500});
        let _folder = agrees(&suspension);
    }
}
