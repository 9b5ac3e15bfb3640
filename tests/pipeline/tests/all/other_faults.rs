//! Ends other than done and refused: a run that diverges, a machine without a GPU, a folder that cannot be written.

use std::path::Path;

use pipeline_tests::{Call, Folder, configs, tool};
use serde_json::json;

/// The config of a run of the vessel that cannot stay stable.
fn unstable() -> serde_json::Value {
    let mut run = configs::vessel_run();
    run["fluid"]["lattice_boltzmann"]["collision"] = json!("bgk");
    run["fluid"]["lattice_boltzmann"]["tau"] = json!(0.5005);
    run["time"] = json!({"steps": 20_000});
    run["openings"]["inlet"] = json!({"velocity": "100 um/s", "profile": "flat"});
    run["dumps"] = json!([{"at": [0, 1, 10, 20]}]);
    run["monitor"] = json!({"every": 50});
    run
}

#[test]
fn a_run_that_diverges_says_where_and_keeps_its_dumps() {
    let folder = Folder::with_vessel();
    let mut run = unstable();
    // As fast as the inlet allows: the message of the refusal of more tells the speed.
    let dt = 0.0005 / 3.0 * 16e-12 / (1.2e-3 / 1025.0);
    let limit = 0.29 / 3f64.sqrt() * 4e-6 / dt;
    run["openings"]["inlet"]["velocity"] = json!(format!("{limit} m/s"));
    folder.json("run.json", &run);
    for (name, ranks) in [("solo", "1"), ("threads", "2")] {
        let arguments = ["run.json", "-o", name, "--threads", ranks, "--quiet"];
        let message = folder.run(&arguments).fails(4, &["diverged", "step", "node", ") m: speed", "tau"]);
        assert!(message.contains("time step") && message.contains("dumps up to step 20"), "{message}");
        let flow = folder.post(&["flow", name, "--dump", "20"]).done();
        assert!(flow.stdout.contains("step 20"), "{}", flow.stdout);
        let statistics = format!("last-of-{name}");
        let last = folder.post(&["flow", &format!("{name}/failed"), "-o", &statistics]).done();
        assert!(last.stdout.contains(&format!("{statistics}/summary.json")), "{}", last.stdout);
        for told in [&flow, &last] {
            assert!(
                told.stderr.contains("the run failed (step ") && told.stderr.contains("diverged"),
                "{}",
                told.stderr
            );
        }
    }
    let log = folder.read("solo/log.jsonl");
    for line in log.lines() {
        let _event: serde_json::Value = serde_json::from_str(line).unwrap_or_else(|error| panic!("{line}: {error}"));
    }
    let compared = folder.post(&["compare", "solo", "threads"]).done();
    assert!(compared.stdout.starts_with("the same"), "{}", compared.stdout);
    let before = folder.content();
    let failed = folder.mpirun(2, &["run.json", "-o", "solo", "--force", "--quiet"]);
    assert_eq!(failed.code, Some(4), "{}", failed.stderr);
    assert!(before.len() <= folder.content().len());
}

#[test]
fn no_gpu_says_how_to_get_software_vulkan() {
    let folder = Folder::with_vessel();
    let before = folder.content();
    for arguments in [&["run.json", "--quiet"][..], &["run.json", "--quiet", "--threads", "2"], &["--list-gpus"]] {
        let call = folder.call("run", arguments);
        let call = call.with("VK_DRIVER_FILES", "/nonexistent").with("VK_ICD_FILENAMES", "/nonexistent");
        call.end().fails(5, &["no usable GPU", "software Vulkan", "mesa-vulkan-drivers"]);
    }
    assert!(folder.content() == before, "files were left behind");
    let checked = folder.call("run", &["run.json", "--check"]).with("VK_DRIVER_FILES", "/nonexistent").end();
    let _without_gpu = checked.done();
}

#[test]
fn gpus_are_listed_in_order() {
    let folder = Folder::new();
    let listed = folder.run(&["--list-gpus"]).done();
    let numbers: Vec<String> =
        listed.stdout.lines().filter_map(|line| line.split_whitespace().next().map(str::to_owned)).collect();
    assert!(!numbers.is_empty());
    assert_eq!(numbers, (0..numbers.len()).map(|n| n.to_string()).collect::<Vec<_>>(), "{}", listed.stdout);
    let last = numbers.len() - 1;
    let of = |choice: &str| folder.call("run", &["--list-gpus"]).with("HEMATITE_GPUS", choice).end();
    assert!(of(&last.to_string()).done().stdout.starts_with(&last.to_string()));
    of("99").fails(5, &["HEMATITE_GPUS=99", &format!("0 to {last}")]);
}

