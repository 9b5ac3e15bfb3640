//! From a surface to dumps: a bent tube with open ends as STL, on one rank and several, straight through and restarted.

use std::f64::consts::PI;

use pipeline_tests::Folder;
use serde_json::json;

/// A quarter of a torus, 14 mm around and 4 mm wide: binary STL in millimetres, whose header begins as that of a text
/// file.
fn bend() -> Vec<u8> {
    let (n, m) = (48, 48);
    let at = |i: usize, j: usize| {
        let ((sin, cos), (high, out)) =
            ((0.5 * PI * j as f64 / m as f64).sin_cos(), (2.0 * PI * i as f64 / n as f64).sin_cos());
        [(14.0 + 4.0 * out) * cos, (14.0 + 4.0 * out) * sin, -4.0 * high]
    };
    let mut bytes = b"solid bend".to_vec();
    bytes.resize(80, b' ');
    bytes.extend(((2 * n * m) as u32).to_le_bytes());
    for (i, j) in (0..m).flat_map(|j| (0..n).map(move |i| (i, j))) {
        let [a, b, c, d] = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
        for corners in [[a, b, c], [a, c, d]] {
            bytes.extend([0; 12]);
            bytes.extend(corners.iter().flatten().flat_map(|&x| (x as f32).to_le_bytes()));
            bytes.extend([0; 2]);
        }
    }
    bytes
}

fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("bend.stl", &bend());
    folder.json(
        "case.json",
        &json!({
            "geometry": {"surface": {"file": "bend.stl", "unit": "1 mm"}, "spacing": "0.5 mm"},
            "openings": [{"name": "in", "kind": "velocity", "end": 0}, {"name": "out", "kind": "pressure", "end": 1}],
            "walls": {"spacing": 0.75},
            "parts": [3]
        }),
    );
    for walls in ["interpolated", "immersed"] {
        folder.json(
            &format!("{walls}.json"),
            &json!({
                "case": "case.h5",
                "fluid": {"lattice_boltzmann": {"density": "1000 kg/m3", "viscosity": "4 mPa s", "walls": walls, "tau": 0.8}},
                "time": {"steps": 120},
                "openings": {"in": {"velocity": "2 mm/s"}, "out": {"pressure": "0 Pa"}},
                "dumps": [{"every": 60}],
                "monitor": {"every": 40}
            }),
        );
    }
    folder
}

#[test]
fn a_bent_tube_runs_alike_on_any_number_of_ranks() {
    let folder = folder();
    let checked = folder.mkcase(&["case.json", "--check", "--quiet"]).done();
    assert!(!folder.has("case.h5"));
    for piece in [
        "bend.stl: 4608 triangles, 2352 points, from (",
        ", -4.0000) to (18.000, 18.000, 4.0000)",
        "bend.stl: 1 of its lengths is 1 mm",
        "2 open rims across a vessel capped",
        "end 0 at (0.0000e0, 1.4000e-2, 0.0000e0) m, into the vessel (1.000, 0.000, 0.000)",
        "end 1 at (1.4000e-2, 0.0000e0, 0.0000e0) m, into the vessel (0.000, 1.000, 0.000)",
        "sites around the surface",
        "1 piece",
    ] {
        assert!(checked.stdout.contains(piece), "{piece} in {}", checked.stdout);
    }
    let made = folder.mkcase(&["case.json", "--quiet"]).done();
    assert!(made.stdout.contains("nodes beyond them"), "{}", made.stdout);
    let cuts = folder.hdf5("case.h5", hdf5::File::open, |file| Ok(file.dataset("walls/cuts/fraction")?.size()));
    assert!(cuts > 3000, "{cuts}");
    for walls in ["interpolated", "immersed"] {
        let config = format!("{walls}.json");
        let call = |arguments: &[&str]| folder.run(&[&[config.as_str(), "--quiet"], arguments].concat()).done();
        let (solo, three) = (format!("{walls}-solo"), format!("{walls}-three"));
        let _solo = call(&["-o", &solo]);
        let _first = call(&["-o", &three, "--threads", "3", "--steps", "60", "--checkpoint-every", "60"]);
        let _rest = call(&["-o", &three, "--threads", "2", "--restart"]);
        let compared = folder.post(&["compare", &solo, &three]).done();
        assert!(compared.stdout.starts_with("the same"), "{walls}: {}", compared.stdout);
    }
    // A case made again on one thread is the same.
    let before =
        folder.hdf5("case.h5", hdf5::File::open, |file| file.dataset("walls/cuts/fraction")?.read_raw::<f32>());
    let _again = folder.mkcase(&["case.json", "--quiet", "-o", "again.h5"]).done();
    let after =
        folder.hdf5("again.h5", hdf5::File::open, |file| file.dataset("walls/cuts/fraction")?.read_raw::<f32>());
    assert_eq!(before, after);
}

