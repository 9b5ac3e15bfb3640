//! `post` as users call it, on runs that hold plane Poiseuille flow between walls normal to y.

use std::path::{Path, PathBuf};

use hematite_dump::{DumpStep, Field, FieldWriter, Ledger, LedgerRow, LedgerWriter, PhaseTimes, Timing, Values};
use serde_json::Value;
use svg_checks::Drawn;

use crate::common::{done, grid, json_of, lattice, near, post, run_of, text, turn};

const DX: f64 = 2e-6;
const HEIGHT: usize = 16;
const LENGTH: usize = 24;
const GRADIENT: f64 = 500.0;
const MU: f64 = 1.2e-3;
const RHO: f64 = 1000.0;

/// Height of the channel in metres.
fn height() -> f64 {
    HEIGHT as f64 * DX
}

/// A run folder with two dumps; `factor` scales the flow of the second one.
fn run_folder(folder: &Path, name: &str, dimension: usize, ranks: usize, factor: f64) -> PathBuf {
    let _turn = turn();
    let extent = [LENGTH, HEIGHT + 2, if dimension == 3 { 6 } else { 1 }];
    let lattice = lattice(extent, DX, [true, false, dimension == 3], |[_, y, _]| (1..=HEIGHT).contains(&y));
    let case = folder.join(format!("case{dimension}.h5"));
    let run = run_of(&lattice, &case, folder.join(name), |record| {
        (record.rho0, record.nu) = (RHO, MU / RHO);
        record.pressure_drop = [GRADIENT, 0.0, 0.0];
        (record.ranks, record.devices) = (ranks, vec!["none".into(); ranks]);
    });
    let grid = grid(&lattice);
    let mut writer = FieldWriter::create(&run.join("fields.vtkhdf"), &grid, &Field::FLUID, true).expect("a dump");
    for (step, factor) in [(100, 1.0), (200, factor)] {
        writer.begin(DumpStep { step, time: 1e-7 * step as f64 }).expect("begins");
        for field in Field::FLUID {
            let values = grid.position.iter().flat_map(|p| node_values(field, p[1], factor)).collect();
            writer.write(field, &Values::F64(values)).expect("writes");
        }
        writer.end().expect("ends");
    }
    let mut ledger = LedgerWriter::create(&run, &["left".into(), "right".into()], &[], &[]).expect("a ledger");
    for i in 0..3 {
        let through = vec![3e-12 * f64::from(i), -2.5e-12 * f64::from(i)];
        let inside = 1e-9 + 0.4e-12 * f64::from(i);
        let (step, time) = (100 * i as u64, 1e-5 * f64::from(i));
        ledger.append(&LedgerRow { step, time, inside, through, ..LedgerRow::default() }).expect("writes");
    }
    assert_eq!(Ledger::read(&run).expect("reads").rows.len(), 3);
    let wall = 8.0 / ranks as f64;
    let times = vec![PhaseTimes { compute: wall, ..PhaseTimes::default() }; ranks];
    let subsystems = [("fluid".to_owned(), times)].into();
    let timing = Timing { ranks, nodes: grid.position.len() as u64, steps: 200, wall, mlups: 1.0, subsystems };
    timing.write(&run).expect("writes");
    run
}

fn node_values(field: Field, layer: i32, factor: f64) -> Vec<f64> {
    let y = (f64::from(layer) - 0.5) * DX;
    match field {
        Field::DENSITY => vec![RHO],
        Field::PRESSURE => vec![0.0],
        Field::VELOCITY => vec![factor * GRADIENT / (2.0 * MU) * y * (height() - y), 0.0, 0.0],
        _ => vec![0.0, 0.0, 0.0, factor * GRADIENT * (0.5 * height() - y), 0.0, 0.0],
    }
}

