//! Ranks of an MPI world, launched as users launch them.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
use std::process::{Command, Output};

/// The path of the example, which cargo builds beside the tests.
fn selftest() -> PathBuf {
    let test = std::env::current_exe().expect("a path");
    let path = test.parent().and_then(|deps| deps.parent()).expect("target/PROFILE/deps").join("examples/selftest");
    assert!(path.exists(), "{} is missing", path.display());
    path
}

/// Runs mpirun with `arguments`; `None` where no mpirun is installed.
fn mpirun<A: AsRef<OsStr>>(arguments: impl IntoIterator<Item = A>) -> Option<Output> {
    // Each launch has its own session folder: Open MPI 4 fails when two launches make the common one at the same time.
    let session = tempfile::tempdir().expect("a folder");
    let mut mpirun = Command::new("mpirun");
    mpirun.env("TMPDIR", session.path());
    mpirun.env("OMPI_ALLOW_RUN_AS_ROOT", "1").env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
    // Allows more ranks than cores, in Open MPI 4 and 5.
    mpirun.env("OMPI_MCA_rmaps_base_oversubscribe", "1").env("PRTE_MCA_rmaps_default_mapping_policy", ":oversubscribe");
    match mpirun.args(arguments).output() {
        Ok(output) => Some(output),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound && std::env::var_os("CI").is_none() => None,
        Err(error) => panic!("mpirun: {error}"),
    }
}

/// Runs the example on `ranks` ranks.
fn launch(ranks: &str, arguments: &[&str]) -> Option<Output> {
    let own = [OsStr::new("-n"), OsStr::new(ranks), selftest().as_os_str()].map(OsStr::to_owned);
    mpirun(own.into_iter().chain(arguments.iter().map(OsString::from)))
}

/// For each rank the number of other ranks with which it shares memory, in ascending order.
#[cfg(target_os = "linux")]
fn neighbours(output: &Output) -> Vec<usize> {
    let text = String::from_utf8_lossy(&output.stdout);
    let mut counts: Vec<usize> = text
        .lines()
        .filter_map(|line| line.strip_prefix("shares memory with "))
        .map(|count| count.parse().expect("a number"))
        .collect();
    counts.sort_unstable();
    counts
}

#[test]
fn every_method_under_mpirun() {
    for ranks in ["1", "3", "4"] {
        let Some(output) = launch(ranks, &[]) else { return };
        assert!(output.status.success(), "{output:?}");
        assert!(String::from_utf8_lossy(&output.stdout).contains(&format!("{ranks} ranks: all well")), "{output:?}");
        #[cfg(target_os = "linux")]
        {
            let ranks: usize = ranks.parse().expect("a number");
            assert_eq!(neighbours(&output), vec![ranks - 1; ranks], "{output:?}");
        }
    }
}

/// Ranks without shared memory send through MPI, and the others are not affected.
#[cfg(target_os = "linux")]
#[test]
fn ranks_that_get_no_memory_to_share() {
    let limited = ["-n", "1", "bash", "-c", "ulimit -f 100000; exec $0"];
    let (program, free) = (selftest(), ["-n", "2"]);
    let arguments = free.iter().map(OsStr::new).chain([program.as_os_str(), OsStr::new(":")]);
    let Some(output) = mpirun(arguments.chain(limited.iter().map(OsStr::new)).chain([program.as_os_str()])) else {
        return;
    };
    assert!(output.status.success(), "{output:?}");
    assert!(String::from_utf8_lossy(&output.stdout).contains("3 ranks: all well"), "{output:?}");
    assert_eq!(neighbours(&output), [0, 1, 1], "{output:?}");
}

#[test]
fn one_rank_ends_all() {
    for (how, code) in [("abort", 4), ("panic", 7), ("abort-in-place", 4), ("alone", 4)] {
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
