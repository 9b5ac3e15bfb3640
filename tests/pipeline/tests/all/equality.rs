//! The same bits on any number of ranks, through MPI and as threads, straight through and restarted.

use pipeline_tests::{Folder, configs, draw, is_full};
use serde_json::{Value, json};

const STEPS: u64 = 600;

/// A drawn domain with a case config and a run config.
struct Setting {
    file: &'static str,
    content: Vec<u8>,
    case: Value,
    run: Value,
}

/// A folder with the case `case.h5` and the run config `run.json`.
fn folder(setting: &Setting, precision: &str) -> Folder {
    let folder = Folder::new();
    folder.write(setting.file, &setting.content);
    folder.json("case.json", &setting.case);
    let _made = folder.mkcase(&["case.json", "--quiet"]).done();
    let mut run = setting.run.clone();
    run["case"] = json!("case.h5");
    for (key, value) in [("density", "1025 kg/m3"), ("viscosity", "1.2 mPa s"), ("precision", precision)] {
        run["fluid"]["lattice_boltzmann"][key] = json!(value);
    }
    run["monitor"] = json!({"every": 50});
    folder.json("run.json", &run);
    folder
}

fn vessel() -> Setting {
    Setting {
        file: "vessel.pgm",
        content: draw::vessel().pgm(),
        case: pipeline_tests::configs::vessel_case(),
        run: json!({
            "fluid": {"lattice_boltzmann": {"tau": 0.8}},
            "time": {"steps": STEPS},
            "openings": pipeline_tests::configs::pulsating(),
            "dumps": [
                {"every": 250, "at": [1, 333]},
                {"name": "box", "every": 300, "region": {"box": {"min": ["100 um", "20 um"], "max": ["170 um", "90 um"]}}},
                {"name": "plane", "at": [501], "every": 600, "fields": ["velocity"],
                 "region": {"plane": {"axis": "x", "at": "140 um"}}}
            ]
        }),
    }
}

fn branching_tube() -> Setting {
    Setting {
        file: "tube.mha",
        content: draw::branching_tube().mha(),
        case: json!({
            "geometry": {"voxels": {"file": "tube.mha"}, "spacing": "5 um"},
            "openings": [
                {"name": "in", "kind": "velocity", "face": "x-"},
                {"name": "far", "kind": "pressure", "face": "x+"},
                {"name": "side", "kind": "pressure", "face": "y+"}
            ],
            "parts": [2, 4]
        }),
        run: json!({
            "fluid": {"lattice_boltzmann": {"tau": 0.7}},
            "time": {"steps": STEPS},
            "openings": {
                "in": {"flow_rate": "0.15 uL/s", "ramp": "0.2 ms"},
                "far": {"pressure": "0 Pa"},
                "side": {"pressure": "3 Pa", "waveform": {"sine": {"frequency": "2 kHz", "amplitude": 0.5}}}
            },
            "dumps": [
                {"every": 300, "at": [7, 333]},
                {"name": "box", "every": 300, "fields": ["density", "shear_stress"],
                 "region": {"box": {"min": ["0 um", "0 um", "0 um"], "max": ["80 um", "40 um", "70 um"]}}},
                {"name": "plane", "every": 333, "region": {"plane": {"axis": "z", "at": "32 um"}}}
            ]
        }),
    }
}

fn porous_block() -> Setting {
    Setting {
        file: "porous.mha",
        content: draw::porous_block().mha(),
        case: json!({
            "geometry": {"voxels": {"file": "porous.mha"}, "spacing": "2 um", "periodic": ["x", "y", "z"], "keep": "largest"},
            "parts": [2]
        }),
        run: json!({
            "fluid": {"lattice_boltzmann": {"tau": 0.9}},
            "time": {"steps": STEPS},
            "drive": {"force": ["300 kPa/m", "-120 kPa/m", "60 kPa/m"]},
            "dumps": [
                {"every": 300, "at": [333]},
                {"name": "plane", "every": 300, "region": {"plane": {"axis": "y", "at": "11 um"}}}
            ]
        }),
    }
}

