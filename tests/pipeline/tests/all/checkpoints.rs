//! Checkpoints and cases that were damaged, folders that are in use: what a restart goes on from.

use std::path::Path;

use pipeline_tests::{Folder, configs, is_full, suspension};
use serde_json::{Value, json};

const OLDER: &str = "run/checkpoint/step-000000000100";
const NEWEST: &str = "run/checkpoint/step-000000000150";

/// The vessel after 200 steps as `whole`, and stopped after 150 with two checkpoints as `run`.
fn stopped() -> Folder {
    let folder = Folder::with_vessel();
    let mut config = configs::vessel_run();
    config["time"]["steps"] = 200.into();
    config["dumps"] = json!([{"every": 100}]);
    config["checkpoint"] = json!({"at_end": false});
    folder.json("run.json", &config);
    let _whole = folder.run(&["run.json", "-o", "whole", "--quiet"]).done();
    folder.json("half.json", &{
        config["time"]["steps"] = 150.into();
        config
    });
    let _half = folder.run(&["half.json", "-o", "run", "--checkpoint-every", "50", "--quiet"]).done();
    folder
}

/// Expects that a restart, and a check of it, refuses a `file` of the run after a `change`, with all `pieces`. Puts the
/// file back.
fn notices(folder: &Folder, file: &str, change: impl FnOnce(&Path), pieces: &[&str]) {
    let path = folder.path(file);
    let whole = std::fs::read(&path).expect("reads");
    change(&path);
    for more in [&[][..], &["--check"], &["--threads", "3"]] {
        let arguments = [&["run.json", "--restart", "--quiet"], more].concat();
        folder.refuses(
            "run",
            &arguments,
            &[&[file, "put back", "-o", "--restart run/checkpoint/step-"], pieces].concat(),
        );
    }
    std::fs::write(path, whole).expect("writes");
}

fn remove(path: &Path) {
    std::fs::remove_file(path).expect("removes");
}

fn flip(folder: &Folder, file: &str, at: usize) {
    let mut bytes = std::fs::read(folder.path(file)).expect("reads");
    let at = at % bytes.len();
    bytes[at] ^= 4;
    folder.write(file, &bytes);
}

#[test]
fn a_damaged_checkpoint_is_passed_over() {
    for ranks in ["1", "3"] {
        let folder = stopped();
        flip(&folder, &format!("{NEWEST}/rank-0000.h5"), 9000);
        let done = folder.run(&["run.json", "--restart", "--threads", ranks]).done();
        assert!(done.stderr.contains("step-000000000150/rank-0000.h5: damaged"), "{}", done.stderr);
        assert!(done.stderr.contains("restart   from step 100"), "{}", done.stderr);
        let _same = folder.post(&["compare", "whole", "run"]).done();
    }
}

#[test]
fn a_damaged_checkpoint_is_not_kept_in_place_of_a_sound_one() {
    let folder = stopped();
    flip(&folder, &format!("{NEWEST}/rank-0000.h5"), 9000);
    let _done = folder.run(&["run.json", "--restart", "--checkpoint-every", "90", "--quiet"]).done();
    assert!(folder.has(OLDER) && folder.has("run/checkpoint/step-000000000180") && !folder.has(NEWEST));
    let warnings = &folder.read_json("run/run.json")["warnings"];
    assert_eq!((&warnings[0]["kind"], &warnings[0]["step"]), (&json!("checkpoint"), &json!(100)), "{warnings}");
    let text = warnings[0]["text"].as_str().expect("a text");
    assert!(text.contains("step-000000000150/rank-0000.h5: damaged") && text.contains("from step 100"), "{text}");
    let log = folder.read("run/log.jsonl");
    let mut events = log.lines().map(|line| serde_json::from_str::<Value>(line).expect("an event"));
    assert!(events.any(|event| event["event"] == "warning" && event["text"] == warnings[0]["text"]), "{log}");
    // It is a warning of this restart, not of each that follows.
    let _more = folder.run(&["run.json", "--restart", "--steps", "220", "--quiet"]).done();
    let record = folder.read_json("run/run.json");
    let warnings = record["warnings"].as_array().expect("warnings");
    assert_eq!(warnings.iter().filter(|warning| warning["kind"] == "checkpoint").count(), 1, "{warnings:?}");
}

