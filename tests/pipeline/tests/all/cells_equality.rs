//! The same bits with cells on any number of ranks, through MPI and as threads, straight through and restarted.

use pipeline_tests::suspension::{
    Parts, Suspension, bent_channel, counts, keeps_its_cells, long_channel, ranks_agree, ranks_agree_under_mpi, same,
    tube,
};
use pipeline_tests::{Call, Folder, is_full, tool};
use serde_json::{Value, json};

/// Expects the same bits on any number of ranks, and that none of them loses a cell.
fn agrees(suspension: &Suspension) -> Folder {
    ranks_agree(suspension, keeps(suspension))
}

/// Expects that a run in a folder, by its name, keeps its cells.
fn keeps(suspension: &Suspension) -> impl Fn(&Folder, &str) + use<> {
    let steps = suspension.run["time"]["steps"].as_u64().expect("steps");
    move |folder, run| keeps_its_cells(&folder.path(run), steps, &counts(&folder.path("case.h5")))
}

/// Changes values by JSON pointer; keys may be new.
fn with(mut suspension: Suspension, case: &[(&str, Value)], run: &[(&str, Value)]) -> Suspension {
    for (config, changes) in [(&mut suspension.case, case), (&mut suspension.run, run)] {
        for (pointer, value) in changes {
            let (parent, key) = pointer.rsplit_once('/').expect("a pointer");
            config.pointer_mut(parent).expect("a place")[key] = value.clone();
        }
    }
    suspension
}

/// Cells of the long channel that begin small, more viscous inside, with everything at its own pace.
fn growing() -> Suspension {
    with(
        long_channel(),
        &[
            ("/cells/0/hematocrit", json!(0.4)),
            ("/cells/0/mechanics", json!({"contrast": 3})),
            ("/seeding", json!({"gap": "2 um"})),
        ],
        &[
            ("/time/steps", json!(720)),
            ("/drive/force", json!(["1 MPa/m", "0 Pa/m"])),
            ("/dumps", json!([{"every": 240}, {"name": "odd", "every": 333, "fields": ["velocity"]}])),
            ("/cell_dumps", json!({"every": 120, "at": [333]})),
            ("/tracks/every", json!(60)),
            ("/monitor/every", json!(40)),
            ("/cells", json!({"every": 4, "move_every": 2, "mark_every": 6, "growth": "200 us"})),
        ],
    )
}

#[test]
#[ignore = "make test-full"]
fn ranks_agree_where_parts_meet_in_corners() {
    let folder = agrees(&bent_channel());
    Parts::stored(&folder.path("case.h5"), 4).crossed(&folder.path("solo"), 5.0, 5, 3);
}

/// Where the trace has no exchange, the devices are linked.
#[test]
fn ranks_agree_where_devices_leave_messages_to_each_other() {
    let suspension = growing();
    let folder = suspension.folder();
    let run = |call: Call| {
        let _ended = call.with("HEMATITE_DEVICE_LINKS", "1").end().done();
    };
    let arguments = ["run.json", "-o", "linked", "--quiet", "--trace", "100"];
    run(folder.call("run", &[&arguments[..], &["--threads", "3", "--steps", "413"]].concat()));
    let trace = folder.read("linked/trace.json");
    assert!(trace.contains("move") && !trace.contains("exchange shares") && !trace.contains("exchange halo"));
    run(Call::mpi(2, &tool("run"), &["run.json", "-o", "linked", "--restart", "--quiet"], &folder.path("")));
    let _solo = folder.run_on_all_cores(&["run.json", "-o", "solo", "--quiet"]).done();
    same(&folder, "solo", "linked");
}

#[test]
fn ranks_agree_where_cells_come_and_go() {
    let folder = ranks_agree_under_mpi(&long_channel(), keeps(&long_channel()));
    for parts in [3, 4] {
        Parts::made(&folder.path("case.h5"), parts).crossed(&folder.path("solo"), 5.0, 5, 2);
    }
}

#[test]
fn ranks_agree_in_three_dimensions() {
    let folder = agrees(&tube());
    Parts::stored(&folder.path("case.h5"), 4).crossed(&folder.path("solo"), 8.0, 3, 3);
    if is_full() {
        restart_agrees(&folder, "solo", 1250, [700, 571], &["--threads", "2"], &[]);
    }
}