/// Expects two run folders to hold the same bits.
fn same(folder: &Folder, a: &str, b: &str) {
    let compared = folder.post(&["compare", a, b]).done();
    assert!(compared.stdout.starts_with("the same"), "{}", compared.stdout);
}

/// Expects that something moves, so that equality means something.
fn flows(folder: &Folder, run: &str) {
    let _flow = folder.post(&["flow", run, "-o", "statistics"]).done();
    let speed = &folder.read_json("statistics/summary.json")["dumps"][0]["flow"]["max_speed_m_per_s"];
    assert!(speed.as_f64().is_some_and(|speed| speed > 1e-5), "{speed}");
}

/// One rank, 3 as threads, and through MPI 4, in the full suite also 1 and 2.
fn ranks_agree(setting: &Setting, precision: &str) {
    let folder = folder(setting, precision);
    let _solo = folder.run_on_all_cores(&["run.json", "-o", "solo", "--quiet"]).done();
    flows(&folder, "solo");
    let _threads = folder.run(&["run.json", "-o", "threads3", "--threads", "3", "--quiet"]).done();
    same(&folder, "solo", "threads3");
    for ranks in if is_full() { &[1, 2, 4][..] } else { &[4] } {
        let name = format!("mpi{ranks}");
        let _ranks = folder.mpirun(*ranks, &["run.json", "-o", &name, "--quiet"]).done();
        assert_eq!(folder.read_json(&format!("{name}/run.json"))["ranks"], *ranks);
        same(&folder, "solo", &name);
    }
}

#[test]
fn ranks_agree_on_a_vessel_in_f32() {
    ranks_agree(&vessel(), "f32");
}

#[test]
#[ignore = "make test-full"]
fn ranks_agree_on_a_vessel_in_f16() {
    ranks_agree(&vessel(), "f16");
}

#[test]
fn ranks_agree_on_a_branching_tube_in_f32() {
    ranks_agree(&branching_tube(), "f32");
}

#[test]
fn ranks_agree_on_a_branching_tube_in_f16() {
    ranks_agree(&branching_tube(), "f16");
}

#[test]
fn ranks_agree_on_a_porous_block_in_f32() {
    ranks_agree(&porous_block(), "f32");
}

#[test]
#[ignore = "make test-full"]
fn ranks_agree_on_a_porous_block_in_f16() {
    ranks_agree(&porous_block(), "f16");
}

#[test]
fn ranks_agree_where_devices_wait_for_messages() {
    let folder = folder(&porous_block(), "f32");
    let run = |name: &str, more: &[&str]| {
        let arguments = [&["run.json", "-o", name, "--steps", "340", "--quiet"], more].concat();
        let call = folder.call("run", &arguments).with("HEMATITE_DEVICE_WAITS", "1");
        call.with("HEMATITE_LONG_MESSAGES", "1").end().done()
    };
    let _solo = run("solo", &[]);
    let _two = run("two", &["--threads", "2"]);
    same(&folder, "solo", "two");
}

/// Where the trace has no exchange, the devices are linked.
#[test]
fn ranks_agree_where_devices_leave_messages_to_each_other() {
    let folder = folder(&porous_block(), "f32");
    let arguments = ["run.json", "--steps", "340", "--quiet", "--trace", "340"];
    let run = |name: &str, more: &[&str], [links, waits]: [&str; 2]| {
        let call = folder.call("run", &[&arguments[..], &["-o", name], more].concat());
        let call = call.with("HEMATITE_DEVICE_LINKS", links).with("HEMATITE_DEVICE_WAITS", waits);
        let _ended = call.end().done();
        folder.read(&format!("{name}/trace.json")).contains("exchange halo")
    };
    assert!(!run("solo", &[], ["1", "0"]));
    assert!(run("exchanged", &["--threads", "3"], ["0", "0"]));
    assert!(!run("three", &["--threads", "3"], ["1", "0"]));
    assert!(!run("waiting", &["--threads", "3"], ["1", "1"]));
    for other in ["exchanged", "three", "waiting"] {
        same(&folder, "solo", other);
    }
}

