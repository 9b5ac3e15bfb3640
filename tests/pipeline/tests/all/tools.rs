//! What the tools promise beside results: help, schemas, checks, silence, where outputs go, and stopping early.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use pipeline_tests::{Call, Folder, configs, is_full, tool};
use serde_json::{Value, json};

/// The root of the workspace, where the shipped configs lie.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the workspace")
}

/// The configs of a shipped folder.
fn shipped(folder: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(root().join(folder)).expect("lists").map(|entry| entry.expect("lists").path());
    let mut found: Vec<PathBuf> = entries.filter(|path| path.extension().is_some_and(|e| e == "json")).collect();
    found.sort();
    assert!(!found.is_empty(), "nothing in {folder}");
    found
}

fn text(path: &Path) -> &str {
    path.to_str().expect("a plain path")
}

#[test]
fn help_and_version_of_each_tool() {
    let folder = Folder::new();
    for (name, pieces) in [
        ("mkcase", &["CASE.json", "--parts", "--check", "--schema", "--quiet", "-o"][..]),
        (
            "run",
            &[
                "RUN.json",
                "--steps",
                "--restart",
                "--checkpoint-every",
                "--walltime",
                "--list-gpus",
                "--threads",
                "--schema",
                "mpirun",
            ],
        ),
        ("post", &["flow", "scaling", "compare", "--schema"]),
    ] {
        let help = folder.call(name, &["--help"]).end().done();
        assert!(help.stderr.is_empty(), "{}", help.stderr);
        for piece in [&["Usage", "Exit codes", "Examples"], pieces].concat() {
            assert!(help.stdout.contains(piece), "{piece} in the help of {name}:\n{}", help.stdout);
        }
        let version = folder.call(name, &["--version"]).end().done();
        assert!(version.stdout.contains(env!("CARGO_PKG_VERSION")), "{}", version.stdout);
    }
    for command in ["flow", "scaling", "compare"] {
        let help = folder.post(&[command, "--help"]).done();
        assert!(help.stdout.contains("Usage") && help.stdout.contains("Exit codes"), "{}", help.stdout);
    }
}

#[test]
fn bad_usage_ends_with_two_and_a_hint() {
    let folder = Folder::new();
    for (name, arguments) in [
        ("mkcase", &[][..]),
        ("mkcase", &["case.json", "--part", "x"]),
        ("run", &[]),
        ("run", &["run.json", "--threads", "0"]),
        ("run", &["run.json", "--walltime", "soon"]),
        ("run", &["run.json", "--steps", "-5"]),
        ("run", &["run.json", "--nonsense"]),
        ("post", &["flows", "run"]),
        ("post", &["compare", "run"]),
        ("post", &["compare", "a", "b", "--rtol", "x"]),
    ] {
        let called = folder.call(name, arguments).end().exits(2);
        assert!(called.stdout.is_empty(), "{}", called.stdout);
        assert!(called.stderr.contains("error: ") && called.stderr.contains("--help"), "{}", called.stderr);
    }
    assert!(folder.content().is_empty());
}

#[test]
fn tools_go_on_where_nobody_reads() {
    let folder = Folder::with_vessel();
    for (name, arguments) in [
        ("mkcase", &["--schema"][..]),
        ("run", &["--schema"]),
        ("post", &["--schema"]),
        ("run", &["--list-gpus"]),
        ("mkcase", &["vessel.json"]),
        ("run", &["run.json", "--check=quick"]),
        ("run", &["run.json", "-o", "unread"]),
        ("post", &["flow", "unread"]),
    ] {
        assert_eq!(folder.call(name, arguments).unread(), Some(0), "{name} {arguments:?}");
    }
    assert!(folder.read("unread/log.jsonl").contains("\"end\"") && folder.has("unread/statistics/summary.json"));
    assert_eq!(folder.call("run", &["none.json"]).unread(), Some(2));
}

/// Every key that some "properties" of a schema lists.
fn listed(schema: &Value, keys: &mut BTreeSet<String>) {
    match schema {
        Value::Object(object) => {
            if let Some(Value::Object(properties)) = object.get("properties") {
                keys.extend(properties.keys().cloned());
            }
            object.values().for_each(|value| listed(value, keys));
        }
        Value::Array(values) => values.iter().for_each(|value| listed(value, keys)),
        _ => {}
    }
}

