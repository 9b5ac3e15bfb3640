//! Force on named parts of the wall: the same bits on any number of ranks and through restarts, tables of `post`, and what is refused.

use pipeline_tests::Folder;
use serde_json::{Value, json};

/// A channel with a block of 8 by 6 pixels, whose lower wall is a part by its colour.
fn folder() -> Folder {
    let folder = Folder::new();
    let (width, height) = (60, 30);
    let mut pixels = Vec::new();
    for row in 0..height {
        for x in 0..width {
            // Rows run downwards.
            let y = height - 1 - row;
            let block = (18..26).contains(&x) && (11..17).contains(&y);
            pixels.push(if y < 2 {
                77
            } else if block || y == height - 1 {
                0_u8
            } else {
                255
            });
        }
    }
    folder.write("channel.pgm", &[format!("P5 {width} {height} 255\n").as_bytes(), &pixels].concat());
    folder.json("case.json", &case());
    folder.json("run.json", &run());
    folder
}

fn case() -> Value {
    json!({
        "geometry": {
            "image": "channel.pgm", "spacing": "10 um",
            "rules": [{"equals": 0, "is": "wall"}, {"equals": 77, "is": "floor"}, {"any": true, "is": "fluid"}]
        },
        "openings": [
            {"name": "inlet", "kind": "velocity", "face": "x-"},
            {"name": "outlet", "kind": "pressure", "face": "x+"}
        ],
        "wall_parts": [
            {"name": "block", "box": {"min": ["150 um", "90 um"], "max": ["290 um", "190 um"]}},
            {"name": "floor", "label": "floor"}
        ],
        "parts": [3]
    })
}

fn run() -> Value {
    json!({
        "case": "case.h5",
        "fluid": {"lattice_boltzmann": {"density": "1000 kg/m3", "viscosity": "1 mPa s", "walls": "interpolated", "tau": 0.8}},
        "time": {"steps": 300},
        "openings": {"inlet": {"velocity": "20 mm/s", "ramp": "0.2 ms"}, "outlet": {"pressure": "0 Pa"}},
        "forces": {"block": {"about": ["220 um", "140 um"]}, "floor": {}, "walls": {}},
        "monitor": {"every": 25},
        "dumps": [{"every": 150}]
    })
}

/// The numbers of a column of the ledger.
fn column(ledger: &str, name: &str) -> Vec<f64> {
    let mut lines = ledger.lines();
    let place = lines.next().and_then(|header| header.split(',').position(|column| column == name));
    let place = place.unwrap_or_else(|| panic!("{name} in {ledger}"));
    lines.map(|line| line.split(',').nth(place).and_then(|text| text.parse().ok()).expect("a number")).collect()
}

#[test]
fn forces_stay_the_same_and_reach_tables() {
    let folder = folder();
    let made = folder.mkcase(&["case.json"]).done();
    assert!(made.stdout.contains("block") && made.stdout.contains("floor"), "{}", made.stdout);
    let call = |arguments: &[&str]| folder.run(&[&["run.json", "--quiet"], arguments].concat()).done();
    let _solo = call(&["-o", "solo"]);
    let _first = call(&["-o", "three", "--threads", "3", "--steps", "150", "--checkpoint-every", "150"]);
    let _rest = call(&["-o", "three", "--threads", "2", "--restart"]);
    let compared = folder.post(&["compare", "solo", "three"]).done();
    assert!(compared.stdout.starts_with("the same"), "{}", compared.stdout);

    let ledger = folder.read("solo/ledger.csv");
    assert_eq!(ledger, folder.read("three/ledger.csv"));
    let last = |name: &str| *column(&ledger, name).last().expect("a line");
    let [block, floor, all] = ["block", "floor", "walls"].map(|part| last(&format!("force_x_N_per_m:{part}")));
    assert!(block > 0.0 && floor > 0.0 && all > block + floor, "{block} {floor} {all}");
    assert_eq!(column(&ledger, "force_x_N_per_m:block")[0], 0.0, "before the first step");
    let log = folder.read("solo/log.jsonl");
    assert!(log.contains("torque_about_m") && log.contains("0.00014"), "{log}");

    folder.json("post.json", &json!({"forces": {"drag": [-1, 0]}}));
    let told = folder.post(&["flow", "solo", "--config", "post.json"]).done();
    assert!(told.stdout.contains("force on block") && told.stdout.contains("pressure at walls"), "{}", told.stdout);
    let table = folder.read("solo/statistics/forces.csv");
    let drag = column(&table, "drag_N_per_m");
    assert_eq!(drag.len(), 36, "three parts at twelve lines");
    assert!((drag[11] + block).abs() <= 1e-12 * block, "{} and {block}", drag[11]);
    let summary = folder.read_json("solo/statistics/summary.json");
    assert_eq!(summary["forces"]["parts"][0]["part"], "block");
    assert!(summary["dumps"][0]["wall_pressure"]["max_pa"].as_f64() > Some(0.0), "{summary}");
    for file in ["forces.png", "wall_pressure.csv", "wall_pressure.json", "wall_pressure.png"] {
        assert!(folder.path(&format!("solo/statistics/{file}")).exists(), "{file}");
    }

    let mut run = run();
    run.as_object_mut().expect("an object").remove("forces");
    folder.json("run.json", &run);
    let _named = folder.run(&["run.json", "--quiet", "-o", "named"]).done();
    let ledger = folder.read("named/ledger.csv");
    assert_eq!(column(&ledger, "force_x_N_per_m:block").last(), Some(&block), "those that the case names");
    assert!(!ledger.contains("N_per_m:walls"));
    let refused = folder.run(&["run.json", "--quiet", "-o", "three", "--restart"]).exits(2);
    assert!(refused.stderr.contains("force_x_N_per_m:walls"), "{}", refused.stderr);
}