#[test]
fn lost_lines_and_dumps_are_noticed() {
    let folder = stopped();
    let (dumps, lines) = ("run/fields.vtkhdf", "run/ledger.csv");
    notices(&folder, dumps, remove, &["is missing", "dumps up to step 100", "--allow-changes"]);
    notices(&folder, lines, remove, &["is missing", "lines up to step 140", "--allow-changes"]);
    let ledger = folder.read(lines);
    let write = |text: String| move |path: &Path| std::fs::write(path, text).expect("writes");
    let kept = ledger.lines().filter(|line| !line.starts_with("50,")).map(|line| format!("{line}\n"));
    notices(&folder, lines, write(kept.collect()), &["it holds 14", "had written 15", "--allow-changes"]);
    let other = ledger.replace("\n50,", "\n51,");
    notices(&folder, lines, write(other), &["lines up to step 140 are not those", "--allow-changes"]);
    notices(&folder, lines, write(ledger[..30].to_owned()), &["header"]);
    // Of more dumps than the checkpoint knows, the later ones go.
    let _more =
        folder.run(&["half.json", "-o", "more", "--steps", "150", "--checkpoint-every", "50", "--quiet"]).done();
    let earlier = ["run.json", "-o", "more", "--restart", "more/checkpoint/step-000000000100", "--quiet"];
    let _done = folder.run(&earlier).done();
    let _same = folder.post(&["compare", "whole", "more"]).done();
}

#[test]
fn a_restart_goes_on_without_what_was_lost_where_that_is_allowed() {
    let folder = stopped();
    for file in ["run/fields.vtkhdf", "run/ledger.csv"] {
        remove(&folder.path(file));
    }
    let allowed = ["run.json", "--restart", "--allow-changes", "--checkpoint-every", "50", "--quiet"];
    let checked = folder.run(&[&allowed[..], &["--check=quick"]].concat()).done();
    let _done = folder.run(&allowed).done();
    let record = folder.read_json("run/run.json");
    let texts = record["warnings"].as_array().expect("warnings").iter().filter(|one| one["kind"] == "lost_output");
    let texts: Vec<&str> = texts.map(|warning| warning["text"].as_str().expect("a text")).collect();
    assert_eq!(texts.len(), 2, "{texts:?}");
    for (text, file) in texts.iter().zip(["fields.vtkhdf is missing", "ledger.csv is missing"]) {
        assert!(text.contains(file) && text.contains("going on from step 150 without"), "{text}");
        assert!(checked.stderr.contains(file), "{}", checked.stderr);
    }
    let read = |file: &hdf5::File| file.dataset("hematite/steps")?.read_raw::<u64>();
    let steps = folder.hdf5("run/fields.vtkhdf", hdf5::File::open, read);
    assert_eq!(steps, [200]);
    let ledger = folder.read("run/ledger.csv");
    assert!(ledger.lines().nth(1).is_some_and(|line| line.starts_with("160,")), "{ledger}");
    // The next checkpoint knows of what there is now.
    let _more = folder.run(&["run.json", "--restart", "--steps", "210", "--quiet"]).done();
}

#[test]
fn lost_cells_and_tracks_are_noticed() {
    let folder = suspension::bent_channel().folder();
    let arguments = ["run.json", "--steps", "320", "--checkpoint-every", "160", "--threads", "2", "--quiet"];
    let _part = folder.run(&arguments).done();
    notices(&folder, "run/cells.vtkhdf", remove, &["is missing", "dumps up to step 250", "--allow-changes"]);
    notices(&folder, "run/cells_r0001of0002.vtkhdf", remove, &[]);
    notices(&folder, "run/fields.vtkhdf", remove, &["is missing", "dumps up to step 250", "--allow-changes"]);
    notices(&folder, "run/tracks.h5", remove, &["is missing", "frames up to step 222", "--allow-changes"]);
    let _on = folder.run(&["run.json", "--restart", "--steps", "336", "--threads", "3", "--quiet"]).done();
}

