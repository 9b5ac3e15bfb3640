//! Rigid bodies that cannot be: what is asked of `mkcase`, what is asked of `run`, and bodies that break on the way.

use hematite_dump::{BodyReader, FieldReader, Ledger};
use pipeline_tests::Folder;
use pipeline_tests::suspension::{Suspension, fork, pipe};
use serde_json::{Value, json};

/// Expects `mkcase` to refuse the pipe with these populations.
fn refuses_case(folder: &Folder, cells: Value, pieces: &[&str]) {
    let mut case = pipe().case;
    case["cells"] = cells;
    println!("{case}");
    folder.json("case.json", &case);
    let pieces = [&["case.json"], pieces].concat();
    folder.refuses("mkcase", &["case.json", "--quiet"], &pieces);
    folder.refuses("mkcase", &["case.json", "--quiet", "--check"], &pieces);
}

/// Expects `run` to refuse the pipe with a key changed, by itself, as threads and by a check.
fn refuses_run(folder: &Folder, key: &str, value: Value, pieces: &[&str]) {
    let mut run = pipe().run;
    run[key] = value;
    println!("{run}");
    folder.json("run.json", &run);
    let pieces = [&["run.json"], pieces].concat();
    folder.refuses("run", &["run.json", "--quiet", "--check"], &pieces);
    folder.refuses("run", &["run.json", "--quiet", "--threads", "2"], &pieces);
    folder.refuses("run", &["run.json", "--quiet"], &pieces);
}

fn one(axes: [&str; 3]) -> Value {
    json!([{"name": "red", "rigid": true, "shape": {"kind": "ellipsoid", "axes": axes}, "count": 1}])
}

#[test]
fn bodies_in_a_case_that_cannot_be() {
    let folder = Folder::new();
    pipe().write(&folder);
    let mut placed = one(["8 um", "8 um", "3 um"]);
    placed[0].as_object_mut().expect("a population").remove("count");
    placed[0]["positions"] = json!("bodies.csv");
    folder.write("bodies.csv", b"x [um],y [um],z [um]\n10,18,18\n12,18,18\n");
    refuses_case(&folder, placed.clone(), &["bodies.csv", "row 1", "the body overlaps", "row 2", "move one"]);
    folder.write("bodies.csv", b"x [um],y [um],z [um]\n10,18,18\n10,3,18\n");
    refuses_case(&folder, placed, &["bodies.csv", "row 2", "the body reaches out of the fluid"]);
    for (axes, pieces) in [
        (
            ["8 um", "8 um", "1.5 um"],
            &["cells[0]", "\"red\"", "0.750 um", "0.38 lattice spacings", "1.875 um or finer"][..],
        ),
        (
            ["70 um", "8 um", "8 um"],
            &["cells[0]", "\"red\"", "17.50 lattice spacings", "up to 7", "5.000 um or coarser"],
        ),
        (["14.2 um", "30 um", "8 um"], &["cells[0]", "\"red\"", "7.50 lattice spacings", "2.143 um or coarser"]),
        (["8 um", "8 um", "-3 um"], &["cells[0]", "above 0"]),
    ] {
        refuses_case(&folder, one(axes), pieces);
    }
}

#[test]
fn bodies_that_reach_too_far() {
    let long = |axis: &str| {
        let mut case = pipe().case;
        case["cells"] = one([axis, "6 um", "6 um"]);
        Suspension { case, ..pipe() }.folder()
    };
    let pieces = ["periodic along x over 24 sites", "at least 40", "longer domain"];
    refuses_run(&long("20 um"), "monitor", json!({}), &pieces);
    let wide = json!({"populations": {"red": {"region": 7}}});
    refuses_run(
        &pipe().folder(),
        "bodies",
        wide,
        &["periodic along x over 24 sites", "at least 28", "smaller regions"],
    );
}

