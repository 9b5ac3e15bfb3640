//! Signals stop runs of all kinds within some steps, whatever their cadences, and leave no trace once they have gone on.

use pipeline_tests::suspension::{Suspension, identical};
use pipeline_tests::{Folder, kinds};

/// Stops the run by TERM again and again, goes on with other numbers of ranks, and expects what comes of it without stops.
fn stops_leave_no_trace(suspension: &Suspension) {
    let folder = suspension.folder();
    let _straight = folder.run(&["run.json", "-o", "straight", "--quiet"]).done();
    let steps = folder.read_json("straight/run.json")["steps"].as_u64().expect("a number");
    let mut stops = Vec::new();
    for threads in ["1", "2", "3"].iter().cycle() {
        let before = lines(&folder);
        let arguments = ["run.json", "-o", "stopped", "--restart", "--quiet", "--threads", threads];
        let mut running = folder.call("run", &arguments).start();
        running.wait_for(|| lines(&folder) > before + 50);
        if running.goes_on() {
            running.signal("TERM");
        }
        let ended = running.end();
        if ended.code == Some(0) {
            break;
        }
        let _stopped = ended.exits(3);
        stops.push(folder.read_json("stopped/run.json")["end"]["step"].as_u64().expect("a number"));
        assert!(stops.len() < 50, "never gets to its end");
    }
    assert!(stops.len() >= 2 && stops.iter().all(|&step| step < steps), "stopped at {stops:?} only");
    identical(&folder, "straight", "stopped");
}

/// Lines of the ledger so far.
fn lines(folder: &Folder) -> usize {
    std::fs::read_to_string(folder.path("stopped/ledger.csv")).unwrap_or_default().lines().count()
}

#[test]
fn outlets_that_follow_the_flow() {
    stops_leave_no_trace(&kinds::outlets());
}

#[test]
fn membranes_that_come_and_go() {
    stops_leave_no_trace(&kinds::membranes());
}

#[test]
fn cells_that_come_and_go() {
    stops_leave_no_trace(&kinds::cells());
}

#[test]
#[ignore = "make test-full"]
fn bodies_that_come_and_go() {
    stops_leave_no_trace(&kinds::bodies());
}