/// Every key of a config; names of openings and populations are the user's.
fn used(config: &Value, keys: &mut BTreeSet<String>) {
    match config {
        Value::Object(object) => object.iter().for_each(|(key, value)| {
            keys.insert(key.clone());
            match (key.as_str(), value) {
                ("openings" | "inflow" | "mechanics" | "populations" | "vents", Value::Object(named)) => {
                    named.values().for_each(|value| used(value, keys))
                }
                _ => used(value, keys),
            }
        }),
        Value::Array(values) => values.iter().for_each(|value| used(value, keys)),
        _ => {}
    }
}

#[test]
fn schemas_list_the_keys_of_the_shipped_configs() {
    let folder = Folder::new();
    for (name, configs) in [("mkcase", shipped("cases")), ("run", shipped("runs")), ("post", Vec::new())] {
        let printed = folder.call(name, &["--schema"]).end().done();
        assert!(printed.stderr.is_empty(), "{}", printed.stderr);
        let schema: Value = serde_json::from_str(&printed.stdout).expect("JSON");
        assert!(schema["$schema"].as_str().is_some_and(|uri| uri.contains("json-schema.org")), "{name}");
        assert_eq!(schema["additionalProperties"], false, "{name}");
        for (key, property) in schema["properties"].as_object().expect("properties") {
            assert!(property["description"].is_string(), "{name}: {key} lacks a description");
        }
        let mut known = BTreeSet::new();
        listed(&schema, &mut known);
        for path in configs {
            let config: Value = serde_json::from_slice(&std::fs::read(&path).expect("reads")).expect("JSON");
            let mut keys = BTreeSet::new();
            used(&config, &mut keys);
            let strange: Vec<_> = keys.difference(&known).collect();
            assert!(strange.is_empty(), "{}: {strange:?} are not in the schema", path.display());
        }
    }
}

#[test]
fn the_shipped_configs_pass_their_checks() {
    let folder = Folder::new();
    for path in shipped("cases") {
        let config: Value = serde_json::from_slice(&std::fs::read(&path).expect("reads")).expect("JSON");
        // A check seeds cells as making the case does, which comes below.
        if config.get("cells").is_some() && !is_full() {
            continue;
        }
        let checked = folder.mkcase(&[text(&path), "--check", "--quiet"]).done();
        assert!(checked.stdout.contains("checked, not written"), "{}", checked.stdout);
    }
    assert!(folder.content().is_empty());
    for path in shipped("runs") {
        let name = path.file_name().and_then(|name| name.to_str()).expect("a plain name");
        // The largest picture, which takes the longest to make.
        if name == "aneurysm-large.json" && !is_full() {
            continue;
        }
        let config: Value = serde_json::from_slice(&std::fs::read(&path).expect("reads")).expect("JSON");
        let case = Path::new("runs").join(config["case"].as_str().expect("a case"));
        let case = case.strip_prefix("runs/..").expect("cases lie in ../cases");
        let source = root().join(case).with_extension("json");
        let _made = folder.mkcase(&[text(&source), "-o", text(case), "--quiet"]).done();
        folder.write(&format!("runs/{name}"), &std::fs::read(&path).expect("reads"));
        let before = folder.content();
        let checked = folder.run(&[&format!("runs/{name}"), "--check=quick"]).done();
        assert!(checked.stderr.contains("fluid nodes"), "{}", checked.stderr);
        let told = [("srd", "mean free path"), ("lava", "time steps adapt")];
        let told =
            told.into_iter().find(|(fluid, _)| config["fluid"].get(fluid).is_some()).map_or("tau", |(_, told)| told);
        assert!(checked.stderr.contains(told), "{}", checked.stderr);
        assert!(folder.content() == before, "a check wrote something");
    }
}