#[test]
fn a_stored_partition_and_one_made_on_the_fly_agree() {
    let folder = folder(&branching_tube(), "f32");
    let mut run = folder.read_json("run.json");
    run["case"] = json!("bare.h5");
    run["time"]["steps"] = json!(200);
    run["dumps"] = json!([{"every": 100, "at": [33]}]);
    folder.json("bare.json", &run);
    run["case"] = json!("case.h5");
    folder.json("stored.json", &run);
    let mut case = branching_tube().case;
    case["parts"] = json!([]);
    folder.json("bare-case.json", &case);
    let made = folder.mkcase(&["bare-case.json", "-o", "bare.h5", "--quiet"]).done();
    assert!(made.stdout.contains("none stored"), "{}", made.stdout);
    for threads in ["2", "4"] {
        let _bare = folder.run(&["bare.json", "--force", "--threads", threads, "--quiet"]).done();
        let _stored = folder.run(&["stored.json", "--force", "--threads", threads, "--quiet"]).done();
        same(&folder, "bare", "stored");
    }
}

fn restart_agrees(setting: &Setting, precision: &str, ranks: &[&str]) {
    let folder = folder(setting, precision);
    let mut run = folder.read_json("run.json");
    run["dumps"] = json!([{"every": 200}, {"name": "odd", "every": 333}]);
    folder.json("run.json", &run);
    let call = |arguments: &[&str]| folder.run(&[&["run.json", "--quiet"], arguments, ranks].concat()).done();
    call(&["-o", "straight"]);
    call(&["-o", "twice", "--steps", "400", "--checkpoint-every", "400"]);
    assert!(folder.has("twice/checkpoint"));
    call(&["-o", "twice", "--restart"]);
    same(&folder, "straight", "twice");
}

#[test]
fn a_restart_agrees_with_a_straight_run() {
    restart_agrees(&vessel(), "f16", &["--threads", "3"]);
    restart_agrees(&branching_tube(), "f32", &[]);
    if is_full() {
        restart_agrees(&vessel(), "f32", &[]);
        restart_agrees(&branching_tube(), "f16", &["--threads", "2"]);
        restart_agrees(&porous_block(), "f32", &["--threads", "2"]);
    }
}

#[test]
fn a_restart_with_another_fluid_or_time_step_is_refused() {
    let folder = Folder::with_vessel();
    let mut run = configs::vessel_run();
    run["dumps"] = json!([{"every": 20}]);
    folder.json("run.json", &run);
    let _first = folder.run(&["run.json", "--quiet", "--checkpoint-every", "20", "--steps", "20"]).done();
    let content = || {
        let mut content = folder.content();
        content.retain(|path, _| !path.ends_with("changed.json"));
        content
    };
    let before = content();
    for (key, value, said) in [
        (
            "viscosity",
            json!("2 mPa s"),
            "\"fluid.lattice_boltzmann.viscosity\" was \"0.0012 Pa s\", now \"0.002 Pa s\"",
        ),
        ("density", json!("900 kg/m3"), "\"fluid.lattice_boltzmann.density\" was \"1025 kg/m3\", now \"900 kg/m3\""),
        ("tau", json!(0.9), "\"fluid.lattice_boltzmann.tau\" was 0.8, now 0.9"),
    ] {
        let mut changed = run.clone();
        changed["fluid"]["lattice_boltzmann"][key] = value;
        folder.json("changed.json", &changed);
        let restart = ["changed.json", "-o", "run", "--restart", "--quiet"];
        let _message = folder.run(&restart).fails(2, &["step-000000000020", said, "-o"]);
        let refused = folder.run(&[&restart[..], &["--allow-changes"]].concat());
        let message = refused.fails(2, &["step-000000000020", "fluid.lattice_boltzmann.viscosity", "-o"]);
        assert!(message.contains("now time step"), "{message}");
    }
    assert!(content() == before, "the run was changed");
    let _on = folder.run(&["run.json", "--quiet", "--restart", "--steps", "40"]).done();
}

