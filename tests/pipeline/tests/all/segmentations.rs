//! From a segmentation to dumps: a tilted tube of voxels that are no cubes, stored along other axes than the
//! patient's, whose ends are found; on one rank and several, straight through and restarted.

use pipeline_tests::Folder;
use serde_json::{Value, json};

/// Voxels along the patient's axes and their edges, mm.
const SHAPE: [usize; 3] = [40, 36, 16];
const EDGES: [f64; 3] = [0.5, 0.5, 1.0];

/// A tube 7 mm wide through the middle of the volume, 1 in it and 0 beside it.
fn tube(place: [f64; 3]) -> u8 {
    let along = [0.8, 0.0, 0.6];
    let away = [place[0] - 10.0, place[1] - 9.0, place[2] - 8.0];
    let rise: f64 = (0..3).map(|k| away[k] * along[k]).sum();
    u8::from(away.iter().map(|x| x * x).sum::<f64>() - rise * rise < 3.5 * 3.5)
}

/// The tube as NIfTI with an affine transformation: rows run from head to foot, columns from back to front, slices
/// from right to left. NIfTI's x and y go to the right and to the front.
fn nifti(units: u8) -> Vec<u8> {
    let [nx, ny, nz] = SHAPE;
    let mut header = vec![0_u8; 352];
    let mut put = |at: usize, bytes: &[u8]| header[at..at + bytes.len()].copy_from_slice(bytes);
    put(0, &348_i32.to_le_bytes());
    for (i, n) in [3, nz, ny, nx].into_iter().enumerate() {
        put(40 + 2 * i, &(n as i16).to_le_bytes());
    }
    put(70, &2_i16.to_le_bytes());
    put(72, &8_i16.to_le_bytes());
    for (i, step) in [1.0, EDGES[2], EDGES[1], EDGES[0]].into_iter().enumerate() {
        put(76 + 4 * i, &(step as f32).to_le_bytes());
    }
    put(108, &352_f32.to_le_bytes());
    put(123, &[units]);
    put(254, &1_i16.to_le_bytes());
    let rows = [[0.0, 0.0, -EDGES[0], 3.0], [0.0, EDGES[1], 0.0, 5.0], [-EDGES[2], 0.0, 0.0, 7.0]];
    for (i, number) in rows.iter().flatten().enumerate() {
        put(280 + 4 * i, &(*number as f32).to_le_bytes());
    }
    put(344, b"n+1\0");
    // Stored x goes down the patient's z, stored y down y, stored z up x.
    let value = |i: usize| {
        let [z, y, x] = [nz - 1 - i % nz, ny - 1 - i / nz % ny, i / (nz * ny)];
        tube([0, 1, 2].map(|k| ([x, y, z][k] as f64 + 0.5) * EDGES[k]))
    };
    header.extend((0..nx * ny * nz).map(value));
    header
}

fn case() -> Value {
    json!({
        "geometry": {
            "voxels": {"file": "tube.nii"}, "spacing": "0.5 mm", "specks": {"fluid": 20, "wall": 20},
            "ends": {"largest": "velocity", "others": "pressure"}
        },
        "parts": [3]
    })
}

#[test]
fn a_segmented_tube_runs_alike_on_any_number_of_ranks() {
    let folder = Folder::new();
    folder.write("tube.nii", &nifti(2));
    folder.json("case.json", &case());
    let checked = folder.mkcase(&["case.json", "--check", "--quiet"]).done();
    assert!(!folder.has("case.h5"));
    for piece in [
        "40 x 36 x 16 voxels",
        "x is stored axis 2, y is stored axis 1 backwards, z is stored axis 0 backwards",
        "voxels are 0.5 x 0.5 x 1 mm by the header",
        "resampled from voxels of 0.5 x 0.5 x 1 mm to the spacing 0.5 mm: 40 x 36 x 32 sites",
        "0 specks of fluid",
        "ends       end 0 at (",
        "ends       end 1 at (",
        "end-0  velocity",
        "end-1  pressure",
        "1 piece",
    ] {
        assert!(checked.stdout.contains(piece), "{piece} in {}", checked.stdout);
    }
    let _made = folder.mkcase(&["case.json", "--quiet"]).done();
    folder.json(
        "run.json",
        &json!({
            "case": "case.h5",
            "fluid": {"lattice_boltzmann": {"density": "1000 kg/m3", "viscosity": "4 mPa s", "tau": 0.8}},
            "time": {"steps": 120},
            "openings": {"end-0": {"velocity": "2 mm/s"}, "end-1": {"pressure": "0 Pa"}},
            "dumps": [{"every": 60}],
            "monitor": {"every": 40}
        }),
    );
    let call = |arguments: &[&str]| folder.run(&[&["run.json", "--quiet"], arguments].concat()).done();
    let _solo = call(&["-o", "solo"]);
    let _first = call(&["-o", "three", "--threads", "3", "--steps", "60", "--checkpoint-every", "60"]);
    let _rest = call(&["-o", "three", "--threads", "2", "--restart"]);
    let compared = folder.post(&["compare", "solo", "three"]).done();
    assert!(compared.stdout.starts_with("the same"), "{}", compared.stdout);
}