#[test]
fn bodies_in_a_run_that_cannot_be() {
    let folder = pipe().folder();
    let red = |config: Value, pieces: &[&str]| {
        let pieces = [&["bodies.populations.red"], pieces].concat();
        refuses_run(&folder, "bodies", json!({"populations": {"red": config}}), &pieces);
    };
    red(json!({"region": 1.2}), &["friction", "\"region\" larger than 1.2", "less \"friction\""]);
    red(json!({"region": 0.5}), &["region 0.5", "from 1 to 8"]);
    let vast = json!({"populations": {"red": {"half_widths": ["1 m", "1 m", "1 m"]}}});
    refuses_run(&folder, "bodies", vast, &["population \"red\"", "at most 56 can be", "half_widths"]);
    red(json!({"friction": 2}), &["friction", "\"region\" larger than 2"]);
    red(json!({"friction": -1}), &["friction -1", "from 0 to 10"]);
    red(json!({"rotational_friction": 11}), &["rotational_friction 11", "from 0 to 10"]);
    red(json!({"density": "10 kg/m3"}), &["density 1.0000e1 kg/m3", "0.1 to 20"]);
    red(json!({"density": "30000 kg/m3"}), &["density 3.0000e4 kg/m3", "0.1 to 20"]);
    red(json!({"density": "5 Pa"}), &["density", "\"5 Pa\" is not a density"]);
    red(json!({"densty": "1 kg/m3"}), &["densty", "did you mean \"density\"?"]);
    red(json!({"depths": [0, 1, 1]}), &["depths", "from 0.01 to 100"]);
    for (bodies, pieces) in [
        (json!({"populations": {"rods": {}}}), &["bodies.populations.rods", "red, rod", "did you mean \"rod\"?"][..]),
        (json!({"population": {}}), &["population", "did you mean \"populations\"?"]),
        (json!({"contact": {"energy": "1 J"}}), &["bodies.contact.energy", "at most", "shorter step"]),
        (json!({"contact": {"energy": "0 J"}}), &["bodies.contact.energy", "above 0"]),
        (json!({"contact": {"wall_energy": "1 pJ"}}), &["bodies.contact.wall_energy", "at most", "shorter step"]),
        (json!({"contact": {"softness": "9 um"}}), &["bodies.contact.softness", "4.500", "0.05 to 4"]),
        (json!({"contact": {"nu": 5}}), &["bodies.contact.nu 5", "0 to 4"]),
        (
            json!({"populations": {"red": {"depths": [1, 1, 2]}}, "contact": {"mu": 0}}),
            &["bodies.contact.mu 0", "mu 1 or more"],
        ),
    ] {
        refuses_run(&folder, "bodies", bodies, pieces);
    }
    refuses_run(&folder, "dumps", json!([{"name": "bodies", "every": 9}]), &["\"bodies\"", "own file"]);
    refuses_run(&folder, "cells", json!({"mechanics": {"red": {"contrast": 5}}}), &["cells.mechanics", "rigid bodies"]);
    refuses_run(&folder, "cells", json!({"inflow": {"inlet": {}}}), &["cells.inflow", "rigid bodies"]);
}

#[test]
fn bodies_that_cannot_come_in() {
    let folder = fork().folder();
    let inflow = |inflow: Value, pieces: &[&str]| {
        let mut run = fork().run;
        run["bodies"] = json!({"inflow": inflow});
        folder.json("run.json", &run);
        println!("{run}");
        let pieces = [&["run.json", "bodies.inflow."], pieces].concat();
        folder.refuses("run", &["run.json", "--quiet", "--check"], &pieces);
        folder.refuses("run", &["run.json", "--quiet", "--threads", "2"], &pieces);
        folder.refuses("run", &["run.json", "--quiet"], &pieces);
    };
    inflow(json!({"inlt": {}}), &["inlt", "no such opening", "inlet, lower, upper", "did you mean \"inlet\"?"]);
    inflow(
        json!({"inlet": {"hematocrit": 0.6}}),
        &["inlet", "hematocrit 0.6", "above 0 and at most 0.", "seed the case"],
    );
    inflow(json!({"inlet": {"hematocrit": 0}}), &["inlet", "hematocrit 0 ", "above 0"]);
    inflow(
        json!({"inlet": {"length": "5 um"}}),
        &["inlet", "length 5.000e-6 m", "below the diameter of the bodies, 8.000e-6 m"],
    );
    inflow(
        json!({"inlet": {"length": "3 mm"}}),
        &["inlet", "length 3.000e-3 m", "the lattice goes on behind the opening"],
    );
    inflow(json!({"inlet": {"lenght": "50 um"}}), &["lenght", "did you mean \"length\"?"]);
    // A lid; bodies that are elsewhere; none at all; membranes.
    let mut case = fork().case;
    case["openings"][0]["kind"] = json!("wall");
    let mut lid = Suspension { case, ..fork() };
    lid.run["openings"]["inlet"] = json!({"wall_velocity": ["0 m/s", "1 mm/s", "0 m/s"]});
    let elsewhere = {
        let mut case = fork().case;
        let positions =
            json!({"name": "red", "rigid": true, "shape": {"kind": "sphere", "radius": "2 um"}, "positions": "b.csv"});
        case["cells"] = json!([positions]);
        Suspension { case, ..fork() }
    };
    let cells = |cells: Value| {
        let mut case = fork().case;
        case["cells"] = cells;
        Suspension { case, ..fork() }
    };
    let soft = json!([{"name": "soft", "shape": {"kind": "sphere", "radius": "4 um", "vertices": 162}, "count": 1}]);
    for (suspension, pieces) in [
        (lid, ["moving wall", "\"velocity\" or \"pressure\""]),
        (elsewhere, ["no bodies behind this opening", "longer \"length\""]),
        (cells(json!([])), ["no rigid bodies", "seed it"]),
        (cells(soft), ["no rigid bodies", "seed it"]),
    ] {
        let folder = Folder::new();
        folder.write("b.csv", b"x [um],y [um],z [um]\n90,20,16\n");
        suspension.write(&folder);
        let _made = folder.mkcase(&["case.json", "--quiet"]).done();
        let mut run = suspension.run.clone();
        run["bodies"] = json!({"inflow": {"inlet": {}}});
        folder.json("run.json", &run);
        let pieces = [&["run.json", "bodies.inflow.inlet"], &pieces[..]].concat();
        folder.refuses("run", &["run.json", "--quiet", "--check"], &pieces);
        folder.refuses("run", &["run.json", "--quiet"], &pieces);
    }
}

