//! Real vessels, where the checkout has them beside it; passed over with a note elsewhere.

use std::path::{Path, PathBuf};

use pipeline_tests::Folder;
use serde_json::{Value, json};

fn real(name: &str) -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/geoms").join(name);
    if path.exists() {
        return Some(path);
    }
    println!("passed over: {} is not here", path.display());
    None
}

/// Makes the case and runs it on two ranks; gives the summary of its flow.
fn flow(case: &Value, openings: &Value, steps: u64, pieces: &[&str]) -> Value {
    let folder = Folder::new();
    folder.json("case.json", case);
    let made = folder.mkcase(&["case.json", "--quiet"]).done();
    for piece in [&["1 piece"], pieces].concat() {
        assert!(made.stdout.contains(piece), "{piece} in {}", made.stdout);
    }
    println!("{}", made.stdout);
    folder.json(
        "run.json",
        &json!({
            "case": "case.h5",
            "fluid": {"lattice_boltzmann": {"density": "1025 kg/m3", "viscosity": "1.2 mPa s", "tau": 0.8}},
            "time": {"steps": steps},
            "openings": openings
        }),
    );
    let _done = folder.run(&["run.json", "--threads", "2", "--quiet"]).done();
    let printed = folder.post(&["flow", "run"]).done();
    println!("{}", printed.stdout);
    folder.read_json("run/statistics/summary.json")
}

fn is_sane(summary: &Value) {
    let flow = &summary["dumps"][0]["flow"];
    assert_eq!(flow["not_finite"], 0, "{flow}");
    assert!(flow["max_speed_m_per_s"].as_f64().is_some_and(|speed| speed > 1e-4), "{flow}");
    let defect = &summary["mass_balance"]["relative_defect"];
    assert!(defect.as_f64().is_some_and(|defect| defect.abs() < 1e-5), "{defect}");
}

#[test]
fn a_piece_of_a_retina() {
    let Some(image) = real("retina-a.ppm") else { return };
    let case = json!({
        "geometry": {
            "image": image, "spacing": "4 um", "crop": {"min": [380, 270], "max": [540, 450]},
            "refine": {"factor": 2, "smooth": true}
        },
        "openings": [
            {"name": "artery", "kind": "velocity", "face": "x-",
             "within": {"min": ["1.5 mm", "1.645 mm"], "max": ["2 mm", "1.7 mm"]}},
            {"name": "east", "kind": "pressure", "face": "x+"},
            {"name": "north", "kind": "pressure", "face": "y+"},
            {"name": "south", "kind": "pressure", "face": "y-",
             "within": {"min": ["1.68 mm", "1 mm"], "max": ["2.2 mm", "1.5 mm"]}}
        ],
        "parts": [2]
    });
    let zero = json!({"pressure": "0 Pa"});
    let openings =
        json!({"artery": {"velocity": "5 mm/s", "ramp": "0.1 ms"}, "east": zero, "north": zero, "south": zero});
    is_sane(&flow(&case, &openings, 1000, &["D2Q9", "removed"]));
}

#[test]
fn a_vase() {
    let Some(file) = real("vase.vti") else { return };
    let case = json!({
        "geometry": {
            "voxels": {"file": file}, "spacing": "0.1 mm", "crop": {"min": [30, 15, 10], "max": [86, 86, 66]},
            "rules": [{"above": 100, "is": "wall"}, {"any": true, "is": "fluid"}]
        },
        "openings": [
            {"name": "mouth", "kind": "velocity", "face": "y-",
             "within": {"min": ["4.5 mm", "0 mm", "2.5 mm"], "max": ["7.0 mm", "9 mm", "4.9 mm"]}},
            {"name": "foot", "kind": "pressure", "face": "y+",
             "within": {"min": ["5.1 mm", "0 mm", "3.1 mm"], "max": ["6.5 mm", "9 mm", "4.4 mm"]}}
        ],
        "parts": [2]
    });
    let openings = json!({"mouth": {"velocity": "1 mm/s"}, "foot": {"pressure": "0 Pa"}});
    is_sane(&flow(&case, &openings, 300, &["D3Q19"]));
}
