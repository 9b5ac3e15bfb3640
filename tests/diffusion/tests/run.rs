//! The toy physics through all that a run offers: dumps, ledger, restarts on other ranks, balance, traces, benches.

use std::f64::consts::TAU;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use hematite_case::{ImmersedWalls, Lattice, Partition, Suspended, write};
use hematite_config::Provenance;
use hematite_dump::{Checkpoint, FieldReader, Ledger, compare};
use hematite_geometry::{Domain, Report, Site};
use serde_json::{Value, json};

const SIDE: usize = 48;
const SPACING: f64 = 1e-5;
const STEPS: u64 = 240;
/// Diffusivity where the scalar is 0, m2/s, and its growth with the scalar.
const D: f64 = 1e-9;
const SLOPE: f64 = 4.0;

/// A periodic square, with a hole where `hole`.
fn case(path: &Path, hole: bool) {
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
        surface: None,
        report: Report { fluid, ..Report::default() },
    };
    let lattice = Lattice::build(&domain).expect("a lattice");
    let partition = Partition::make(&lattice, 1).expect("one part");
    let provenance = Provenance::of("test", &[]).expect("provenance");
    let (suspended, walls) = (Suspended::default(), ImmersedWalls::default());
    turns::alone(|| write(path, &lattice, suspended, &walls, &[partition], &provenance, &Value::Null)).expect("a case");
}

fn run(folder: &Path, arguments: &[&str]) -> Output {
    let program = env!("CARGO_BIN_EXE_diffusion");
    let mut command = Command::new(program);
    command.current_dir(folder).arg("run.json").args(arguments).stdout(Stdio::piped()).stderr(Stdio::piped());
    let started = turns::starting(|| command.spawn()).expect("starts");
    let output = started.wait_with_output().expect("ends");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments:?}: {stderr}");
    output
}

fn folder(hole: bool) -> tempfile::TempDir {
    folder_with(
        hole,
        &json!({
            "case": "case.h5", "diffusion": {"diffusivity": D}, "time": {"steps": STEPS}, "dumps": [{"every": 80}],
            "monitor": {"every": 40}, "checkpoint": {"every": 80}, "balance": {"every": 60, "tolerance": 0.0},
        }),
    )
}

fn folder_with(hole: bool, config: &Value) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    case(&folder.path().join("case.h5"), hole);
    std::fs::write(folder.path().join("run.json"), config.to_string()).expect("writes");
    folder
}