#[test]
fn later_checkpoints_of_a_run_that_goes_on_from_an_earlier_one_go() {
    let folder = stopped();
    let arguments = ["run.json", "--restart", OLDER, "--steps", "110", "--quiet"];
    let _earlier = folder.run(&arguments).done();
    assert!(folder.has(OLDER) && !folder.has(NEWEST));
}

#[test]
fn dumps_that_a_restart_leaves_out_hold_nothing_of_an_abandoned_branch() {
    let folder = stopped();
    let mut config = folder.read_json("run.json");
    config["dumps"] = json!([{"every": 100}, {"name": "slice", "every": 7, "fields": ["pressure"]}]);
    config["checkpoint"] = json!({"every": 50, "at_end": false});
    folder.json("with.json", &config);
    config["openings"]["inlet"]["velocity"] = json!("6 mm/s");
    folder.json("other.json", &config);
    config["dumps"] = json!([{"every": 100}]);
    folder.json("without.json", &config);
    let all = [("mixed", ["2", "1", "3"]), ("solo", ["1", "1", "1"]), ("three", ["3", "3", "3"])];
    for (run, ranks) in if is_full() { &all[..] } else { &all[..1] } {
        let call = |config: &str, run: &str, steps: &str, more: &[&str]| {
            let arguments = [config, "-o", run, "--steps", steps, "--quiet"];
            let _done = folder.run(&[&arguments[..], more].concat()).done();
        };
        // The same way without the steps that the first restart abandons.
        let straight = format!("straight-{run}");
        for (run, first, ranks) in [(*run, "90", *ranks), (&straight, "50", ["1"; 3])] {
            let restart = ["--restart", "--checkpoint-every", "70", "--allow-changes"];
            call("with.json", run, first, &["--threads", ranks[0]]);
            call("without.json", run, "75", &[&restart[..], &["--threads", ranks[1]]].concat());
            call("other.json", run, "120", &["--restart", "--threads", ranks[2]]);
        }
        let file = format!("{run}/slice.vtkhdf");
        let steps = folder.hdf5(&file, hdf5::File::open, |file| file.dataset("hematite/steps")?.read_raw::<u64>());
        assert_eq!(steps, [7, 14, 21, 28, 35, 42, 49, 70, 77, 84, 91, 98, 105, 112, 119], "{run}");
        let _same = folder.post(&["compare", &straight, run]).done();
    }
}

#[test]
fn without_a_sound_checkpoint_nothing_is_done() {
    let folder = stopped();
    flip(&folder, &format!("{NEWEST}/checkpoint.json"), 50);
    flip(&folder, &format!("{OLDER}/SHA256SUMS"), 3);
    folder.refuses("run", &["run.json", "--restart", "--quiet"], &["no checkpoint is sound", "step-000000000100"]);
    folder.refuses("run", &["run.json", "--restart", OLDER, "--quiet"], &["step-000000000100", "damaged"]);
}

#[test]
fn what_a_killed_run_left_of_a_checkpoint_is_removed() {
    const LEFT: &str = "run/checkpoint/step-000000000192.partial";
    for (arguments, exists) in [
        (&["run.json", "--check", "--restart", "--quiet"][..], true),
        (&["run.json", "--restart", "--quiet"], false),
        (&["run.json", "--force", "--quiet"], false),
    ] {
        let folder = stopped();
        // Of more ranks than go on.
        folder.write(&format!("{LEFT}/rank-0003.h5"), b"half");
        folder.write("run/checkpoint/notes.partial", b"of somebody");
        let _done = folder.run(arguments).done();
        assert_eq!(folder.has(LEFT), exists, "{arguments:?}");
        assert!(folder.has("run/checkpoint/notes.partial") || arguments.contains(&"--force"));
        if !exists {
            let _same = folder.post(&["compare", "whole", "run"]).done();
        }
    }
}

#[test]
fn a_flipped_bit_in_a_case_is_noticed() {
    let folder = Folder::with_vessel();
    let whole = std::fs::read(folder.path("vessel.h5")).expect("reads");
    for at in (0..whole.len()).step_by(whole.len() / 60) {
        flip(&folder, "vessel.h5", at);
        folder.refuses("run", &["run.json", "--quiet"], &["vessel.h5"]);
        folder.refuses("run", &["run.json", "--check", "--quiet"], &["vessel.h5"]);
        folder.write("vessel.h5", &whole);
    }
}

