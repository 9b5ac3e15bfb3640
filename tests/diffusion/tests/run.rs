//! The toy physics through all that a run offers: dumps, ledger, restarts on other ranks, balance, traces, benches.

use std::f64::consts::TAU;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::sync::Mutex;

use hematite_case::{ImmersedWalls, Lattice, Partition, write};
use hematite_config::Provenance;
use hematite_dump::{Checkpoint, FieldReader, Ledger, compare};
use hematite_geometry::{Domain, Report, Site};
use serde_json::{Value, json};

const SIDE: usize = 48;
const SPACING: f64 = 1e-5;
const STEPS: u64 = 240;

/// A program that starts while a file is being written would inherit its lock.
static FILES: Mutex<()> = Mutex::new(());

/// A periodic square, with a hole where `hole`.
fn case(path: &Path, hole: bool) {
    let _files = FILES.lock();
    let at = |k: usize| [k % SIDE, k / SIDE];
    let inside = |[x, y]: [usize; 2]| hole && (18..25).contains(&x) && (10..21).contains(&y);
    let sites: Vec<Site> = (0..SIDE * SIDE).map(|k| if inside(at(k)) { Site::WALL } else { Site::FLUID }).collect();
    let fluid = sites.iter().filter(|&&site| site == Site::FLUID).count();
    let domain = Domain {
        dimension: 2,
        extent: [SIDE, SIDE, 1],
        spacing: SPACING,
        origin: [0.0; 3],
        periodic: [true, true, false],
        sites,
        openings: Vec::new(),
        wall_parts: Vec::new(),
        report: Report { fluid, ..Report::default() },
    };
    let lattice = Lattice::build(&domain).expect("a lattice");
    let partition = Partition::make(&lattice, 1).expect("one part");
    let provenance = Provenance::of("test", &[]).expect("provenance");
    write(path, &lattice, &[], &ImmersedWalls::default(), &[partition], &provenance, &Value::Null).expect("a case");
}

fn run(folder: &Path, arguments: &[&str]) -> Output {
    let program = env!("CARGO_BIN_EXE_diffusion");
    let mut command = Command::new(program);
    command.current_dir(folder).arg("run.json").args(arguments).stdout(Stdio::piped()).stderr(Stdio::piped());
    let started = {
        let _files = FILES.lock();
        command.spawn().expect("starts")
    };
    let output = started.wait_with_output().expect("ends");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments:?}: {stderr}");
    output
}

fn folder(hole: bool) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    case(&folder.path().join("case.h5"), hole);
    let config = json!({
        "case": "case.h5", "diffusion": {"diffusivity": 1e-9}, "time": {"steps": STEPS}, "dumps": [{"every": 80}],
        "monitor": {"every": 40}, "checkpoint": {"every": 80}, "balance": {"every": 60, "tolerance": 0.0},
    });
    std::fs::write(folder.path().join("run.json"), config.to_string()).expect("writes");
    folder
}

/// Expects the same dumps and ledgers.
fn same(folder: &Path, other: &str) {
    let compared = compare(&folder.join("run"), &folder.join(other), None).expect("compares");
    assert!(compared.same(), "{other}: {compared}");
}

#[test]
fn a_wave_decays_as_theory_says_and_nothing_is_lost() {
    let folder = folder(false);
    run(folder.path(), &["--quiet"]);
    let reader = FieldReader::open(&folder.path().join("run/fields.vtkhdf")).expect("dumps");
    let values = reader.read(reader.steps().len() - 1, reader.fields()[0]).expect("values").to_f64();
    let (low, high) = values.iter().fold((f64::MAX, f64::MIN), |(low, high), &c| (low.min(c), high.max(c)));
    let k = TAU / (SIDE as f64 * SPACING);
    let wanted = 0.5 * (-1e-9 * k * k * reader.steps().last().expect("dumps").time).exp();
    assert!((0.5 * (high - low) / wanted - 1.0).abs() < 2e-3, "{} {wanted}", 0.5 * (high - low));
    let ledger = Ledger::read(&folder.path().join("run")).expect("a ledger");
    let sums: Vec<f64> = ledger.rows.iter().map(|row| row.values[0]).collect();
    assert!(sums.len() > 5 && sums.iter().all(|sum| (sum / sums[0] - 1.0).abs() < 1e-6), "{sums:?}");
}

#[test]
fn ranks_restarts_and_balance_leave_the_same_bits() {
    let folder = folder(true);
    let at = folder.path();
    run(at, &["--quiet"]);
    for ranks in ["2", "3", "5"] {
        run(at, &["--quiet", "--threads", ranks, "-o", ranks]);
        same(at, ranks);
    }
    run(at, &["--quiet", "--threads", "3", "-o", "cut", "--steps", "160"]);
    assert!(Checkpoint::latest(&at.join("cut")).is_some());
    run(at, &["--quiet", "--threads", "2", "-o", "cut", "--restart"]);
    same(at, "cut");
}

#[test]
fn traces_benches_checks_and_schemas_know_it() {
    let folder = folder(true);
    let at = folder.path();
    run(at, &["--quiet", "--threads", "2", "--trace", "20"]);
    let trace = std::fs::read_to_string(at.join("run/trace.json")).expect("a trace");
    assert!(trace.contains("\"diffuse\"") && trace.contains("exchange halo"));
    let bench = String::from_utf8(run(at, &["--bench", "--steps", "50"]).stdout).expect("text");
    assert!(bench.contains("diffuse") && bench.contains("MLUPS"), "{bench}");
    run(at, &["--check", "-o", "other"]);
    let schema: Value = serde_json::from_slice(&run(at, &["--schema"]).stdout).expect("JSON");
    assert!(schema["properties"]["diffusion"].is_object() && schema["properties"]["fluid"].is_null());
}
