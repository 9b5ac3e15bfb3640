//! Immersed walls, as users ask for them: the same bits on any number of ranks, a ledger that balances, clear faults.

use pipeline_tests::draw::Picture;
use pipeline_tests::suspension::{Suspension, bent_channel, counts, keeps_its_cells, same, tube};
use pipeline_tests::{Folder, configs, draw, is_full};
use serde_json::{Value, json};

/// A vessel between openings with points on its walls and nodes beyond them; its run has immersed walls.
fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("vessel.pgm", &draw::vessel().pgm());
    let mut case = configs::vessel_case();
    case["walls"] = json!({"spacing": 0.75});
    folder.json("case.json", &case);
    let made = folder.mkcase(&["case.json", "--quiet"]).done();
    assert!(made.stdout.contains("nodes beyond them"), "{}", made.stdout);
    for walls in ["immersed", "half_way", "interpolated"] {
        folder.json(&format!("{walls}.json"), &vessel_run(walls));
    }
    folder
}

fn vessel_run(walls: &str) -> Value {
    json!({
        "case": "case.h5",
        "fluid": {"lattice_boltzmann": {"density": "1025 kg/m3", "viscosity": "1.2 mPa s", "walls": walls, "tau": 0.8}},
        "time": {"steps": 400},
        "openings": {"inlet": {"velocity": "9 mm/s"}, "outlet": {"pressure": "0 Pa"}},
        "dumps": [
            {"every": 200, "at": [77]},
            {"name": "part", "every": 200, "region": {"box": {"min": ["40 um", "20 um"], "max": ["120 um", "90 um"]}}}
        ],
        "monitor": {"every": 50}
    })
}

/// Bits of the velocities in the last dump of a run.
fn last_velocities(folder: &Folder, run: &str) -> Vec<u32> {
    let (nodes, velocity) = folder.hdf5(&format!("{run}/fields.vtkhdf"), hdf5::File::open, |file| {
        let nodes = file.dataset("hematite/node_id")?.size();
        Ok((nodes, file.dataset("VTKHDF/CellData/velocity")?.read_raw::<f32>()?))
    });
    velocity[velocity.len() - 3 * nodes..].iter().map(|u| u.to_bits()).collect()
}

/// The rows of a ledger: step, time, inside, in through inlet, outlet and walls.
fn ledger(folder: &Folder, run: &str) -> Vec<Vec<f64>> {
    let text = folder.read(&format!("{run}/ledger.csv"));
    let mut lines = text.lines();
    let header = lines.next().expect("a header");
    assert!(header.starts_with("step,time_s,inside_kg,in_kg:inlet,in_kg:outlet,in_kg:walls,"), "{header}");
    lines.map(|line| line.split(',').map(|number| number.parse().expect("a number")).collect()).collect()
}