#[test]
fn a_flipped_bit_in_a_dump_is_noticed() {
    let folder = Folder::with_vessel();
    for (run, ranks, file) in [("solo", "1", "solo/fields.vtkhdf"), ("pair", "2", "pair/fields_r0001of0002.vtkhdf")] {
        let _run = folder.run(&["run.json", "-o", run, "--threads", ranks, "--quiet"]).done();
        let places = folder.hdf5(file, hdf5::File::open, |file| {
            let cells = file.group("VTKHDF/CellData")?;
            let read = [cells.dataset("velocity")?, cells.dataset("pressure")?, file.dataset("hematite/position")?];
            let chunks = read.iter().flat_map(|data| (0..data.num_chunks().unwrap_or(0)).map(|k| data.chunk_info(k)));
            chunks.map(|chunk| chunk.ok_or_else(|| "a chunk".into())).collect::<hdf5::Result<Vec<_>>>()
        });
        assert!(places.len() > 6, "{} chunks", places.len());
        let whole = std::fs::read(folder.path(file)).expect("reads");
        for place in places {
            let size = place.size as usize;
            // The last are those of the checksum itself.
            for at in [0, size / 3, size / 2, size - 5, size - 1] {
                flip(&folder, file, place.addr as usize + at);
                folder.refuses("post", &["compare", run, run], &[file, "is damaged", "not what was written"]);
                folder.write(file, &whole);
            }
        }
        let _sound = folder.post(&["flow", run]).done();
    }
}

#[test]
fn a_second_run_into_a_folder_is_refused() {
    let folder = Folder::with_vessel();
    let mut config = configs::vessel_run();
    config["time"]["steps"] = 100_000_000.into();
    config["dumps"] = json!([{"every": 100_000_000}]);
    folder.json("long.json", &config);
    let mut first = folder.call("run", &["long.json", "-o", "run", "--quiet"]).start();
    first.wait_for(|| folder.has("run/log.jsonl"));
    let second = folder.run(&["run.json", "--quiet"]).exits(2);
    assert!(second.stderr.contains("another run (process "), "{}", second.stderr);
    first.signal("TERM");
    let _stopped = first.end().exits(3);
    assert!(folder.read("run/run.json").contains("100000000"));
    // Two processes that know nothing of each other, in one call.
    let twice = folder.mpirun(2, &["long.json", "-o", "two", "--threads", "2", "--walltime", "60", "--quiet"]);
    assert!(twice.stderr.contains("another run (process "), "{}", twice.stderr);
}

#[test]
fn a_run_that_was_killed_at_once_can_be_called_again() {
    let folder = Folder::with_vessel();
    folder.write("run/.lock", b"process 1 on nowhere\n");
    folder.write("run/fields.vtkhdf", b"half");
    let _done = folder.run(&["run.json", "--restart", "--quiet"]).done();
    folder.write("other/notes.txt", b"mine");
    folder.refuses("run", &["run.json", "-o", "other", "--quiet"], &["other", "holds no run"]);
}

#[test]
fn cadences_may_be_longer_than_any_run() {
    let folder = Folder::with_vessel();
    let mut config = configs::vessel_run();
    for cadence in ["checkpoint", "balance", "monitor"] {
        config[cadence] = json!({"every": u64::MAX});
    }
    config["dumps"] = json!([{"every": u64::MAX}]);
    folder.json("run.json", &config);
    let _done = folder.run(&["run.json", "--threads", "2", "--quiet"]).done();
}

