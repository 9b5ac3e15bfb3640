//! Helpers of these tests: calls of `post`, and runs.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::{Mutex, MutexGuard, PoisonError};

use hematite_case::{ImmersedWalls, Lattice, NodeId, Suspended};
use hematite_config::{Provenance, hash_file};
use hematite_dump::{EndRecord, EndState, Grid, RunRecord};
use hematite_geometry::{Domain, Report, Site};
use serde_json::Value;

/// Tests take turns: a process started while another thread has an HDF5 file open inherits the file and its lock.
static TURN: Mutex<()> = Mutex::new(());

/// Waits for this test's turn.
pub fn turn() -> MutexGuard<'static, ()> {
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Calls `post`.
pub fn post(arguments: &[&str]) -> Output {
    let _turn = turn();
    Command::new(env!("CARGO_BIN_EXE_post")).args(arguments).output().expect("post starts")
}

/// Checks that a call succeeded.
pub fn done(output: &Output) {
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
}

/// A path as an argument.
pub fn text(path: &Path) -> &str {
    path.to_str().expect("a plain path")
}

/// Reads a JSON file.
pub fn json_of(path: &Path) -> Value {
    serde_json::from_str(&std::fs::read_to_string(path).expect("is there")).expect("is JSON")
}

/// Checks that a number deviates by less than `share` of the wanted one.
pub fn near(value: &Value, wanted: f64, share: f64) {
    let got = value.as_f64().unwrap_or_else(|| panic!("a number, not {value}"));
    assert!((got / wanted - 1.0).abs() < share, "{got} instead of {wanted}");
}

/// The lattice of a box of sites; fluid where `fluid` is true.
pub fn lattice(extent: [usize; 3], spacing: f64, periodic: [bool; 3], fluid: impl Fn([usize; 3]) -> bool) -> Lattice {
    let [nx, ny, nz] = extent;
    let at = |i: usize| [i % nx, i / nx % ny, i / (nx * ny)];
    let site = |i: usize| if fluid(at(i)) { Site::FLUID } else { Site::WALL };
    let domain = Domain {
        dimension: if nz == 1 { 2 } else { 3 },
        extent,
        spacing,
        origin: [0.0; 3],
        periodic,
        sites: (0..nx * ny * nz).map(site).collect(),
        openings: Vec::new(),
        wall_parts: Vec::new(),
        surface: None,
        report: Report::default(),
    };
    Lattice::build(&domain).expect("a lattice")
}

/// The nodes of a lattice as the grid of a dump.
pub fn grid(lattice: &Lattice) -> Grid {
    let id = (0..lattice.nodes() as u64).map(NodeId).collect();
    let dimension = lattice.set.dimension();
    Grid { dimension, spacing: lattice.spacing, origin: [0.0; 3], id, position: lattice.position.clone() }
}

/// Writes a case of a lattice, if it does not exist, and the record of a run of it, adapted by `change`. Returns the
/// folder of the run.
pub fn run_of(lattice: &Lattice, case: &Path, run: PathBuf, change: impl Fn(&mut RunRecord)) -> PathBuf {
    std::fs::create_dir_all(&run).expect("a folder");
    let walls = ImmersedWalls::default();
    if !case.exists() {
        hematite_case::file::write(
            case,
            lattice,
            Suspended::default(),
            &walls,
            &[],
            &Provenance::default(),
            &Value::Null,
        )
        .expect("a case");
    }
    let mut record = RunRecord {
        schema: RunRecord::SCHEMA,
        config: Value::Null,
        case: case.display().to_string(),
        case_sha256: hash_file(case).expect("hashes"),
        velocity_set: if lattice.set.dimension() == 2 { "D2Q9" } else { "D3Q19" }.into(),
        nodes: lattice.nodes() as u64,
        dx: lattice.spacing,
        dt: 1e-7,
        rho0: 1000.0,
        nu: 1.2e-6,
        tau: 0.6,
        precision: "f32".into(),
        steps: Some(200),
        grown: None,
        pressure_drop: [0.0; 3],
        openings: Vec::new(),
        dumps: vec!["fields".into()],
        ranks: 1,
        devices: vec!["none".into()],
        warnings: Vec::new(),
        restarts: Vec::new(),
        end: Some(EndRecord { state: EndState::Done, step: 200, exit: 0, reason: None }),
        provenance: Provenance::default(),
    };
    change(&mut record);
    record.write(&run).expect("writes");
    run
}