#[test]
fn a_restart_on_other_ranks_agrees_with_a_straight_run() {
    let folder = folder(&branching_tube(), "f32");
    let mut run = folder.read_json("run.json");
    run["dumps"] = json!([{"every": 300}]);
    folder.json("run.json", &run);
    let _straight = folder.run(&["run.json", "-o", "straight", "--quiet"]).done();
    let _first = folder
        .run(&["run.json", "-o", "first", "--steps", "400", "--checkpoint-every", "400", "--threads", "2", "--quiet"])
        .done();
    let checkpoint = "first/checkpoint/step-000000000400";
    assert!(folder.has(checkpoint));
    let _solo = folder.run(&["run.json", "-o", "solo", "--restart", checkpoint, "--quiet"]).done();
    let _three = folder.run(&["run.json", "-o", "three", "--restart", checkpoint, "--threads", "3", "--quiet"]).done();
    let _four = folder.mpirun(4, &["run.json", "-o", "four", "--restart", checkpoint, "--quiet"]).done();
    same(&folder, "solo", "three");
    same(&folder, "solo", "four");
    for run in ["straight", "three"] {
        let _flow = folder.post(&["flow", run, "--dump", "600"]).done();
    }
    for table in ["profile_along_x.csv", "profile_along_y.csv", "profile_along_z.csv", "wall_shear_stress.csv"] {
        let read = |run: &str| folder.read(&format!("{run}/statistics/{table}"));
        assert_eq!(read("straight"), read("three"), "{table}");
    }
    // The folder of other ranks goes on too.
    let _first = folder.run(&["run.json", "-o", "first", "--restart", "--threads", "3", "--quiet"]).done();
    same(&folder, "straight", "first");
    let _first = folder.run(&["run.json", "-o", "first", "--restart", checkpoint, "--quiet"]).done();
    same(&folder, "straight", "first");
}

#[test]
#[ignore = "make test-full"]
fn a_signal_and_a_restart_leave_no_trace_in_the_results() {
    let folder = folder(&vessel(), "f32");
    let mut run = folder.read_json("run.json");
    // Something is due at every step, so that a stop may fall between any two events.
    let region = json!({"box": {"min": ["100 um", "20 um"], "max": ["120 um", "90 um"]}});
    run["dumps"] = json!([{"every": 1, "fields": ["velocity"], "region": region}]);
    run["monitor"] = json!({"every": 2});
    run["time"]["steps"] = json!(600);
    folder.json("run.json", &run);
    let _straight = folder.run(&["run.json", "-o", "straight", "--quiet"]).done();
    let mut stops = 0;
    let lines = || std::fs::read_to_string(folder.path("stopped/ledger.csv")).unwrap_or_default().lines().count();
    loop {
        let before = lines();
        let mut running = folder.call("run", &["run.json", "-o", "stopped", "--restart", "--quiet"]).start();
        running.wait_for(|| lines() > before + 15);
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
    assert!(stops >= 5, "stopped {stops} times only");
    same(&folder, "straight", "stopped");
}

#[test]
fn compare_says_where_runs_differ() {
    let folder = Folder::with_vessel();
    let mut run = folder.read_json("run.json");
    let _first = folder.run(&["run.json", "-o", "first", "--quiet"]).done();
    run["openings"]["inlet"]["velocity"] = json!("8.001 mm/s");
    folder.json("run.json", &run);
    let _second = folder.run(&["run.json", "-o", "second", "--quiet"]).done();
    let compared = folder.post(&["compare", "first", "second"]).exits(1);
    for piece in ["step 33", "node", "velocity"] {
        assert!(compared.stdout.contains(piece), "{piece} in {}", compared.stdout);
    }
    let _near = folder.post(&["compare", "first", "second", "--rtol", "0.01"]).done();
    let _far = folder.post(&["compare", "first", "second", "--rtol", "1e-7"]).exits(1);
    run["openings"]["inlet"]["velocity"] = json!("8 mm/s");
    run["dumps"] = json!([{"every": 50}]);
    folder.json("run.json", &run);
    let _third = folder.run(&["run.json", "-o", "third", "--quiet"]).done();
    let compared = folder.post(&["compare", "first", "third"]).exits(1);
    assert!(compared.stdout.contains("step 33"), "{}", compared.stdout);
}