#[test]
fn a_run_is_replaced_when_that_is_asked_for_only() {
    let folder = stopped();
    folder.refuses("run", &["run.json", "--quiet"], &["run holds a run (done)", "--restart", "--force"]);
    folder.refuses("run", &["run.json", "-o", "whole", "--quiet"], &["whole holds a run (done)", "--force"]);
    folder.refuses(
        "run",
        &["run.json", "-o", "whole", "--restart", OLDER, "--quiet"],
        &["another run than run/checkpoint"],
    );
    folder.refuses("run", &["run.json", "--restart", "--steps", "120", "--quiet"], &["step 150", "has 120"]);
    // What is done is done; with more steps there is nothing to go on from.
    let before = folder.content();
    let again = folder.run(&["run.json", "-o", "whole", "--restart"]).done();
    assert!(again.stderr.contains("done already: step 200"), "{}", again.stderr);
    assert_eq!(folder.content(), before);
    folder.refuses(
        "run",
        &["run.json", "-o", "whole", "--restart", "--steps", "300", "--quiet"],
        &["no checkpoint", "--force"],
    );
    let _done = folder.run(&["run.json", "--force", "--quiet"]).done();
    let _same = folder.post(&["compare", "whole", "run"]).done();
    assert!(!folder.has("run/checkpoint"));
}

#[test]
fn a_restart_begins_anew_where_a_run_stopped_before_its_first_checkpoint() {
    let folder = stopped();
    std::fs::remove_dir_all(folder.path("run/checkpoint")).expect("removes");
    let mut record = folder.read_json("run/run.json");
    record.as_object_mut().expect("a record").remove("end");
    folder.json("run/run.json", &record);
    folder.refuses("run", &["run.json", "--quiet"], &["run holds a run (unfinished)"]);
    let _done = folder.run(&["run.json", "--restart", "--quiet"]).done();
    let _same = folder.post(&["compare", "whole", "run"]).done();
}

#[test]
fn checkpoints_of_a_run_whose_record_is_gone_are_not_lost() {
    let folder = stopped();
    std::fs::remove_file(folder.path("run/run.json")).expect("removes");
    let before = folder.content();
    let pieces = ["run holds checkpoints, but no run.json", "-o", "step-000000000150", "--force"];
    folder.refuses("run", &["run.json", "--quiet"], &pieces);
    folder.refuses("run", &["run.json", "--restart", "--quiet"], &pieces);
    assert_eq!(folder.content(), before);
    let _elsewhere = folder.run(&["run.json", "-o", "other", "--restart", NEWEST, "--quiet"]).done();
    let _anew = folder.run(&["run.json", "--force", "--quiet"]).done();
    let _same = folder.post(&["compare", "whole", "run"]).done();
}

#[test]
fn a_run_stopped_at_its_start_has_one_line_of_its_first_step() {
    let folder = stopped();
    let mut config = folder.read_json("run.json");
    config["openings"]["inlet"]["waveform"] = json!({"table": {"file": "beat.csv"}});
    folder.json("run.json", &config);
    folder.write("beat.csv", b"time [s],factor\n0,1\n1,1\n");
    let beat = folder.path("beat.csv");
    let call = folder.call("run", &["run.json", "-o", "begun"]);
    let stopped = call.signalled_at_start(&beat, "TERM").exits(3);
    assert!(stopped.stderr.contains("no step was done: step 0"), "{}", stopped.stderr);
    let lines = |run: &str| folder.read(&format!("{run}/ledger.csv")).lines().count();
    assert_eq!(lines("begun"), 2, "a header and the line of step 0");
    let _gone_on = folder.run(&["run.json", "-o", "begun", "--restart", "--quiet"]).done();
    assert_eq!(lines("begun"), lines("whole"));
    let _same = folder.post(&["compare", "whole", "begun"]).done();
    let program = pipeline_tests::tool("run");
    let call = pipeline_tests::Call::mpi(1, &program, &["run.json", "-o", "mpi", "--quiet"], &folder.path(""));
    let _stopped = call.signalled_at_start(&beat, "USR1").exits(3);
    assert_eq!(folder.read_json("mpi/run.json")["end"]["step"], 0);
}

#[test]
fn a_wall_time_without_time_for_a_step_is_refused() {
    let folder = stopped();
    for ranks in ["1", "3"] {
        let anew = ["run.json", "-o", "begun", "--walltime", "0", "--threads", ranks, "--quiet"];
        let pieces = ["--walltime 0 s leaves no time for a step", "the start took", "give"];
        folder.refuses("run", &anew, &pieces);
        let on = ["run.json", "--restart", "--walltime", "0", "--threads", ranks, "--quiet"];
        folder.refuses("run", &on, &pieces);
    }
    let _done = folder.run(&["half.json", "-o", "run", "--restart", "--walltime", "0", "--quiet"]).done();
}

