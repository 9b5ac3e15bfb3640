//! The state at each step at which it can be saved, gone on from on some number of ranks: the same bits as straight through.

use hematite_dump::Ledger;
use pipeline_tests::suspension::{Suspension, identical};
use pipeline_tests::{Folder, Random, is_full, kinds};
use serde_json::json;

/// Runs to `first`, then from each multiple of `period` to the next up to `last`, each time as a run of its own on one to four ranks.
/// In the short suite some five of them, drawn at random.
fn restarts_at_each(suspension: &Suspension, [first, period, last]: [u64; 3]) -> Folder {
    let folder = suspension.folder();
    let call = |run: &str, step: u64, more: &[&str]| {
        let _done =
            folder.run(&[&["run.json", "-o", run, "--quiet", "--steps", &step.to_string()], more].concat()).done();
    };
    call("straight", last, &[]);
    call("chain", first, &["--threads", "2"]);
    let mut random = Random::of(first);
    let mut saved = first;
    let stops = (last - first) / period;
    for step in (first + period..=last).step_by(period as usize) {
        if !is_full() && step < last && random.below(stops) >= 5 {
            continue;
        }
        let before = format!("chain/checkpoint/step-{saved:012}");
        assert!(folder.has(&before), "no {before}");
        saved = step;
        call("chain", step, &["--restart", "--threads", &(1 + random.below(4)).to_string()]);
    }
    identical(&folder, "straight", "chain");
    folder
}

/// Expects that cells or bodies came in or went out within the steps.
fn some_passed(folder: &Folder, first: u64) {
    let ledger = Ledger::read(&folder.path("straight")).expect("a ledger");
    let passed =
        |row: &hematite_dump::LedgerRow| row.cells.iter().map(|cells| cells.inserted + cells.left).sum::<u64>();
    let before = ledger.rows.iter().find(|row| row.step == first).expect("a line");
    let after = ledger.rows.last().expect("a line");
    assert!(passed(after) > passed(before), "nothing came in or went out");
}

#[test]
fn outlets_that_follow_the_flow() {
    let _folder = restarts_at_each(&kinds::outlets(), [2, 2, 50]);
}

#[test]
fn membranes_that_come_and_go() {
    some_passed(&restarts_at_each(&kinds::membranes(), [160, 16, 448]), 160);
}

#[test]
#[ignore = "make test-full"]
fn membranes_that_come_and_go_between_immersed_walls() {
    let mut suspension = kinds::membranes();
    suspension.case["walls"] = json!({"spacing": 0.75});
    suspension.run["fluid"]["lattice_boltzmann"]["walls"] = json!("immersed");
    some_passed(&restarts_at_each(&suspension, [160, 16, 448]), 160);
}

#[test]
fn cells_that_come_and_go() {
    some_passed(&restarts_at_each(&kinds::cells(), [96, 16, 288]), 96);
}

#[test]
fn bodies_that_come_and_go() {
    some_passed(&restarts_at_each(&kinds::bodies(), [190, 2, 260]), 190);
}