#[test]
fn who_waits_for_messages_is_asked_for_by_0_or_1() {
    let folder = Folder::with_vessel();
    let before = folder.content();
    let run = folder.call("run", &["run.json", "--quiet"]).with("HEMATITE_DEVICE_WAITS", "yes").end();
    run.fails(2, &["HEMATITE_DEVICE_WAITS=yes", "leave it unset"]);
    let run = folder.call("run", &["run.json", "--quiet"]).with("HEMATITE_DEVICE_LINKS", "yes").end();
    run.fails(2, &["HEMATITE_DEVICE_LINKS=yes", "leave it unset"]);
    assert!(folder.content() == before, "files were left behind");
}

#[test]
fn a_place_that_cannot_be_written_is_an_io_fault() {
    let folder = Folder::with_vessel();
    folder.write("file", b"");
    let before = folder.content();
    folder.mkcase(&["vessel.json", "-o", "file/vessel.h5", "--quiet"]).fails(6, &["file/vessel.h5"]);
    folder.run(&["run.json", "-o", "file/run", "--quiet"]).fails(6, &["file/run"]);
    assert!(folder.content() == before, "files were left behind");
    let _done = folder.run(&["run.json", "--quiet"]).done();
    folder.post(&["flow", "run", "-o", "file/statistics"]).fails(6, &["file/statistics"]);
}

#[test]
fn a_file_beyond_the_limit_of_the_process_is_an_io_fault() {
    let folder = Folder::with_vessel();
    let mut run = configs::vessel_run();
    run["dumps"] = json!([{"every": 1}]);
    folder.json("run.json", &run);
    let _whole = folder.run(&["run.json", "-o", "whole", "--quiet"]).done();
    let program = tool("run");
    // In blocks of 512 bytes, less than the dumps take; the second time no checkpoint is written before.
    for (ranks, checkpoint) in [("1", json!({"every": 10})), ("2", json!({"every": 10})), ("2", json!({"minutes": 30}))]
    {
        run["checkpoint"] = checkpoint;
        folder.json("run.json", &run);
        let limited = format!("ulimit -f 4096; exec {} run.json --quiet --threads {ranks}", program.display());
        let called = Call::new(Path::new("sh"), &["-c", &limited], &folder.path("")).end();
        called.fails(6, &["cannot write run/fields", "vtkhdf"]);
        let _on = folder.run(&["run.json", "--restart", "--quiet"]).done();
        let _same = folder.post(&["compare", "whole", "run"]).done();
        std::fs::remove_dir_all(folder.path("run")).expect("removes");
    }
}

/// The ledger, the log and some other files belong to rank 0: the other ranks must not wait for it when it cannot write them.
#[test]
fn a_file_that_rank_0_alone_cannot_write_ends_all_ranks() {
    let folder = Folder::with_vessel();
    let mut run = configs::vessel_run();
    run["checkpoint"] = json!({"every": 10});
    folder.json("run.json", &run);
    for file in ["log.jsonl", "timing.json"] {
        for mpi in [false, true] {
            let _begun = folder.run(&["run.json", "--quiet", "--force", "--steps", "10"]).done();
            let path = folder.path("run").join(file);
            std::fs::remove_file(&path).expect("removes");
            match file {
                // What is written there finds the disk full.
                "log.jsonl" => std::os::unix::fs::symlink("/dev/full", &path).expect("links"),
                _ => std::fs::create_dir(&path).expect("makes"),
            }
            let call = ["run.json", "--quiet", "--restart", "--steps", "20"];
            let call = match mpi {
                true => Call::mpi(2, &tool("run"), &call, &folder.path("")),
                false => folder.call("run", &[&call[..], &["--threads", "2"]].concat()),
            };
            // Where devices leave messages to each other, hosts must not wait for a rank that has ended.
            let ended = call.with("HEMATITE_DEVICE_LINKS", "1").end();
            ended.fails(6, &["cannot", file]);
            let end = &folder.read_json("run/run.json")["end"];
            assert_eq!((&end["state"], &end["exit"]), (&json!("failed"), &json!(6)), "{file}: {end}");
            std::fs::remove_dir_all(folder.path("run")).expect("removes");
        }
    }
}