#[test]
fn a_folder_is_waited_for_where_a_killed_launcher_has_left_ranks() {
    let folder = Folder::with_vessel();
    let mut config = configs::vessel_run();
    config["time"]["steps"] = 100_000_000.into();
    config["dumps"] = json!([{"every": 100_000_000}]);
    folder.json("long.json", &config);
    let call = ["long.json", "-o", "run", "--quiet"];
    let mut first = pipeline_tests::Call::mpi(2, &pipeline_tests::tool("run"), &call, &folder.path("")).start();
    first
        .wait_for(|| std::fs::read_to_string(folder.path("run/ledger.csv")).is_ok_and(|text| text.lines().count() > 9));
    first.signal("KILL");
    let killed = first.end();
    assert_eq!(killed.code, None, "{}", killed.stderr);
    let _next = folder.run(&["run.json", "-o", "run", "--restart", "--quiet"]).done();
}

#[test]
fn a_check_says_what_a_restart_would_go_on_from() {
    let folder = stopped();
    let check = |more: &[&str]| {
        let before = folder.content();
        let done = folder.run(&[&["run.json", "--restart", "--check"], more].concat()).done();
        assert!(before == folder.content(), "files have changed");
        done.stderr
    };
    let said = check(&["--steps", "190"]);
    assert!(said.contains("restart   would go on from step 150, run/checkpoint/step-000000000150, changed"), "{said}");
    flip(&folder, &format!("{NEWEST}/rank-0000.h5"), 9000);
    let said = check(&[]);
    assert!(said.contains("would go on from step 100, run/checkpoint/step-000000000100"), "{said}");
    assert!(said.contains("step-000000000150/rank-0000.h5: damaged") && said.contains("passed over"), "{said}");
    assert!(check(&["-o", "new"]).contains("restart   no checkpoint yet"));
    assert!(check(&["--quiet"]).contains("passed over"));
}

/// The steps at which a run wrote checkpoints, as its log has them.
fn saved(folder: &Folder, run: &str) -> Vec<u64> {
    let log = folder.read(&format!("{run}/log.jsonl"));
    let events = log.lines().map(|line| serde_json::from_str::<Value>(line).expect("an event"));
    events.filter(|event| event["event"] == "checkpoint").filter_map(|event| event["step"].as_u64()).collect()
}

#[test]
fn checkpoints_follow_the_clock() {
    let folder = stopped();
    for (run, ranks) in [("solo", "1"), ("three", "3")] {
        // Less than any step takes.
        let often = ["run.json", "-o", run, "--checkpoint-minutes", "1e-9", "--threads", ranks, "--quiet"];
        let _often = folder.run(&often).done();
        assert!(saved(&folder, run).len() > 5, "{:?}", saved(&folder, run));
        let _same = folder.post(&["compare", "whole", run]).done();
        assert_eq!(folder.read("whole/ledger.csv"), folder.read(&format!("{run}/ledger.csv")));
    }
    for (run, minutes) in [("zero", json!(0)), ("null", Value::Null), ("day", json!(1440))] {
        let mut config = folder.read_json("run.json");
        config["checkpoint"]["minutes"] = minutes;
        folder.json("seldom.json", &config);
        let _seldom = folder.run(&["seldom.json", "-o", run, "--quiet"]).done();
        assert!(saved(&folder, run).is_empty() && !folder.has(&format!("{run}/checkpoint")));
    }
    folder.refuses("run", &["run.json", "-o", "no", "--checkpoint-minutes=-1", "--quiet"], &["checkpoint.minutes -1"]);
}