#[test]
fn ranks_and_restarts_agree_and_the_ledger_balances() {
    let folder = folder();
    let call = |arguments: &[&str]| folder.run(&[&["immersed.json", "--quiet"], arguments].concat()).done();
    let _solo = call(&["-o", "solo"]);
    // Four parts are stored in the case, three are not.
    let _four = folder.mpirun(4, &["immersed.json", "-o", "four", "--quiet"]).done();
    let _first = call(&["-o", "three", "--threads", "3", "--steps", "200", "--checkpoint-every", "200"]);
    let _rest = call(&["-o", "three", "--threads", "2", "--restart"]);
    // The dump at the step of the checkpoint is made from the restored state.
    let again = ["-o", "again", "--restart", "three/checkpoint/step-000000000200", "--steps", "200"];
    let _again = call(&again);
    let _half = call(&["-o", "half", "--steps", "200"]);
    let velocities = |run: &str| last_velocities(&folder, run);
    assert_eq!(velocities("again"), velocities("half"));
    for other in ["four", "three"] {
        let compared = folder.post(&["compare", "solo", other]).done();
        assert!(compared.stdout.starts_with("the same"), "{}", compared.stdout);
        assert_eq!(ledger(&folder, "solo"), ledger(&folder, other));
    }

    let rows = ledger(&folder, "solo");
    let (first, last) = (&rows[0], &rows[rows.len() - 1]);
    let gained = last[2] - first[2];
    let came_in: f64 = (3..6).map(|column| last[column] - first[column]).sum();
    assert!((gained - came_in).abs() < 1e-6 * last[2], "{gained:e} more inside, {came_in:e} came in");
    assert!(last[5] != 0.0);
    // Beyond the walls the pressure rises with that of the fluid, and little else happens.
    assert!(last[5].abs() < 3e-3 * last[2], "{:e} through walls of {:e}", last[5], last[2]);

    let _plain = folder.run(&["half_way.json", "--quiet"]).done();
    let differ = folder.post(&["compare", "solo", "half_way"]).exits(1);
    assert!(!differ.stdout.starts_with("the same"));
    for other in ["half_way.json", "interpolated.json"] {
        let refused = folder.run(&[other, "--quiet", "-o", "three", "--restart"]).exits(2);
        assert!(refused.stderr.contains("fluid.lattice_boltzmann.walls"), "{}", refused.stderr);
    }
}

#[test]
fn the_layer_stays_out_of_dumps_and_of_other_runs() {
    let folder = folder();
    folder.json("bare.json", &configs::vessel_case());
    let _made = folder.mkcase(&["bare.json", "--quiet"]).done();
    let mut bare = vessel_run("half_way");
    bare["case"] = json!("bare.h5");
    folder.json("bare_run.json", &bare);
    let _bare = folder.run(&["bare_run.json", "-o", "bare", "--quiet"]).done();
    let _plain = folder.run(&["half_way.json", "--quiet"]).done();
    let _immersed = folder.run(&["immersed.json", "--quiet"]).done();
    let compared = folder.post(&["compare", "bare", "half_way"]).done();
    assert!(compared.stdout.starts_with("the same"), "{}", compared.stdout);
    let nodes = |run: &str| folder.read_json(&format!("{run}/run.json"))["nodes"].clone();
    assert_eq!(nodes("immersed"), nodes("bare"));
    let flow = folder.post(&["flow", "immersed"]).done();
    assert!(flow.stderr.contains("left out wall shear stress: the force of immersed walls"), "{}", flow.stderr);
    assert!(!folder.path("immersed/statistics/wall_shear_stress.csv").exists());
}

/// The suspension with immersed walls, for `steps` steps.
fn held(mut suspension: Suspension, steps: u64, kernel: u64) -> Suspension {
    suspension.case["walls"] = json!({});
    suspension.run["fluid"]["lattice_boltzmann"]["walls"] = json!("immersed");
    suspension.run["cells"] = json!({"kernel": kernel});
    suspension.run["time"]["steps"] = json!(steps);
    suspension.run["dumps"] = json!([{"every": steps / 2}]);
    suspension.run["monitor"] = json!({"every": steps / 4});
    suspension.run["tracks"] = json!({"every": steps / 4});
    suspension.run["cell_dumps"] = json!({"every": steps / 4, "at": [33]});
    suspension
}

/// Runs it alone and in two halves, the first on 3 threads, and in the full suite on 3 threads and through MPI on 2 ranks: the
/// same bits, no cell lost.
fn ranks_agree(suspension: &Suspension) {
    let folder = suspension.folder();
    let call = |arguments: &[&str]| folder.run(&[&["run.json", "--quiet"], arguments].concat()).done();
    let steps = suspension.run["time"]["steps"].as_u64().expect("steps");
    let half = (steps / 2).to_string();
    let _solo = folder.run_on_all_cores(&["run.json", "--quiet", "-o", "solo"]).done();
    let mut others = Vec::new();
    if is_full() {
        let _threads = call(&["-o", "threads3", "--threads", "3"]);
        let _two = folder.mpirun(2, &["run.json", "-o", "mpi2", "--quiet"]).done();
        others.extend(["threads3", "mpi2"]);
    }
    let _first = call(&["-o", "halves", "--threads", "3", "--steps", &half, "--checkpoint-every", &half]);
    let _rest = call(&["-o", "halves", "--restart"]);
    let counts = counts(&folder.path("case.h5"));
    for run in ["solo", "halves"].iter().chain(&others) {
        keeps_its_cells(&folder.path(run), steps, &counts);
    }
    for other in others {
        same(&folder, "solo", other);
    }
    let compared = folder.post(&["compare", "solo", "halves"]).done();
    assert!(compared.stdout.starts_with("the same"), "{}", compared.stdout);
}

