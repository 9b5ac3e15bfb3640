//! The first steps of the endurance runs, in two calls of which the second goes on with what the first left.

use std::path::Path;
use std::process::Command;

fn endurance(folder: &Path, steps: u64) -> String {
    let steps = steps.to_string();
    let done = Command::new(env!("CARGO_BIN_EXE_endurance"))
        .args(["--only", "bent-tube-0.30-5,aneurysm", "--skip", "standard,large", "--steps", &steps, "--output"])
        .arg(folder)
        .output()
        .expect("endurance starts");
    let (table, errors) = (String::from_utf8_lossy(&done.stdout), String::from_utf8_lossy(&done.stderr));
    assert!(done.status.success(), "{table}{errors}");
    table.into_owned()
}

#[test]
fn runs_begin_and_go_on() {
    let folder = tempfile::tempdir().expect("a folder");
    for steps in [48, 96] {
        let table = endurance(folder.path(), steps);
        let done = |line: &&str| line.contains(&format!("| {steps} |")) && line.ends_with("| done |");
        assert_eq!(table.lines().filter(done).count(), 2, "{table}");
    }
}