#[test]
fn a_run_that_ended_goes_on_with_more_steps() {
    let folder = stopped();
    for (steps, last) in [("130", 130), ("77", 76), ("134", 134)] {
        let mut config = folder.read_json("run.json");
        config.as_object_mut().expect("keys").remove("checkpoint");
        folder.json("ends.json", &config);
        let ends = ["ends.json", "-o", steps, "--quiet"];
        let _ended = folder.run(&[&ends[..], &["--steps", steps]].concat()).done();
        assert_eq!(saved(&folder, steps), [last]);
        let before = folder.content();
        let again = folder.run(&["ends.json", "-o", steps, "--steps", steps, "--restart"]).done();
        assert!(again.stderr.contains(&format!("done already: step {steps}")), "{}", again.stderr);
        assert_eq!(folder.content(), before);
        let _on = folder.run(&[&ends[..], &["--restart", "--threads", "2"]].concat()).done();
        let _same = folder.post(&["compare", "whole", steps]).done();
    }
}

#[test]
fn a_restart_with_other_numbers_in_a_table_is_refused_unless_it_is_asked_for() {
    let folder = Folder::with_vessel();
    let mut config = configs::vessel_run();
    config["openings"]["inlet"] =
        json!({"profile": {"csv": "profile.csv"}, "waveform": {"table": {"file": "beat.csv"}}});
    folder.json("run.json", &config);
    let profile = "y [um],speed [mm/s]\n0,0\n52,9\n104,0\n";
    let beat = "time [s],factor\n0,1\n0.5,1.5\n1,1\n";
    folder.write("profile.csv", profile.as_bytes());
    folder.write("beat.csv", beat.as_bytes());
    let _done = folder.run(&["run.json", "-o", "run", "--quiet"]).done();
    let restart = ["run.json", "-o", "run", "--restart", "--steps", "150"];
    for (file, content, key) in [
        ("beat.csv", beat.replace("1.5", "1.6"), "openings.inlet.waveform.table.content_sha256"),
        ("profile.csv", profile.replace("52,9", "52,8"), "openings.inlet.profile.content_sha256"),
    ] {
        let before = folder.read(file);
        folder.write(file, content.as_bytes());
        for arguments in [&restart[..], &["run.json", "-o", "run", "--restart"], &["run.json", "--check", "--restart"]]
        {
            let pieces = ["is of a run with other physics", key, "--allow-changes"];
            folder.refuses("run", &[arguments, &["--quiet"]].concat(), &pieces);
        }
        folder.write(file, before.as_bytes());
    }
    // The same numbers in other words.
    folder.write("beat.csv", b"# a beat\ntime [ms], factor\n0, 1.0\n500, 1.5\n1000, 1\n");
    let same = folder.run(&["run.json", "-o", "run", "--restart"]).done();
    assert!(same.stderr.contains("done already"), "{}", same.stderr);
    folder.write("beat.csv", beat.replace("1.5", "1.6").as_bytes());
    let _allowed = folder.run(&[&restart[..], &["--allow-changes", "--quiet"]].concat()).done();
    let changed = &folder.read_json("run/run.json")["restarts"][0]["changed"];
    assert!(changed.to_string().contains("openings.inlet.waveform.table.content_sha256"), "{changed}");
}