/// A run whose steps become longer as the scalar's peak goes down, with all that is due in time.
fn adaptive() -> Value {
    json!({
        "case": "case.h5", "diffusion": {"diffusivity": D, "slope": SLOPE}, "time": {"duration": "1 s"},
        "dumps": [{"every": "0.1 s", "at": ["0.0312 s", 5]}], "monitor": {"every": "30 ms"},
        "checkpoint": {"every": "0.11 s"}, "balance": {"every": "70 ms", "tolerance": 0.0},
    })
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
    let wanted = 0.5 * (-D * k * k * reader.steps().last().expect("dumps").time).exp();
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

/// The scalar along x at time `end`, by steps of a tenth of what is stable, in double precision.
fn integrated(end: f64) -> Vec<f64> {
    let start = |x: usize| 1.0 + 0.5 * (TAU * x as f64 / SIDE as f64).cos();
    let mut c: Vec<f64> = (0..SIDE).map(start).collect();
    let steps = (end / (0.05 * SPACING * SPACING / (D * (1.0 + 1.5 * SLOPE)))).ceil();
    let k = D * end / steps / (SPACING * SPACING);
    for _ in 0..steps as usize {
        let flux = |x: usize| {
            let (here, next) = (c[x], c[(x + 1) % SIDE]);
            (1.0 + 0.5 * SLOPE * (here + next)) * (next - here)
        };
        c = (0..SIDE).map(|x| c[x] + k * (flux(x) - flux((x + SIDE - 1) % SIDE))).collect();
    }
    c
}

#[test]
fn steps_adapt_to_the_state_and_all_is_due_in_time() {
    let folder = folder_with(false, &adaptive());
    run(folder.path(), &["--quiet"]);
    let at = folder.path().join("run");
    let reader = FieldReader::open(&at.join("fields.vtkhdf")).expect("dumps");
    let dumps = reader.steps();
    let wanted = [None, Some(0.0312), Some(0.1), Some(0.2), Some(0.3), Some(0.4), Some(0.5), Some(0.6), Some(0.7)];
    assert_eq!(dumps.len(), wanted.len() + 3, "{dumps:?}");
    assert_eq!(dumps[0].step, 5);
    // From 0.4 / 4 of the time that diffusion takes for a spacing at the highest value to that at the mean.
    let [short, long] = [1.5, 1.0].map(|c| 0.1 * SPACING * SPACING / (D * (1.0 + SLOPE * c)));
    for (dump, wanted) in dumps.iter().zip(wanted).filter_map(|(dump, wanted)| Some((dump, wanted?))) {
        assert!((wanted..wanted + long).contains(&dump.time), "{dump:?}, not {wanted}");
    }
    let end = dumps.last().expect("dumps");
    let mean = end.time / end.step as f64;
    assert!((1.0..1.0 + long).contains(&end.time) && 1.02 * short < mean && mean < 0.98 * long, "{end:?}: {mean}");
    let values = reader.read(dumps.len() - 1, reader.fields()[0]).expect("values").to_f64();
    for (x, wanted) in integrated(end.time).into_iter().enumerate() {
        assert!((values[x] - wanted).abs() < 2e-4, "{x}: {}, not {wanted}", values[x]);
    }
    let ledger = Ledger::read(&at).expect("a ledger");
    let times: Vec<f64> = ledger.rows.iter().map(|row| row.time).collect();
    assert_eq!(times.len(), 1 + 33 + 1, "{times:?}");
    assert!((1..34).all(|k| (0.03 * k as f64..0.03 * k as f64 + long).contains(&times[k])), "{times:?}");
    assert!(ledger.rows.iter().all(|row| (row.values[0] / ledger.rows[0].values[0] - 1.0).abs() < 1e-6));
}

#[test]
fn adaptive_steps_leave_the_same_bits_on_all_ranks_and_over_restarts() {
    let folder = folder_with(true, &adaptive());
    let at = folder.path();
    run(at, &["--quiet"]);
    for ranks in ["3", "5"] {
        run(at, &["--quiet", "--threads", ranks, "-o", ranks]);
        same(at, ranks);
    }
    // Cut off anywhere, also where steps are renewed.
    for (ranks, steps) in [("3", "160"), ("1", "161")] {
        let name = format!("cut-{steps}");
        run(at, &["--quiet", "--threads", ranks, "-o", &name, "--steps", steps]);
        run(at, &["--quiet", "--threads", "2", "-o", &name, "--restart"]);
        same(at, &name);
    }
    let mut capped = adaptive();
    capped["time"] = json!({"duration": "0.1 s", "step": "1 ms"});
    std::fs::write(at.join("run.json"), capped.to_string()).expect("writes");
    run(at, &["--quiet", "-o", "capped", "--steps", "100"]);
    let end = Ledger::read(&at.join("capped")).expect("a ledger").rows.last().map(|row| (row.step, row.time));
    assert!(end.is_some_and(|(step, time)| step == 100 && (time - 0.1).abs() < 1e-12), "{end:?}");
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

#[test]
fn two_physics_cannot_both_fix_the_nodes() {
    let folder = folder(false);
    let mut command = Command::new(env!("CARGO_BIN_EXE_twice"));
    command.current_dir(folder.path()).arg("run.json").stdout(Stdio::piped()).stderr(Stdio::piped());
    let output = turns::starting(|| command.spawn()).expect("starts").wait_with_output().expect("ends");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{stderr}");
    assert!(stderr.contains("two physics that each fix the time step and the nodes"), "{stderr}");
}