#[test]
fn ranks_agree_while_cells_grow() {
    let folder = agrees(&growing());
    let made = folder.mkcase(&["case.json", "--quiet"]).done();
    assert!(made.stdout.contains("begin smaller"), "{}", made.stdout);
    let checked = folder.run(&["run.json", "--check"]).done();
    let said = "they grow until step 2000; forces on a vertex are capped at ";
    assert!(checked.stderr.contains(said), "{}", checked.stderr);
    let log = std::fs::read_to_string(folder.path("solo/log.jsonl")).expect("a log");
    let growth = log.lines().map(|line| serde_json::from_str::<Value>(line).expect("an event"));
    let growth: Vec<Value> = growth.filter(|event| event["event"] == "growth").collect();
    assert_eq!((growth.len(), &growth[0]["capped_until_step"]), (1, &json!(3024)));
    assert!(growth[0]["force_cap_N"].as_f64().is_some_and(|force| force > 0.0), "{growth:?}");
}

#[test]
fn half_precision_agrees() {
    let run = [
        ("/fluid/lattice_boltzmann/precision", json!("f16")),
        ("/time/steps", json!(200)),
        ("/dumps", json!([{"every": 100}])),
        ("/cell_dumps", json!({"every": 50})),
        ("/tracks/every", json!(50)),
    ];
    let folder = with(bent_channel(), &[], &run).folder();
    let _solo = folder.run(&["run.json", "-o", "solo", "--quiet"]).done();
    let _checked = folder.run(&["run.json", "-o", "checked", "--gpu-checks", "--quiet"]).done();
    let _threads = folder.run(&["run.json", "-o", "threads", "--threads", "3", "--gpu-checks", "--quiet"]).done();
    keeps_its_cells(&folder.path("threads"), 200, &counts(&folder.path("case.h5")));
    same(&folder, "solo", "checked");
    same(&folder, "solo", "threads");
}

#[test]
fn a_stored_partition_and_one_made_on_the_fly_agree() {
    let run = [
        ("/time/steps", json!(150)),
        ("/dumps", json!([{"every": 50}])),
        ("/cell_dumps", json!({"every": 50})),
        ("/tracks/every", json!(50)),
    ];
    let folder = with(bent_channel(), &[], &run).folder();
    let mut bare = folder.read_json("run.json");
    bare["case"] = json!("bare.h5");
    folder.json("bare.json", &bare);
    let mut case = folder.read_json("case.json");
    case["parts"] = json!([]);
    folder.json("bare-case.json", &case);
    let made = folder.mkcase(&["bare-case.json", "-o", "bare.h5", "--quiet"]).done();
    assert!(made.stdout.contains("none stored"), "{}", made.stdout);
    let _bare = folder.run(&["bare.json", "-o", "made", "--threads", "4", "--quiet"]).done();
    let _stored = folder.run(&["run.json", "-o", "stored", "--threads", "4", "--quiet"]).done();
    same(&folder, "made", "stored");
    // Shares that are long travel under other work.
    let long = folder.call("run", &["run.json", "-o", "long", "--threads", "4", "--quiet"]);
    let _long = long.with("HEMATITE_LONG_SHARES", "0").with("HEMATITE_LONG_MESSAGES", "1").end().done();
    same(&folder, "made", "long");
}

/// Stops after `stop` steps on some ranks, goes on from the checkpoint of about step `every` on others, and expects what
/// the run `straight` through gave.
fn restart_agrees(
    folder: &Folder,
    straight: &str,
    steps: u64,
    [stop, every]: [u64; 2],
    first: &[&str],
    second: &[&str],
) {
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
    keeps_its_cells(&folder.path(&name), steps, &counts(&folder.path("case.h5")));
    same(folder, straight, &name);
}