#[test]
fn flow_of_a_channel_meets_theory() {
    let folder = tempfile::tempdir().expect("a folder");
    for dimension in [2, 3] {
        let run = run_folder(folder.path(), &format!("run{dimension}"), dimension, 1, 1.0);
        let output = post(&["flow", text(&run)]);
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        done(&output);
        assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
        for line in said.lines().filter(|line| line.contains("statistics/")) {
            assert!(Path::new(line).metadata().expect("was written").len() > 0, "{line}");
        }
        let statistics = run.join("statistics");
        let summary = json_of(&statistics.join("summary.json"));
        let dump = &summary["dumps"][0];
        assert_eq!(dump["step"], 200);
        near(&dump["wall_shear_stress"]["mean_pa"], 0.5 * GRADIENT * height(), 1e-6);
        near(&dump["wall_shear_stress"]["max_pa"], 0.5 * GRADIENT * height(), 1e-6);
        near(&dump["flow"]["hydraulic_diameter_m"], 2.0 * height(), 1e-9);
        let depth = if dimension == 3 { 6.0 * DX } else { DX };
        let exact = GRADIENT * height().powi(3) / (12.0 * MU) * depth;
        near(&dump["planes"][0]["m3_per_s"], exact * (1.0 + 0.5 / (HEIGHT * HEIGHT) as f64), 1e-9);
        assert_eq!(dump["planes"][0]["m2_per_s"].is_null(), dimension == 3);
        // The total pressure falls by the gradient from the first to the last node.
        let drop = dump["flow"]["max_pressure_pa"].as_f64().expect("a number")
            - dump["flow"]["min_pressure_pa"].as_f64().expect("a number");
        assert!((drop - GRADIENT * (LENGTH - 1) as f64 * DX).abs() < 1e-12);
        let balance = json_of(&statistics.join("mass_balance.json"));
        near(&balance["in_kg"], 6e-12, 1e-9);
        near(&balance["defect_kg"], 0.2e-12, 1e-6);
        let names = ["speed", "pressure", "wall_shear_stress"];
        let planes = if dimension == 3 { "_mid_z" } else { "" };
        for end in ["png", "svg"] {
            assert!(statistics.join(format!("{}{planes}.{end}", names[0])).exists(), "{said}");
            assert!(statistics.join(format!("{}{planes}.{end}", names[1])).exists(), "{said}");
            assert!(statistics.join(format!("{}.{end}", names[2])).exists(), "{said}");
        }
    }
}

#[test]
fn config_and_dump_choose_what_is_written() {
    let folder = tempfile::tempdir().expect("a folder");
    let run = run_folder(folder.path(), "run", 2, 1, 2.0);
    let config = folder.path().join("post.json");
    std::fs::write(
        &config,
        r#"{"planes": [{"name": "cut", "axis": "x", "at": "10 um"}],
            "lines": [{"name": "across", "from": ["10 um", "0 um"], "to": ["10 um", "36 um"], "points": 37}]}"#,
    )
    .expect("writes");
    let out = folder.path().join("out");
    let output = post(&["flow", text(&run), "--config", text(&config), "--dump", "all", "-o", text(&out)]);
    done(&output);
    let profile = std::fs::read_to_string(out.join("profile_across_step000000200.csv")).expect("is there");
    assert_eq!(profile.lines().count(), 38);
    assert!(profile.starts_with("distance_m,x_m,y_m,z_m,inside,pressure_Pa,ux_m_per_s"));
    let summary = json_of(&out.join("summary.json"));
    let [first, last] = [0, 1].map(|i| summary["dumps"][i]["planes"][0]["m3_per_s"].as_f64().expect("a number"));
    assert!((last / first - 2.0).abs() < 1e-9);
    for (arguments, piece) in [(&["--dump", "150"][..], "150"), (&["--fields", "field"], "fields")] {
        let output = post(&[&["flow", text(&run)], arguments].concat());
        assert_eq!(output.status.code(), Some(2));
        assert!(String::from_utf8_lossy(&output.stderr).contains(piece));
    }
    std::fs::write(&config, r#"{"planes": [{"name": "far", "axis": "x", "at": "1 m"}]}"#).expect("writes");
    let output = post(&["flow", text(&run), "--config", text(&config)]);
    assert_eq!(output.status.code(), Some(2));
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(message.contains("post.json") && message.contains("far"), "{message}");
}