#[test]
fn a_restart_with_other_physics_is_refused_unless_it_is_asked_for() {
    let folder = stopped();
    let run = folder.read_json("run.json");
    let restart = ["other.json", "-o", "run", "--restart"];
    for (pointer, value, said) in [
        (
            "/openings/inlet/velocity",
            json!("10 mm/s"),
            "\"openings.inlet.velocity\" was \"0.008 m/s\", now \"0.01 m/s\"",
        ),
        ("/fluid/lattice_boltzmann/magic", json!(0.25), "\"fluid.lattice_boltzmann.magic\" was 0.1875, now 0.25"),
        ("/drive", json!({"force": ["1 Pa/m", "0 Pa/m"]}), "\"drive.force\" was null, now ["),
        ("/cells", json!({"kernel": 4}), "\"cells.kernel\" was 2, now 4"),
    ] {
        let mut other = run.clone();
        let (parent, key) = pointer.rsplit_once('/').expect("a pointer");
        other.pointer_mut(parent).expect("a place")[key] = value;
        folder.json("other.json", &other);
        let pieces = ["step-000000000150 is of a run with other physics", said, "-o", "--allow-changes"];
        folder.refuses("run", &[&restart[..], &["--quiet"]].concat(), &pieces);
    }
    // What the state does not bear, whatever is allowed.
    for (pointer, value, said) in [
        (
            "/fluid/lattice_boltzmann/viscosity",
            json!("2 mPa s"),
            "\"fluid.lattice_boltzmann.viscosity\" was \"0.0012 Pa s\", now \"0.002 Pa s\"",
        ),
        (
            "/fluid/lattice_boltzmann/density",
            json!("900 kg/m3"),
            "\"fluid.lattice_boltzmann.density\" was \"1025 kg/m3\", now \"900 kg/m3\"",
        ),
        (
            "/fluid/lattice_boltzmann/walls",
            json!("interpolated"),
            "\"fluid.lattice_boltzmann.walls\" was \"half_way\", now \"interpolated\"",
        ),
        ("/fluid/lattice_boltzmann/precision", json!("f64"), "f64"),
        ("/fluid/lattice_boltzmann/tau", json!(0.9), "fluid.lattice_boltzmann.tau"),
    ] {
        let mut other = run.clone();
        let (parent, key) = pointer.rsplit_once('/').expect("a pointer");
        other.pointer_mut(parent).expect("a place")[key] = value;
        folder.json("other.json", &other);
        for more in [&["--quiet"][..], &["--quiet", "--check"]] {
            let message = folder.refuses("run", &[&restart[..], more].concat(), &["step-000000000150", said]);
            assert!(!message.contains("--allow-changes"), "{message}");
            let allowed = [&restart[..], &["--allow-changes"], more].concat();
            let _message = folder.refuses("run", &allowed, &["step-000000000150", key]);
        }
    }
    // In other words the same, and what may be otherwise.
    let mut other = run.clone();
    other["openings"]["inlet"]["velocity"] = json!("0.8 cm/s");
    other["checkpoint"] = json!({"every": 500});
    folder.json("other.json", &other);
    let called = folder.run(&[&restart[..], &["--threads", "2"]].concat()).done();
    assert!(called.stderr.contains("from step 150, changed since: checkpoint.at_end"), "{}", called.stderr);
    let _same = folder.post(&["compare", "whole", "run"]).done();
    let restarts = &folder.read_json("run/run.json")["restarts"];
    assert_eq!(
        (&restarts[0]["step"], &restarts[0]["ranks"], restarts.as_array().map(Vec::len)),
        (&json!(150), &json!(2), Some(1))
    );
    assert!(
        restarts[0]["changed"]
            .as_array()
            .is_some_and(|changed| { changed.contains(&json!({"key": "time.steps", "before": 150, "now": 200})) })
    );
    // Other physics all the same.
    other["openings"]["inlet"]["velocity"] = json!("10 mm/s");
    folder.json("other.json", &other);
    let _other = folder.run(&[&restart[..], &["--allow-changes", "--steps", "240", "--quiet"]].concat()).done();
    let restarts = &folder.read_json("run/run.json")["restarts"];
    assert_eq!(restarts[1]["step"], 200);
    let change = json!({"key": "openings.inlet.velocity", "before": "0.008 m/s", "now": "0.01 m/s"});
    assert!(restarts[1]["changed"].as_array().is_some_and(|changed| changed.contains(&change)), "{restarts}");
}

#[test]
fn a_contrast_cannot_begin_at_a_restart() {
    let folder = suspension::tube().folder();
    let _part = folder.run(&["run.json", "-o", "run", "--steps", "32", "--quiet"]).done();
    let mut run = folder.read_json("run.json");
    run["cells"] = json!({"mechanics": {"red": {"contrast": 4}}});
    folder.json("other.json", &run);
    for more in [&["--quiet"][..], &["--quiet", "--check"]] {
        let restart = [&["other.json", "-o", "run", "--restart", "--steps", "64"][..], more].concat();
        let message = folder.refuses("run", &restart, &["contrast"]);
        assert!(!message.contains("--allow-changes"), "{message}");
        let allowed = [&restart[..], &["--allow-changes"]].concat();
        let _message = folder.refuses("run", &allowed, &["no marks of nodes inside cells", "contrast"]);
    }
}