#[test]
fn a_restart_agrees_with_a_straight_run() {
    let run = [
        ("/time/steps", json!(600)),
        ("/dumps", json!([{"every": 150}])),
        ("/cell_dumps", json!({"every": 100})),
        ("/tracks/every", json!(50)),
    ];
    let folder = with(bent_channel(), &[], &run).folder();
    let _straight = folder.run(&["run.json", "-o", "straight", "--quiet"]).done();
    // A checkpoint that is due at an odd step waits until the state of cells is whole.
    restart_agrees(&folder, "straight", 600, [400, 301], &[], &["--threads", "3"]);
    if is_full() {
        restart_agrees(&folder, "straight", 600, [450, 401], &["--threads", "4"], &[]);
    }
}

#[test]
#[ignore = "make test-full"]
fn a_restart_while_cells_grow_agrees_with_a_straight_run() {
    let folder = growing().folder();
    let _straight = folder.run(&["run.json", "-o", "straight", "--quiet"]).done();
    restart_agrees(&folder, "straight", 720, [500, 307], &["--threads", "2"], &["--threads", "3"]);
    restart_agrees(&folder, "straight", 720, [700, 650], &[], &["--threads", "2"]);
}

#[test]
#[ignore = "make test-full"]
fn cadences_that_seldom_meet_agree() {
    let cadences = json!({"every": 6, "move_every": 3, "mark_every": 35, "growth": "200 us"});
    let run = [("/time/steps", json!(480)), ("/cells", cadences), ("/dumps", json!([{"every": 160}]))];
    let folder = with(growing(), &[], &run).folder();
    let _straight = folder.run(&["run.json", "-o", "straight", "--quiet"]).done();
    let _threads = folder.run(&["run.json", "-o", "threads", "--quiet", "--threads", "3"]).done();
    same(&folder, "straight", "threads");
    restart_agrees(&folder, "straight", 480, [400, 211], &["--threads", "2"], &["--threads", "4"]);
}

#[test]
#[ignore = "make test-full"]
fn a_signal_and_a_restart_leave_no_trace() {
    let run = [
        ("/time/steps", json!(500)),
        ("/dumps", json!([{"every": 100}])),
        ("/cell_dumps", json!({"every": 50})),
        ("/tracks/every", json!(5)),
        ("/monitor/every", json!(2)),
    ];
    let folder = with(bent_channel(), &[], &run).folder();
    let _straight = folder.run(&["run.json", "-o", "straight", "--quiet"]).done();
    let lines = || std::fs::read_to_string(folder.path("stopped/ledger.csv")).unwrap_or_default().lines().count();
    let mut stops = 0;
    for threads in ["1", "2", "3"].iter().cycle() {
        let before = lines();
        let arguments = ["run.json", "-o", "stopped", "--restart", "--quiet", "--threads", threads];
        let mut running = folder.call("run", &arguments).start();
        running.wait_for(|| lines() > before + 40);
        if running.goes_on() {
            running.signal("TERM");
        }
        let ended = running.end();
        if ended.code == Some(0) {
            break;
        }
        let _stopped = ended.exits(3);
        stops += 1;
        assert!(stops < 50, "never gets to its end");
    }
    assert!(stops >= 2, "stopped {stops} times only");
    keeps_its_cells(&folder.path("stopped"), 500, &counts(&folder.path("case.h5")));
    same(&folder, "straight", "stopped");
}

#[test]
fn compare_sees_cells_that_differ() {
    let run = [
        ("/time/steps", json!(20)),
        ("/dumps", json!([{"every": 20, "fields": ["velocity"]}])),
        ("/cell_dumps", json!({"every": 20})),
        ("/tracks/every", json!(20)),
    ];
    let folder = with(bent_channel(), &[], &run).folder();
    let _one = folder.run(&["run.json", "-o", "one", "--quiet"]).done();
    let mut other = folder.read_json("run.json");
    other["cells"] = json!({"contact": {"strength": "1 Pa"}});
    folder.json("run.json", &other);
    let _other = folder.run(&["run.json", "-o", "other", "--quiet"]).done();
    let compared = folder.post(&["compare", "one", "other"]).exits(1);
    for piece in ["vertices' position", "vertices' velocity", "vertices' force"] {
        assert!(compared.stdout.contains(piece), "{piece} in {}", compared.stdout);
    }
}