#[test]
fn a_line_outside_the_fluid_is_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let run = run_folder(folder.path(), "run", 2, 1, 1.0);
    let config = folder.path().join("post.json");
    let line = |name: &str, y: &str| serde_json::json!({"name": name, "from": ["2 um", y], "to": ["9 um", y]});
    let lines = serde_json::json!({"lines": [line("within", "9 um"), line("beyond", "90 um")]});
    std::fs::write(&config, lines.to_string()).expect("writes");
    let output = post(&["flow", text(&run), "--config", text(&config)]);
    done(&output);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.contains("line \"beyond\" lies outside the fluid") && !said.contains("within\""), "{said}");
}

#[test]
fn a_lost_case_leaves_the_rest() {
    let folder = tempfile::tempdir().expect("a folder");
    let run = run_folder(folder.path(), "run", 2, 1, 1.0);
    std::fs::remove_file(folder.path().join("case2.h5")).expect("removes");
    let output = post(&["flow", text(&run)]);
    assert_eq!(output.status.code(), Some(0));
    assert!(String::from_utf8_lossy(&output.stderr).contains("left out wall shear stress"));
    assert!(run.join("statistics/speed.png").exists());
    assert!(!run.join("statistics/wall_shear_stress.png").exists());
}

#[test]
fn figures_name_the_run_and_the_time_whatever_the_name() {
    let folder = tempfile::tempdir().expect("a folder");
    let name = "<tube> & \u{3b1}\u{4e2d}";
    let run = run_folder(folder.path(), name, 3, 1, 1.0);
    let written = |out: &str| {
        let out = folder.path().join(out);
        done(&post(&["flow", text(&run), "-o", text(&out)]));
        let files = ["speed_mid_z", "pressure_mid_z", "wall_shear_stress", "wall_pressure"]
            .map(|name| ["svg", "png"].map(|end| std::fs::read(out.join(format!("{name}.{end}"))).expect("is there")));
        files.concat()
    };
    let files = written("a");
    assert_eq!(files, written("b"), "the same bytes");
    for (svg, png) in files.iter().step_by(2).zip(files.iter().skip(1).step_by(2)) {
        let svg = std::str::from_utf8(svg).expect("text");
        let drawn = Drawn::of(svg);
        drawn.is_sound();
        let title = &drawn.texts[0].text;
        assert!(title.starts_with(&format!("{name}: ")) && title.ends_with(", t = 20 \u{b5}s"), "{title}");
        assert!(svg.contains("<desc>Software: Hematite post "));
        let size = image::load_from_memory(png).expect("a picture").to_rgb8().dimensions();
        assert_eq!([size.0, size.1].map(f64::from), drawn.size);
    }
}

#[test]
fn scaling_and_compare() {
    let folder = tempfile::tempdir().expect("a folder");
    let [one, four, other] =
        [("one", 1, 1.0), ("four", 4, 1.0), ("other", 1, 1.5)].map(|(n, r, f)| run_folder(folder.path(), n, 2, r, f));
    let out = folder.path().join("scaling");
    let output = post(&["scaling", text(&four), text(&one), "-o", text(&out)]);
    done(&output);
    assert!(String::from_utf8_lossy(&output.stdout).contains("100.0 %"));
    near(&json_of(&out.join("scaling.json"))[1]["speed_up"], 4.0, 1e-12);
    assert!(out.join("scaling.csv").exists());
    assert_eq!(post(&["compare", text(&one), text(&four)]).status.code(), Some(0));
    let output = post(&["compare", text(&one), text(&other)]);
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stdout).contains("step 200"));
    assert_eq!(post(&["compare", text(&one), text(&other), "--rtol", "0.6"]).status.code(), Some(0));
    let solid = run_folder(folder.path(), "solid", 3, 2, 1.0);
    let output = post(&["scaling", text(&one), text(&solid)]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("nodes differ"));
    for arguments in [&["compare", "nowhere", "nowhere"][..], &["flow", "nowhere"], &["scaling", "nowhere"], &["flow"]]
    {
        assert_eq!(post(arguments).status.code(), Some(2), "{arguments:?}");
    }
}

#[test]
fn the_schema_is_json() {
    let output = post(&["--schema"]);
    assert_eq!(output.status.code(), Some(0));
    let schema: Value = serde_json::from_slice(&output.stdout).expect("is JSON");
    assert!(schema["properties"]["planes"].is_object());
}