#[test]
fn ranks_agree_with_cells() {
    ranks_agree(&held(bent_channel(), 352, 2));
}

#[test]
#[ignore = "make test-full"]
fn ranks_agree_with_cells_in_three_dimensions() {
    ranks_agree(&held(tube(), 160, 3));
}

#[test]
fn cases_without_a_layer_are_refused() {
    let folder = folder();
    folder.json("bare.json", &configs::vessel_case());
    let _made = folder.mkcase(&["bare.json", "--quiet"]).done();
    let mut run = vessel_run("immersed");
    run["case"] = json!("bare.h5");
    folder.json("run.json", &run);
    let refused = folder.run(&["run.json", "--check"]).exits(2);
    for said in ["fluid.lattice_boltzmann.walls", "immersed", "\"walls\": {\"spacing\": 0.75}", "CASE.json"] {
        assert!(refused.stderr.contains(said), "{said}: {}", refused.stderr);
    }
    let mut run = vessel_run("immersed");
    run["cells"] = json!({"kernel": 5});
    folder.json("run.json", &run);
    let refused = folder.run(&["run.json", "--check"]).exits(2);
    assert!(refused.stderr.contains("cells.kernel 5"), "{}", refused.stderr);
    run["cells"] = json!({"kernel": 2, "growth": "1 us"});
    folder.json("run.json", &run);
    let checked = folder.run(&["run.json", "--check=quick"]).done().stderr;
    assert!(checked.contains("cells.growth: the case has no cells") && !checked.contains("cells.kernel:"), "{checked}");
}

#[test]
fn a_pressure_opening_across_an_oblique_vessel_may_stand_anywhere() {
    // A channel 14 um wide at 35 degrees.
    let (sin, cos) = 35_f64.to_radians().sin_cos();
    let picture = Picture::of(90, 80, |x, y| {
        let [along, off] = [[cos, sin], [-sin, cos]].map(|t| t[0] * (x as f64 - 10.0) + t[1] * (y as f64 - 14.0));
        (0.0..84.0).contains(&along) && off.abs() < 7.0
    });
    let folder = Folder::new();
    folder.write("oblique.pgm", &picture.pgm());
    let mut run = vessel_run("immersed");
    run["time"]["steps"] = json!(4);
    run["dumps"] = json!([{"every": 4}]);
    folder.json("run.json", &run);
    for step in 0..10 {
        // Rows of pictures run downwards.
        let place = |along: f64| json!([format!("{} um", 10.0 + along * cos), format!("{} um", 66.0 - along * sin)]);
        let section = |along: f64, way: f64| json!({"normal": [way * cos, -way * sin], "through": place(along)});
        let case = json!({
            "geometry": {"image": "oblique.pgm", "spacing": "1 um"},
            "openings": [
                {"name": "inlet", "kind": "velocity", "section": section(12.0, 1.0)},
                {"name": "outlet", "kind": "pressure", "section": section(66.0 + 0.7 * f64::from(step), -1.0)}
            ],
            "walls": {}
        });
        folder.json("case.json", &case);
        let _made = folder.mkcase(&["case.json", "--quiet"]).done();
        let _ran = folder.run(&["run.json", "--force", "--quiet"]).done();
    }
}
