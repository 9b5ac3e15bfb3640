//! Ranks of an MPI world, launched as users launch them.

use std::path::PathBuf;
use std::process::{Command, Output};

/// The example, which cargo builds beside the tests.
fn selftest() -> PathBuf {
    let test = std::env::current_exe().expect("a path");
    let path = test.parent().and_then(|deps| deps.parent()).expect("target/PROFILE/deps").join("examples/selftest");
    assert!(path.exists(), "{} is missing", path.display());
    path
}

/// Runs the example on `ranks` ranks; `None` where no mpirun is installed.
fn launch(ranks: &str, arguments: &[&str]) -> Option<Output> {
    // A session folder of its own: Open MPI 4 fails when two launches make the common one at the same time.
    let session = tempfile::tempdir().expect("a folder");
    let mut mpirun = Command::new("mpirun");
    mpirun.env("TMPDIR", session.path());
    mpirun.env("OMPI_ALLOW_RUN_AS_ROOT", "1").env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
    // More ranks than cores, for Open MPI 4 and 5.
    mpirun.env("OMPI_MCA_rmaps_base_oversubscribe", "1").env("PRTE_MCA_rmaps_default_mapping_policy", ":oversubscribe");
    match mpirun.args(["-n", ranks]).arg(selftest()).args(arguments).output() {
        Ok(output) => Some(output),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound && std::env::var_os("CI").is_none() => None,
        Err(error) => panic!("mpirun: {error}"),
    }
}

#[test]
fn every_method_under_mpirun() {
    for ranks in ["1", "3"] {
        let Some(output) = launch(ranks, &[]) else { return };
        assert!(output.status.success(), "{output:?}");
        assert!(String::from_utf8_lossy(&output.stdout).contains(&format!("{ranks} ranks: all well")), "{output:?}");
    }
}

#[test]
fn one_rank_ends_all() {
    for (how, code) in [("abort", 4), ("panic", 7)] {
        let Some(output) = launch("3", &[how]) else { return };
        assert_eq!(output.status.code(), Some(code), "{how}: {output:?}");
    }
}

#[test]
fn a_world_of_one_without_a_launcher() {
    let session = tempfile::tempdir().expect("a folder");
    let output = Command::new(selftest()).env("TMPDIR", session.path()).output().expect("runs");
    assert!(output.status.success(), "{output:?}");
}
