//! `post flow` on runs: every file is there and its numbers are those of theory.

use pipeline_tests::draw::{Picture, Voxels};
use pipeline_tests::{Folder, configs, draw};
use serde_json::{Value, json};

const DX: f64 = 2e-6;
const MU: f64 = 1.2e-3;
const GRADIENT: f64 = 240e3;

fn near(value: &Value, wanted: f64, share: f64) {
    let got = value.as_f64().unwrap_or_else(|| panic!("{value} is no number"));
    assert!((got / wanted - 1.0).abs() < share, "{got} instead of {wanted}");
}

/// Expects every file that the tool says it wrote to be there and of its kind; gives the summary.
fn statistics(folder: &Folder, run: &str, config: &[&str]) -> Value {
    let flow = folder.post(&[&["flow", run], config].concat()).done();
    let written: Vec<&str> = flow.stdout.lines().filter(|line| line.contains("statistics/")).collect();
    assert!(written.len() >= 9, "{}", flow.stdout);
    for name in written {
        let content = std::fs::read(folder.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"));
        match name.rsplit('.').next() {
            Some("png") => {
                let picture = image::load_from_memory(&content).unwrap_or_else(|error| panic!("{name}: {error}"));
                let colours: std::collections::BTreeSet<[u8; 4]> =
                    picture.to_rgba8().pixels().map(|pixel| pixel.0).collect();
                assert!(colours.len() > 8, "{name} shows {} colours", colours.len());
            }
            Some("svg") => {
                let drawn = svg_checks::Drawn::of(&String::from_utf8(content).expect("text"));
                assert!(!drawn.texts.is_empty(), "{name} has no text");
                drawn.is_sound();
            }
            Some("csv") => {
                let text = String::from_utf8(content).expect("text");
                let columns = text.lines().next().map_or(0, |header| header.split(',').count());
                assert!(columns > 1 && text.lines().count() > 1, "{name}: {text}");
                assert!(text.lines().all(|line| line.split(',').count() == columns), "{name}");
                assert!(!text.contains("NaN") && !text.contains("inf"), "{name}: {text}");
            }
            Some("json") => drop(serde_json::from_slice::<Value>(&content).expect("JSON")),
            _ => panic!("{name} is of no known kind"),
        }
    }
    folder.read_json(&format!("{run}/statistics/summary.json"))
}

/// A slit of `height` between walls normal to y, which wraps along the other directions; `depth` 0 makes it 2-D.
fn slit(height: usize, depth: usize, drive: &Value, precision: &str) -> Folder {
    let folder = Folder::new();
    let geometry = if depth == 0 {
        folder.write("slit.pgm", &Picture::of(12, height, |_, _| true).pgm());
        json!({"image": "slit.pgm", "spacing": "2 um", "periodic": ["x"]})
    } else {
        folder.write("slit.mha", &Voxels::of([8, height, depth], |_| true).mha());
        json!({"voxels": {"file": "slit.mha"}, "spacing": "2 um", "periodic": ["x", "z"]})
    };
    folder.json("slit.json", &json!({"geometry": geometry}));
    let _made = folder.mkcase(&["slit.json", "--quiet"]).done();
    folder.json(
        "run.json",
        &json!({
            "case": "slit.h5",
            "fluid": {"lattice_boltzmann": {"density": "1025 kg/m3", "viscosity": "1.2 mPa s", "precision": precision, "tau": 0.9}},
            "time": {"steps": 3000},
            "drive": drive
        }),
    );
    let _done = folder.run(&["run.json", "--quiet"]).done();
    folder
}

fn meets_theory(summary: &Value, height: usize, depth: f64) {
    let dump = &summary["dumps"][0];
    let h = height as f64 * DX;
    // The sum over node centres of a parabola exceeds its integral by this share.
    let exact = GRADIENT * h.powi(3) / (12.0 * MU) * (1.0 + 0.5 / (height * height) as f64);
    let plane = dump["planes"].as_array().and_then(|planes| planes.iter().find(|plane| plane["name"] == "mid_x"));
    near(&plane.expect("a plane across x")["m3_per_s"], exact * depth, 1e-4);
    near(&dump["wall_shear_stress"]["mean_pa"], 0.5 * GRADIENT * h, 1e-3);
    // The nodes next to the middle lie half a spacing away from it.
    let fastest = GRADIENT / (2.0 * MU) * (h + DX) / 2.0 * (h - DX) / 2.0;
    near(&dump["flow"]["max_speed_m_per_s"], fastest, 1e-3);
}

#[test]
fn a_channel_under_a_body_force() {
    let drive = json!({"force": [format!("{GRADIENT} Pa/m"), "0 Pa/m"]});
    let folder = slit(10, 0, &drive, "f32");
    let summary = statistics(&folder, "run", &[]);
    meets_theory(&summary, 10, DX);
    near(&summary["dumps"][0]["planes"][0]["m2_per_s"], GRADIENT * 20e-6f64.powi(3) / (12.0 * MU) * 1.005, 1e-4);
    let defect = summary["mass_balance"]["defect_to_inside"].as_f64().expect("a share");
    assert!(defect.abs() < 1e-6, "{defect}");
}

#[test]
fn a_solid_slit_under_a_pressure_drop() {
    let drive = json!({"pressure_drop": {"axis": "x", "drop": format!("{} Pa", GRADIENT * 8.0 * DX)}});
    let folder = slit(8, 5, &drive, "f32");
    let summary = statistics(&folder, "run", &[]);
    meets_theory(&summary, 8, 5.0 * DX);
    let flow = &summary["dumps"][0]["flow"];
    let drop =
        flow["max_pressure_pa"].as_f64().expect("a number") - flow["min_pressure_pa"].as_f64().expect("a number");
    assert!((drop / (GRADIENT * 7.0 * DX) - 1.0).abs() < 1e-3, "{drop}");
    // Layers across x have the drop too.
    let layers = folder.read("run/statistics/layers_x.csv");
    let column = layers.lines().next().and_then(|header| header.split(',').position(|name| name.contains("pressure")));
    let at = column.unwrap_or_else(|| panic!("{layers}"));
    let number = |line: &str| line.split(',').nth(at).and_then(|text| text.parse::<f64>().ok()).expect("a number");
    let pressures: Vec<f64> = layers.lines().skip(1).map(number).collect();
    let across = pressures[0] - pressures[pressures.len() - 1];
    assert!((across / (GRADIENT * 7.0 * DX) - 1.0).abs() < 1e-3, "{across}: {layers}");
}

#[test]
fn a_drop_that_changes_with_time_is_left_out_of_pressures() {
    let drop = json!({"axis": "x", "drop": "20 Pa"});
    let wave = json!({"sine": {"frequency": "1 kHz", "mean": 0, "amplitude": 0}});
    for changes in [json!({"waveform": wave}), json!({"ramp": "1 s"})] {
        let mut drive = json!({"pressure_drop": drop});
        drive.as_object_mut().expect("an object").extend(changes.as_object().expect("an object").clone());
        let folder = slit(6, 0, &drive, "f32");
        let flow = folder.post(&["flow", "run"]).done();
        assert!(flow.stderr.contains("the linear part of the pressure drop"), "{}", flow.stderr);
        let summary = folder.read_json("run/statistics/summary.json");
        let most = summary["dumps"][0]["flow"]["max_pressure_pa"].as_f64().expect("a number");
        assert!(most.abs() < 1e-2, "{drive}: {most} Pa");
    }
}

#[test]
fn a_vessel_between_openings() {
    let folder = Folder::with_vessel();
    let mut run = configs::vessel_run();
    run["time"]["steps"] = json!(4000);
    run["dumps"] = json!([{"every": 4000}]);
    run["monitor"] = json!({"every": 500});
    folder.json("run.json", &run);
    let _done = folder.run(&["run.json", "--quiet"]).done();
    folder.json(
        "post.json",
        &json!({
            "planes": [{"name": "early", "axis": "x", "at": "30 um"}, {"name": "late", "axis": "x", "at": "250 um"}],
            "lines": [{"name": "across", "from": ["144 um", "0 um"], "to": ["144 um", "104 um"], "points": 53}]
        }),
    );
    let summary = statistics(&folder, "run", &["--config", "post.json"]);
    let planes = &summary["dumps"][0]["planes"];
    let early = planes[0]["m3_per_s"].as_f64().expect("a number");
    // At ragged walls the nodes of a layer carry almost, not exactly, what passes through it.
    near(&planes[1]["m3_per_s"], early, 1e-2);
    // What a steady flow carries enters and leaves through the openings.
    let rates = folder.read("run/statistics/flow_rate.csv");
    assert!(rates.contains("inlet") && rates.contains("outlet") && rates.contains("early"), "{rates}");
    let balance = &summary["mass_balance"];
    assert!(balance["relative_defect"].as_f64().is_some_and(|defect| defect.abs() < 1e-5), "{balance}");
    assert_eq!(folder.read("run/statistics/profile_across.csv").lines().count(), 54);
    folder.json("post.json", &json!({"plane": []}));
    let message = folder.post(&["flow", "run", "--config", "post.json"]).fails(2, &["post.json", "`plane`"]);
    assert!(message.contains("did you mean \"planes\"?"), "{message}");
    folder.refuses("post", &["flow", "run", "--dump", "17"], &["--dump 17", "4000"]);
    folder.refuses("post", &["flow", "nowhere"], &["nowhere"]);
}

#[test]
fn a_tube_of_voxels_on_three_ranks() {
    let folder = Folder::new();
    folder.write("tube.mha", &draw::branching_tube().mha());
    folder.json(
        "tube.json",
        &json!({
            "geometry": {"voxels": {"file": "tube.mha"}, "spacing": "5 um"},
            "openings": [
                {"name": "in", "kind": "velocity", "face": "x-"},
                {"name": "far", "kind": "pressure", "face": "x+"},
                {"name": "side", "kind": "pressure", "face": "y+"}
            ]
        }),
    );
    let _made = folder.mkcase(&["tube.json", "--quiet"]).done();
    folder.json(
        "run.json",
        &json!({
            "case": "tube.h5",
            "fluid": {"lattice_boltzmann": {"density": "1025 kg/m3", "viscosity": "1.2 mPa s", "tau": 0.8}},
            "time": {"steps": 2000},
            "openings": {"in": {"flow_rate": "0.1 uL/s"}, "far": {"pressure": "0 Pa"}, "side": {"pressure": "0 Pa"}},
            "dumps": [{"every": 1000}]
        }),
    );
    let _done = folder.run(&["run.json", "--threads", "3", "--quiet"]).done();
    let summary = statistics(&folder, "run", &[]);
    let openings = summary["mass_balance"]["openings"].as_array().expect("openings").clone();
    let rate = |name: &str| {
        let opening = openings.iter().find(|opening| opening["name"] == name).expect("an opening");
        opening["mean_m3_per_s"].as_f64().expect("a number")
    };
    assert!((rate("in") / 1e-10 - 1.0).abs() < 2e-2, "{}", rate("in"));
    assert!(rate("far") < 0.0 && rate("side") < 0.0);
    let defect = summary["mass_balance"]["relative_defect"].as_f64().expect("a share");
    assert!(defect.abs() < 1e-5, "{defect}");
    let _all = folder.post(&["flow", "run", "--dump", "all", "-o", "all"]).done();
    assert_eq!(folder.read_json("all/summary.json")["dumps"].as_array().map(Vec::len), Some(2));
}