#[test]
fn quiet_is_quiet() {
    let folder = Folder::with_vessel();
    let made = folder.mkcase(&["vessel.json", "--quiet"]).done();
    assert!(made.stderr.is_empty(), "{}", made.stderr);
    for arguments in [
        &["run.json", "--quiet"][..],
        &["run.json", "--quiet", "--force", "--threads", "2"],
        &["run.json", "--quiet", "--force", "--check"],
    ] {
        let done = folder.run(arguments).done();
        assert!(done.stdout.is_empty() && done.stderr.is_empty(), "{}{}", done.stdout, done.stderr);
    }
    let done = folder.mpirun(2, &["run.json", "--force", "--quiet"]).done();
    assert!(done.stdout.is_empty() && done.stderr.is_empty(), "{}{}", done.stdout, done.stderr);
    let told = folder.run(&["run.json", "--force"]).done();
    assert!(told.stdout.is_empty());
    for piece in ["vessel.h5", "100 steps", "tau 0.8", "device", "MLUPS"] {
        assert!(told.stderr.contains(piece), "{piece} in {}", told.stderr);
    }
}

#[test]
fn outputs_go_beside_their_sources_wherever_the_call_is_made() {
    let folder = Folder::new();
    folder.write("deep/vessel.pgm", &pipeline_tests::draw::vessel().pgm());
    folder.json("deep/vessel.json", &configs::vessel_case());
    folder.json("deep/run.json", &configs::vessel_run());
    let _made = folder.mkcase(&["deep/vessel.json", "--quiet"]).done();
    assert!(folder.has("deep/vessel.h5"));
    let elsewhere = Folder::new();
    let config = folder.path("deep/run.json");
    let _done = Call::new(&tool("run"), &[text(&config), "--quiet"], &elsewhere.path("")).end().done();
    assert!(elsewhere.content().is_empty());
    for file in ["run.json", "fields.vtkhdf", "ledger.csv", "log.jsonl", "timing.json"] {
        assert!(folder.has(&format!("deep/run/{file}")), "{file}");
    }
    let printed = folder.post(&["flow", "deep/run"]).done();
    assert!(printed.stdout.contains("deep/run/statistics/summary.json"), "{}", printed.stdout);
    assert!(folder.has("deep/run/statistics/summary.json"));
    for line in folder.read("deep/run/log.jsonl").lines() {
        let event: Value = serde_json::from_str(line).expect("a JSON object a line");
        assert!(event["event"].is_string(), "{line}");
    }
    let record = folder.read_json("deep/run/run.json");
    assert_eq!(record["velocity_set"], "D2Q9");
    assert_eq!(record["case_sha256"].as_str().map(str::len), Some(64));
    assert!(record["provenance"]["command_line"].as_array().is_some_and(|line| line.len() == 3), "{record}");
}

#[test]
fn a_run_starts_over_in_its_own_folder_only() {
    let folder = Folder::with_vessel();
    let mut config = configs::vessel_run();
    config["checkpoint"] = json!({"at_end": false});
    folder.json("run.json", &config);
    let _four = folder.run(&["run.json", "--threads", "4", "--checkpoint-every", "50", "--quiet"]).done();
    folder.write("run/notes.txt", b"mine");
    let dumps = || {
        let names = folder.content().into_keys().map(|path| path.display().to_string());
        names.filter(|name| name.ends_with(".vtkhdf")).count()
    };
    assert!(dumps() == 5 && folder.has("run/checkpoint"), "one a rank and the index, not {}", dumps());
    let _one = folder.run(&["run.json", "--force", "--quiet"]).done();
    assert!(dumps() == 1 && !folder.has("run/checkpoint"), "{} dumps", dumps());
    assert_eq!(folder.read("run/notes.txt"), "mine");
    let _fresh = folder.run(&["run.json", "-o", "fresh", "--quiet"]).done();
    let compared = folder.post(&["compare", "run", "fresh"]).done();
    assert!(compared.stdout.starts_with("the same"), "{}", compared.stdout);
    folder.write("foreign/thesis.tex", b"years of work");
    folder.refuses("run", &["run.json", "-o", "foreign", "--quiet"], &["foreign", "not empty", "-o"]);
    folder.refuses("run", &["run.json", "-o", "foreign", "--quiet", "--threads", "2"], &["foreign", "not empty"]);
}