#[test]
fn what_smoothing_makes_of_thin_vessels_is_told() {
    let folder = Folder::new();
    // A vessel one, two and eight voxels wide.
    let told = |width: usize| {
        let is_in = |i: usize| [i % 16, i / 16 % 16].iter().all(|k| (4..4 + width).contains(k));
        folder.write("thin.raw", &(0..16 * 16 * 24).map(|i| u8::from(is_in(i))).collect::<Vec<_>>());
        let voxels =
            json!({"file": "thin.raw", "shape": [16, 16, 24], "type": "u8", "edges": ["1 mm", "1 mm", "1 mm"]});
        let ends = json!({"largest": "velocity", "others": "pressure"});
        folder.json("thin.json", &json!({"geometry": {"voxels": voxels, "spacing": "0.4 mm", "ends": ends}}));
        folder.mkcase(&["thin.json", "--check", "--quiet"]).done().stdout
    };
    let share = |text: &str| -> f64 {
        let line = text.lines().find(|line| line.starts_with("resampled")).expect("a line");
        let share = line.split(" of fluid, ").nth(1).and_then(|rest| rest.split(' ').next()).expect("a share");
        share.parse().expect("a number")
    };
    let [one, two, eight] = [1, 2, 8].map(told);
    assert!(one.contains("smaller than its voxels") && share(&one) > 20.0, "{one}");
    assert!(two.contains("voxels across lose area"), "{two}");
    assert!(!eight.contains("lose area") && share(&eight) < 5.0, "{eight}");
}

#[test]
fn segmentations_that_tell_too_little_are_refused() {
    let folder = Folder::new();
    folder.write("tube.nii", &nifti(0));
    let refused = |change: &dyn Fn(&mut Value), pieces: &[&str]| {
        let mut config = case();
        change(&mut config);
        folder.json("case.json", &config);
        folder.refuses("mkcase", &["case.json", "--quiet"], pieces);
        folder.refuses("mkcase", &["case.json", "--quiet", "--check"], pieces);
    };
    refused(&|_| (), &["0.5 x 0.5 x 1", "\"header_unit\""]);
    let with_unit = |config: &mut Value| config["geometry"]["voxels"]["header_unit"] = json!("1 mm");
    refused(
        &|config| {
            with_unit(config);
            config["geometry"].as_object_mut().expect("an object").remove("spacing");
        },
        &["0.5 x 0.5 x 1 mm", "\"spacing\""],
    );
    refused(
        &|config| {
            with_unit(config);
            config["geometry"]["specks"]["fluid"] = json!(1);
        },
        &["geometry.specks.fluid"],
    );
    refused(
        &|config| {
            with_unit(config);
            config["geometry"]["ends"]["narrower_than"] = json!("1 m");
        },
        &["geometry.ends", "narrower_than"],
    );
    refused(
        &|config| {
            with_unit(config);
            config["openings"] = json!([{"name": "in", "kind": "velocity", "end": 1}]);
        },
        &["end 1", "end-1", "each its own"],
    );
    refused(
        &|config| {
            with_unit(config);
            config["geometry"]["voxels"]["order"] = json!("xyz");
        },
        &["tube.nii", "\"order\""],
    );
}
