//! Ranks of MPI that are stopped: the others say so, and end where it lasts.

use pipeline_tests::{Call, Folder, Running, configs, send, tool};
use serde_json::json;

/// A run on three ranks that is in its steps, and has patience for so long.
fn running(patience: &str) -> (Folder, Running) {
    let folder = Folder::with_vessel();
    let mut config = configs::vessel_run();
    config["time"]["steps"] = json!(50_000_000);
    config["dumps"] = json!([{"every": 50_000_000}]);
    config["monitor"] = json!({"every": 100});
    folder.json("run.json", &config);
    let call = Call::mpi(3, &tool("run"), &["run.json", "--quiet"], &folder.path(""));
    let mut running = call.with("HEMATITE_PATIENCE", patience).start();
    let ledger = folder.path("run/ledger.csv");
    running.wait_for(|| std::fs::read_to_string(&ledger).is_ok_and(|text| text.lines().count() > 4));
    (folder, running)
}

#[test]
fn a_rank_that_stays_stopped_ends_the_run() {
    for rank in [0, 2] {
        let (_folder, running) = running("0.5,1");
        let process = running.ranks()[rank];
        assert!(send("STOP", process));
        let ended = running.end().exits(7);
        let named = format!("rank {rank} (process {process} on ");
        for piece in ["run: warning: ", &named, &format!("kill -CONT {process}"), "exit code 7", "run: error: "] {
            assert!(ended.stderr.contains(piece), "\"{piece}\" is missing in {}", ended.stderr);
        }
        assert_eq!(ended.stderr.matches("kill -CONT").count(), 1, "{}", ended.stderr);
    }
}

#[test]
fn a_rank_that_goes_on_does_no_harm() {
    let (folder, mut running) = running("0.5,inf");
    let process = running.ranks()[1];
    assert!(send("STOP", process));
    running.wait_for_word("run: warning: rank 1 (process ");
    assert!(send("CONT", process));
    running.wait_for_word("run: warning: rank 1 goes on");
    running.signal("USR1");
    let _stopped = running.end().exits(3);
    assert_eq!(folder.read_json("run/run.json")["end"]["state"], "stopped");
}

#[test]
fn patience_that_is_none_is_refused() {
    let folder = Folder::with_vessel();
    let call = Call::mpi(2, &tool("run"), &["run.json", "--quiet"], &folder.path(""));
    call.with("HEMATITE_PATIENCE", "soon").end().fails(2, &["HEMATITE_PATIENCE=soon", "10,60"]);
}
