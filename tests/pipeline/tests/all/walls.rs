//! Interpolated walls and points on walls, as users ask for them.

use pipeline_tests::{Folder, configs, draw};
use serde_json::json;

/// A vessel whose run has interpolated walls.
fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("vessel.pgm", &draw::vessel().pgm());
    folder.json("case.json", &configs::vessel_case());
    let _made = folder.mkcase(&["case.json", "--quiet"]).done();
    let run = |walls: &str| {
        json!({
            "case": "case.h5",
            "fluid": {"lattice_boltzmann": {"density": "1025 kg/m3", "viscosity": "1.2 mPa s", "walls": walls, "tau": 0.8}},
            "time": {"steps": 400},
            "openings": {"inlet": {"velocity": "9 mm/s"}, "outlet": {"pressure": "0 Pa"}},
            "dumps": [{"every": 200, "at": [77]}],
            "monitor": {"every": 50}
        })
    };
    folder.json("run.json", &run("interpolated"));
    folder.json("plain.json", &run("half_way"));
    folder
}

#[test]
fn ranks_and_restarts_agree_and_the_ledger_balances() {
    let folder = folder();
    let call = |arguments: &[&str]| folder.run(&[&["run.json", "--quiet"], arguments].concat()).done();
    let _solo = call(&["-o", "solo"]);
    let _first = call(&["-o", "three", "--threads", "3", "--steps", "200", "--checkpoint-every", "200"]);
    let _rest = call(&["-o", "three", "--threads", "2", "--restart"]);
    let compared = folder.post(&["compare", "solo", "three"]).done();
    assert!(compared.stdout.starts_with("the same"), "{}", compared.stdout);

    let ledger = folder.read("solo/ledger.csv");
    let mut lines = ledger.lines();
    let header = lines.next().expect("a header");
    assert!(header.starts_with("step,time_s,inside_kg,in_kg:inlet,in_kg:outlet,in_kg:walls,"), "{header}");
    let rows: Vec<Vec<f64>> =
        lines.map(|line| line.split(',').map(|number| number.parse().expect("a number")).collect()).collect();
    let (first, last) = (&rows[0], &rows[rows.len() - 1]);
    let gained = last[2] - first[2];
    let came_in: f64 = (3..6).map(|column| last[column] - first[column]).sum();
    assert!((gained - came_in).abs() < 1e-6 * last[2], "{gained:e} more inside, {came_in:e} came in");
    assert!(last[5] != 0.0);

    let _plain = folder.run(&["plain.json", "--quiet"]).done();
    let differ = folder.post(&["compare", "solo", "plain"]).exits(1);
    assert!(!differ.stdout.starts_with("the same"));
    let refused = folder.run(&["plain.json", "--quiet", "-o", "three", "--restart"]).exits(2);
    assert!(refused.stderr.contains("fluid.lattice_boltzmann.walls"), "{}", refused.stderr);
}

#[test]
fn walls_that_do_not_exist_are_refused() {
    let folder = folder();
    let mut run = folder.read_json("run.json");
    run["fluid"]["lattice_boltzmann"]["walls"] = json!("interpolatd");
    folder.json("run.json", &run);
    let refused = folder.run(&["run.json", "--check"]).exits(2);
    assert!(refused.stderr.contains("interpolated") && refused.stderr.contains("half_way"), "{}", refused.stderr);
}

#[test]
fn an_opening_that_is_called_walls_is_refused() {
    let folder = folder();
    let rename = |config: &str| folder.read(config).replace("\"inlet\"", "\"walls\"");
    folder.write("case.json", rename("case.json").as_bytes());
    folder.write("run.json", rename("run.json").as_bytes());
    let _made = folder.mkcase(&["case.json", "--quiet"]).done();
    let refused = folder.run(&["run.json", "--check"]).exits(2);
    assert!(refused.stderr.contains("another name") && refused.stderr.contains("half_way"), "{}", refused.stderr);
}

#[test]
fn points_on_walls_have_a_spacing_that_makes_sense() {
    let folder = folder();
    let mut case = configs::vessel_case();
    case["walls"] = json!({"spacing": 0.5});
    folder.json("points.json", &case);
    let _made = folder.mkcase(&["points.json", "--quiet"]).done();
    case["walls"] = json!({"spacing": 5});
    folder.json("wide.json", &case);
    let refused = folder.mkcase(&["wide.json", "--quiet"]).exits(2);
    assert!(refused.stderr.contains("walls.spacing 5") && refused.stderr.contains("0.25 to 2"), "{}", refused.stderr);
}