#[test]
fn a_bad_config_leaves_an_earlier_run_as_it_was() {
    let folder = Folder::with_vessel();
    let _first = folder.run(&["run.json", "--quiet"]).done();
    let _flow = folder.post(&["flow", "run"]).done();
    let mut config = configs::vessel_run();
    config["fluid"]["lattice_boltzmann"]["tau"] = json!(0.4);
    folder.json("run.json", &config);
    folder.refuses("run", &["run.json", "--quiet"], &["tau"]);
}

#[test]
fn what_is_due_in_steps_is_due_in_their_times_too() {
    let folder = Folder::with_vessel();
    let mut config = configs::vessel_run();
    config["checkpoint"] = json!({"every": 40});
    folder.json("steps.json", &config);
    let _done = folder.run(&["steps.json", "--quiet"]).done();
    let dt = folder.read_json("steps/run.json")["dt"].as_f64().expect("a time step");
    let time = |steps: f64| json!(format!("{:e} s", steps * dt));
    // Between two steps the later one is meant.
    config["dumps"] = json!([{"every": time(50.0), "at": [time(32.4)]}]);
    config["monitor"] = json!({"every": time(10.0)});
    config["checkpoint"] = json!({"every": time(40.0)});
    config["time"] = json!({"duration": time(100.0)});
    folder.json("times.json", &config);
    let _done = folder.run(&["times.json", "--quiet", "--threads", "2"]).done();
    let _same = folder.post(&["compare", "steps", "times"]).done();
    let ledger =
        |run: &str| std::fs::read_to_string(folder.path(run).join("ledger.csv")).expect("a ledger").lines().count();
    assert_eq!(ledger("steps"), ledger("times"));
    for run in ["steps", "times"] {
        assert!(folder.path(run).join("checkpoint/step-000000000080").exists(), "{run}");
    }
}

#[test]
fn steps_of_the_command_line_win() {
    let folder = Folder::with_vessel();
    let mut config = configs::vessel_run();
    config["dumps"] = json!([]);
    config["time"] = json!({"duration": "1 s"});
    folder.json("run.json", &config);
    let _done = folder.run(&["run.json", "--steps", "17", "--quiet"]).done();
    assert_eq!(folder.read_json("run/run.json")["steps"], 17);
    let flow = folder.post(&["flow", "run"]).done();
    assert!(flow.stdout.contains("step 17,"), "{}", flow.stdout);
    let _none = folder.run(&["run.json", "--steps", "0", "--force", "--quiet"]).done();
    let flow = folder.post(&["flow", "run"]).done();
    assert!(flow.stdout.contains("step 0,"), "{}", flow.stdout);
}

/// Number of time steps of the newest checkpoint.
fn newest(folder: &Folder, run: &str) -> u64 {
    let entries = std::fs::read_dir(folder.path(&format!("{run}/checkpoint"))).expect("a checkpoint folder");
    let names = entries.map(|entry| entry.expect("lists").file_name().to_string_lossy().into_owned());
    let step = |name: String| name.strip_prefix("step-").and_then(|digits| digits.parse().ok());
    names.filter_map(step).max().expect("a checkpoint")
}

/// A run of far too many steps.
fn endless() -> Folder {
    let folder = Folder::with_vessel();
    let mut config = configs::vessel_run();
    config["time"]["steps"] = json!(50_000_000);
    config["dumps"] = json!([{"every": 1_000_000}]);
    config["monitor"] = json!({"every": 100});
    folder.json("run.json", &config);
    folder
}