#[test]
fn parts_that_cannot_be_are_refused() {
    let folder = folder();
    let parts = |parts: Value| json!([parts]);
    let anywhere = json!({"min": ["150 um", "90 um"], "max": ["290 um", "190 um"]});
    for (wall_parts, pieces) in [
        (parts(json!({"name": "walls", "box": anywhere})), &["\"walls\"", "another name"][..]),
        (parts(json!({"name": "inlet", "box": anywhere})), &["\"inlet\"", "an opening has this name"]),
        (parts(json!({"name": "a"})), &["\"a\"", "exactly one of box and label"]),
        (parts(json!({"name": "a", "label": "roof"})), &["label \"roof\"", "no rule"]),
        (parts(json!({"name": "a", "label": "wall"})), &["kind of site"]),
        (
            parts(json!({"name": "a", "box": {"min": ["300 um", "90 um"], "max": ["320 um", "110 um"]}})),
            &["holds no site of the wall"],
        ),
        (
            parts(json!({"name": "a", "box": {"min": ["200 um", "130 um"], "max": ["220 um", "140 um"]}})),
            &["\"a\"", "no fluid node is beside it"],
        ),
        (parts(json!({"name": "a", "box": {"min": ["1 um"], "max": ["2 um"]}})), &["2 lengths"]),
        (json!([{"name": "a", "box": anywhere}, {"name": "b", "box": anywhere}]), &["\"b\"", "sites of part \"a\""]),
        (json!([{"name": "a", "box": anywhere}, {"name": "a", "box": anywhere}]), &["two of this name"]),
    ] {
        let mut case = case();
        case["geometry"]["rules"] = json!([{"below": 100, "is": "wall"}, {"any": true, "is": "fluid"}]);
        case["wall_parts"] = wall_parts;
        folder.json("wrong.json", &case);
        let refused = folder.mkcase(&["wrong.json", "--quiet"]).exits(2);
        assert!(pieces.iter().all(|piece| refused.stderr.contains(piece)), "{pieces:?}: {}", refused.stderr);
        assert!(!folder.path("wrong.h5").exists());
    }

    let _made = folder.mkcase(&["case.json", "--quiet"]).done();
    for (change, pieces) in [
        (json!({"forces": {"blok": {}}}), &["forces.blok", "did you mean \"block\"?"][..]),
        (json!({"forces": {"inlet": {}}}), &["forces.inlet", "Velocity"]),
        (json!({"forces": {"block": {"about": ["1 um"]}}}), &["forces.block", "1 lengths", "2 dimensions"]),
        (json!({"forces": {"block": {"abut": []}}}), &["abut", "about"]),
        (
            json!({
                "forces": {"block": {}},
                "fluid": {"lattice_boltzmann": {"density": "1 kg/m3", "viscosity": "1 mPa s", "tau": 0.8, "walls": "immersed"}},
            }),
            &["immersed"],
        ),
    ] {
        let mut run = run();
        for (key, value) in change.as_object().expect("an object") {
            run[key] = value.clone();
        }
        folder.json("wrong.json", &run);
        let refused = folder.run(&["wrong.json", "--quiet"]).exits(2);
        assert!(pieces.iter().all(|piece| refused.stderr.contains(piece)), "{pieces:?}: {}", refused.stderr);
        assert!(!folder.path("wrong").exists());
    }
}