#[test]
fn drag_too_strong_for_the_time_step() {
    let folder = pipe().folder();
    let mut run = pipe().run;
    run["fluid"]["lattice_boltzmann"]["tau"] = json!(8);
    folder.json("run.json", &run);
    let pieces = ["run.json", "population \"", "drag is too strong", "at most 4", "times shorter"];
    let message = folder.refuses("run", &["run.json", "--quiet", "--check"], &pieces);
    let shorter = message.split("take a step ").nth(1).and_then(|rest| rest.split(' ').next()).expect("a factor");
    let shorter: f64 = shorter.parse().expect("a number");
    // A step is as long as tau - 1/2.
    run["fluid"]["lattice_boltzmann"]["tau"] = json!(0.5 + 7.5 / shorter);
    folder.json("run.json", &run);
    let _checked = folder.run(&["run.json", "--quiet", "--check"]).done();
}

#[test]
fn a_body_that_breaks_is_named_and_earlier_dumps_stay() {
    let folder = pipe().folder();
    let mut run = pipe().run;
    run["drive"] = json!({"pressure_drop": {"axis": "x", "drop": "2 kPa"}});
    run["dumps"] = json!([{"every": 16, "at": [0]}]);
    run["cell_dumps"] = json!({"every": 8});
    run["monitor"] = json!({"every": 16});
    folder.json("run.json", &run);
    let breaks = |arguments: &[&str]| {
        let called = folder.run(&[&["run.json", "--quiet"], arguments].concat());
        let pieces = ["body ", "of population \"", "broke at step ", "near (", "passed the checks", "failed/"];
        let message = called.fails(4, &pieces);
        message.split(" A little later").next().unwrap_or_default().to_owned()
    };
    let message = breaks(&["-o", "solo"]);
    let step: u64 = message
        .split("at step ")
        .nth(1)
        .and_then(|rest| rest.split(' ').next())
        .and_then(|step| step.parse().ok())
        .expect("a step");
    let bodies = BodyReader::open(&folder.path("solo/bodies.vtkhdf")).expect("a dump of bodies");
    assert!(bodies.steps().last().is_some_and(|last| last.step + 8 > step.min(64)), "{message}");
    for dump in 0..bodies.steps().len() {
        let frame = bodies.frame(dump).expect("a frame");
        assert!(frame.step > step || frame.position.as_flattened().iter().all(|x| x.is_finite()), "{message}");
    }
    assert!(!FieldReader::open(&folder.path("solo/fields.vtkhdf")).expect("a dump of fields").steps().is_empty());
    assert!(!Ledger::read(&folder.path("solo")).expect("a ledger").rows.is_empty());
    let _flow = folder.post(&["flow", "solo"]).done();
    // The same body, place and step on any number of ranks.
    assert_eq!(breaks(&["-o", "threads", "--threads", "3"]), message);
    let _whole = BodyReader::open(&folder.path("threads/bodies.vtkhdf")).expect("a dump of bodies");
}