#[test]
fn surfaces_without_unit_or_with_keys_of_pictures_are_refused() {
    let folder = folder();
    let refused = |geometry: serde_json::Value, pieces: &[&str]| {
        folder.json("odd.json", &json!({"geometry": geometry}));
        let message = folder.mkcase(&["odd.json"]).fails(2, pieces);
        assert!(!folder.has("odd.h5"), "{message}");
    };
    let surface = json!({"file": "bend.stl", "unit": "1 mm"});
    refused(json!({"surface": {"file": "bend.stl"}, "spacing": "0.5 mm"}), &["\"unit\"", "18.000 mm by 18.000 mm by"]);
    refused(json!({"surface": surface}), &["needs \"spacing\""]);
    refused(json!({"surface": surface, "spacing": "1 mm", "refine": {"factor": 2}}), &["geometry.refine", "spacing"]);
    refused(json!({"surface": surface, "spacing": "1 mm", "periodic": ["x"]}), &["geometry.periodic", "openings"]);
    let ends = json!({"largest": "velocity", "others": "pressure"});
    refused(json!({"surface": surface, "spacing": "1 mm", "ends": ends}), &["geometry.ends", "into \"surface\""]);
    refused(json!({"surface": surface, "spacing": "1 mm", "specks": {"fluid": 9}}), &["geometry.specks", "\"keep\""]);
    refused(json!({"surface": surface, "spacing": "1 mm", "image": "a.png"}), &["geometry.image", "one source"]);
    refused(json!({"surface": surface, "spacing": "9 um", "colour": 1}), &["colour"]);
    refused(
        json!({"surface": {"file": "gone.stl", "unit": "1 mm"}, "spacing": "1 mm"}),
        &["gone.stl", "cannot be read"],
    );
    folder.write("cut.stl", &bend()[..9999]);
    refused(json!({"surface": {"file": "cut.stl", "unit": "1 mm"}, "spacing": "1 mm"}), &["cut.stl", "cut short"]);
}

/// A real aorta that ends ragged and in two iliac arteries, where the checkout has it beside it.
#[test]
fn an_aorta_flows() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/geoms/aorta.stl");
    if !path.exists() {
        println!("passed over: {} is not here", path.display());
        return;
    }
    let folder = Folder::new();
    folder.json(
        "case.json",
        &json!({
            "geometry": {
                "surface": {"file": path, "unit": "1 mm", "ends": {"largest": "velocity", "others": "pressure"}},
                "spacing": "1 mm"
            }
        }),
    );
    let made = folder.mkcase(&["case.json", "--quiet"]).done();
    for piece in ["12932 triangles", "1 shell looked inwards: turned", "volume 13184", "ends       end 2", "1 piece"] {
        assert!(made.stdout.contains(piece), "{piece} in {}", made.stdout);
    }
    folder.json(
        "run.json",
        &json!({
            "case": "case.h5",
            "fluid": {"lattice_boltzmann": {"density": "1060 kg/m3", "viscosity": "40 mPa s", "walls": "interpolated", "tau": 0.8}},
            "time": {"steps": 300},
            "openings": {
                "end-0": {"velocity": "0.01 m/s", "ramp": "0.1 s"}, "end-1": {"pressure": "0 Pa"}, "end-2": {"pressure": "0 Pa"}
            }
        }),
    );
    let _done = folder.run(&["run.json", "--threads", "2", "--quiet"]).done();
    let _printed = folder.post(&["flow", "run"]).done();
    let flow = &folder.read_json("run/statistics/summary.json")["dumps"][0]["flow"];
    assert_eq!(flow["not_finite"], 0, "{flow}");
    assert!(flow["max_speed_m_per_s"].as_f64().is_some_and(|speed| speed > 1e-4), "{flow}");
}