/// The run goes on from where it stopped.
fn goes_on(folder: &Folder, run: &str, arguments: &[&str]) {
    let step = newest(folder, run);
    assert!(step > 0 && step.is_multiple_of(2));
    let until = (step + 10).to_string();
    let all = [&["run.json", "-o", run, "--restart", "--steps", &until], arguments].concat();
    let resumed = folder.run(&all).done();
    assert!(resumed.stderr.contains(&format!("restart   from step {step}")), "{}", resumed.stderr);
    assert!(resumed.stderr.contains(&format!("done: step {until}")), "{}", resumed.stderr);
    assert!(resumed.stderr.contains(" s for dumps, ledger and checkpoints, "), "{}", resumed.stderr);
    let log = folder.read(&format!("{run}/log.jsonl"));
    let end: Value = serde_json::from_str(log.lines().last().expect("a line")).expect("an event");
    let [output, wall] = ["output_s", "wall_s"].map(|key| end[key].as_f64().expect("a time"));
    assert!(0.0 < output && output < wall, "{end}");
}

#[test]
fn wall_time_ends_with_a_checkpoint() {
    let folder = endless();
    for (run, ranks) in [("solo", "1"), ("two", "2")] {
        let stopped = folder.run(&["run.json", "-o", run, "--walltime", "00:00:03", "--threads", ranks]).exits(3);
        assert!(stopped.seconds < 20.0, "{} s", stopped.seconds);
        assert!(stopped.stderr.contains("stopped with a checkpoint"), "{}", stopped.stderr);
        goes_on(&folder, run, &["--threads", ranks]);
    }
}

#[test]
fn signals_end_with_a_checkpoint() {
    let folder = endless();
    let begun =
        |run: &str| std::fs::read_to_string(folder.path(&format!("{run}/ledger.csv"))).is_ok_and(|t| t.len() > 500);
    for (signal, run, ranks) in [("TERM", "term", "1"), ("INT", "int", "2"), ("HUP", "hup", "2"), ("USR1", "usr1", "1")]
    {
        let mut running = folder.call("run", &["run.json", "-o", run, "--threads", ranks, "--quiet"]).start();
        running.wait_for(|| begun(run));
        running.signal(signal);
        let stopped = running.end().exits(3);
        assert!(stopped.stderr.is_empty(), "{}", stopped.stderr);
        goes_on(&folder, run, &["--threads", ranks]);
    }
    // mpirun passes USR1 on to its ranks; schedulers can be told to send it before they kill.
    let mut running = Call::mpi(2, &tool("run"), &["run.json", "-o", "mpi", "--quiet"], &folder.path("")).start();
    running.wait_for(|| begun("mpi"));
    running.signal("USR1");
    let _stopped = running.end().exits(3);
    goes_on(&folder, "mpi", &["--threads", "2"]);
    // It sends TERM in place of what else it gets, after as many seconds as it then leaves them, and has a code of its own.
    let call = Call::mpi(2, &tool("run"), &["run.json", "-o", "killed", "--quiet"], &folder.path(""));
    let mut running = call.with("OMPI_MCA_odls_base_sigkill_timeout", "3").start();
    running.wait_for(|| begun("killed"));
    running.signal("TERM");
    let _killed = running.end();
    assert_eq!(folder.read_json("killed/run.json")["end"]["state"], "stopped");
    goes_on(&folder, "killed", &["--threads", "2"]);
}

#[test]
fn a_restart_without_a_checkpoint_starts() {
    let folder = Folder::with_vessel();
    let told = folder.run(&["run.json", "--restart"]).done();
    assert!(told.stderr.contains("no checkpoint yet"), "{}", told.stderr);
}

#[test]
fn scaling_puts_runs_side_by_side() {
    let folder = Folder::with_vessel();
    for ranks in ["1", "2"] {
        let _done = folder.run(&["run.json", "-o", &format!("p{ranks}"), "--threads", ranks, "--quiet"]).done();
    }
    let printed = folder.post(&["scaling", "p1", "p2", "-o", "scaling"]).done();
    assert!(printed.stdout.contains("p2") && printed.stdout.contains("speed-up"), "{}", printed.stdout);
    let rows = folder.read_json("scaling/scaling.json");
    assert_eq!(rows.as_array().map(Vec::len), Some(2), "{rows}");
    assert!(rows[1]["speed_up"].as_f64().is_some_and(|speed_up| speed_up > 0.0), "{rows}");
    assert!(folder.read("scaling/scaling.csv").lines().count() > 2);
    folder.refuses("post", &["scaling", "p1", "p3"], &["p3"]);
}
