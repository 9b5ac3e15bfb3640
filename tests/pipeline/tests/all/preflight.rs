//! The table of `run --check`: its numbers, its advice, its forms, and that nothing is written.

use pipeline_tests::{Folder, draw, suspension};
use serde_json::{Value, json};

/// A channel of 20 pixels of 1 um along x, and a run with a mean velocity of 1 mm/s that pulsates.
fn channel() -> (Folder, Value) {
    channel_of(20)
}

/// The same of so many pixels.
fn channel_of(pixels: usize) -> (Folder, Value) {
    let folder = Folder::new();
    let picture = draw::Picture::of(40, pixels + 2, |_, y| (1..=pixels).contains(&y));
    folder.write("channel.pgm", &picture.pgm());
    folder.json(
        "case.json",
        &json!({
            "geometry": {"image": "channel.pgm", "spacing": "1 um"},
            "openings": [
                {"name": "in", "kind": "velocity", "face": "x-"}, {"name": "out", "kind": "pressure", "face": "x+"}
            ],
            "parts": [2]
        }),
    );
    let _made = folder.mkcase(&["case.json", "--quiet"]).done();
    let run = json!({
        "case": "case.h5",
        "fluid": {"lattice_boltzmann": {"density": "1000 kg/m3", "viscosity": "1 mPa s", "tau": 0.8}},
        "time": {"steps": 400},
        "openings": {
            "in": {"velocity": "1 mm/s", "waveform": {"sine": {"frequency": "100 Hz", "amplitude": 0.5}}},
            "out": {"pressure": "2 Pa"}
        },
        "dumps": [{"every": 100, "fields": ["velocity"]}]
    });
    folder.json("run.json", &run);
    (folder, run)
}

/// The table of a check as it is for programs.
fn checked(folder: &Folder, arguments: &[&str]) -> Vec<Value> {
    let done = folder.run(&[&["run.json", "--json", "--quiet"], arguments].concat()).done();
    assert!(done.stderr.is_empty(), "{}", done.stderr);
    serde_json::from_str(&done.stdout).expect("an array")
}

/// The row of a name and of what it is.
fn row<'a>(table: &'a [Value], name: &str, of: &str) -> &'a Value {
    let found = table.iter().find(|row| row["name"] == name && row["of"] == of);
    found.unwrap_or_else(|| panic!("{name} of {of} in {table:?}"))
}

fn is(table: &[Value], name: &str, of: &str, wanted: f64, tolerance: f64) {
    let value = row(table, name, of)["value"].as_f64().expect("a number");
    assert!((value / wanted - 1.0).abs() < tolerance, "{name} of \"{of}\": {value}, not {wanted}");
}

#[test]
fn a_check_tells_the_numbers_of_a_run() {
    let (folder, _) = channel();
    let before = folder.content();
    let table = checked(&folder, &["--check=quick"]);
    // nu = 1e-6 m2/s, dt = (tau - 1/2) / 3 dx^2 / nu = 1e-7 s; the profile's peak is 1.5 times its mean, that of the sine 1.5.
    let peak = 1e-3 * 1.5 * 1.5;
    is(&table, "time step", "", 1e-7, 1e-9);
    is(&table, "relaxation time tau", "", 0.8, 1e-9);
    is(&table, "magic number", "", 0.1875, 1e-9);
    is(&table, "Mach number", "", peak * 1e-7 / 1e-6 * 3.0_f64.sqrt(), 0.02);
    is(&table, "cell Reynolds number", "", peak * 1e-6 / 1e-6, 0.02);
    is(&table, "largest velocity", "in", peak, 0.02);
    is(&table, "Reynolds number", "in", 1.5e-3 * 20e-6 / 1e-6, 1e-6);
    is(&table, "Womersley number", "in", 10e-6 * (200.0 * std::f64::consts::PI / 1e-6_f64).sqrt(), 1e-6);
    is(&table, "spacings across", "out", 20.0, 1e-9);
    is(&table, "pressure", "out", 2.0, 1e-9);
    is(&table, "spacings across", "narrowest place", 20.0, 1e-9);
    is(&table, "time steps", "", 400.0, 1e-9);
    is(&table, "physical time", "", 4e-5, 1e-9);
    // Four dumps of two or three components in f32.
    let bytes = row(&table, "disk", "dumps \"fields\"")["value"].as_f64().expect("a number");
    assert!([2.0, 3.0].contains(&(bytes / (4.0 * 800.0 * 4.0))), "{bytes}");
    assert!(row(&table, "memory on the device", "")["value"].as_f64().expect("a number") > 800.0 * 9.0 * 4.0);
    assert!(row(&table, "largest velocity", "in")["note"].as_str().expect("text").contains("\"amplitude\":0.5"));
    assert!(table.iter().all(|row| row["name"] != "expected time" && row["advice"].is_null()), "{table:?}");
    // The same on two ranks, but for what each takes.
    let apart = |table: &[Value]| -> Vec<Value> {
        table.iter().filter(|row| row["name"] != "memory on the device").cloned().collect()
    };
    assert_eq!(apart(&checked(&folder, &["--check=quick", "--threads", "2"])), apart(&table));
    assert!(folder.content() == before, "a check wrote something");
}

#[test]
fn a_check_takes_a_few_steps_and_tells_how_long_the_run_will_take() {
    let (folder, _) = channel();
    let before = folder.content();
    let done = folder.run(&["run.json", "--check"]).done();
    let line = done.stdout.lines().find(|line| line.starts_with("expected time")).expect("a line");
    assert!(line.contains("MLUPS") && line.contains("without what is written"), "{line}");
    assert!(done.stdout.contains("in: Womersley number") && !done.stdout.contains("advice:"), "{}", done.stdout);
    assert!(done.stderr.contains("tau 0.8000"), "{}", done.stderr);
    let table = checked(&folder, &["--check", "--threads", "2"]);
    let seconds = row(&table, "expected time", "")["value"].as_f64().expect("a number");
    assert!((1e-4..100.0).contains(&seconds), "{seconds}");
    assert!(folder.content() == before, "a check wrote something");
}

#[test]
fn a_coarse_lattice_and_a_fast_flow_are_told() {
    let (folder, mut run) = channel();
    run["fluid"]["lattice_boltzmann"]["tau"] = json!(0.503);
    run["openings"]["in"] = json!({"velocity": "80 m/s", "profile": "flat"});
    folder.json("run.json", &run);
    let table = checked(&folder, &["--check=quick"]);
    is(&table, "cell Reynolds number", "", 80.0, 0.02);
    for (name, of, pieces) in [
        ("cell Reynolds number", "", ["above 10 the flow is not resolved", "e-7 m or less"]),
        ("Mach number", "", ["above 0.1", "take a time step of"]),
    ] {
        let advice = row(&table, name, of)["advice"].as_str().expect("advice");
        assert!(pieces.iter().all(|piece| advice.contains(piece)), "{advice}");
    }
    // The text has the advice below the numbers.
    let done = folder.run(&["run.json", "--check=quick"]).done();
    assert!(done.stdout.lines().last().is_some_and(|line| line.starts_with("advice: ")), "{}", done.stdout);
}

#[test]
fn openings_that_fill_or_empty_the_vessel_are_told() {
    let (folder, mut run) = channel();
    let mut case = folder.read_json("case.json");
    case["openings"][1]["kind"] = json!("velocity");
    folder.json("case.json", &case);
    let _made = folder.mkcase(&["case.json", "--quiet"]).done();
    // The channel is 40 nodes long; a step moves fluid by 1e-4 of a spacing in the mean.
    for (steps, out, told) in [
        (100_000, "-1 mm/s", None),
        (1000, "-0.5 mm/s", None),
        (100_000, "-0.9 mm/s", Some("rises by 2.5 %")),
        (100_000, "-1.2 mm/s", Some("falls by 5.0 %")),
    ] {
        run["time"]["steps"] = json!(steps);
        run["openings"] = json!({"in": {"velocity": "1 mm/s"}, "out": {"velocity": out}});
        folder.json("run.json", &run);
        let checked = folder.run(&["run.json", "--check=quick"]).done();
        let line = checked.stderr.lines().find(|line| line.contains("all openings prescribe velocities"));
        assert_eq!(line.is_some(), told.is_some(), "{out} {steps}: {}", checked.stderr);
        assert!(told.is_none_or(|told| line.is_some_and(|line| line.contains(told))), "{line:?}");
    }
}

#[test]
fn forces_that_drive_bodies_too_fast_are_told() {
    let suspension = suspension::pipe();
    let folder = suspension.folder();
    // A red disc of 8 um falls at some um/s under 1 pN.
    for (force, told) in [("1 pN", false), ("1 uN", true)] {
        let mut run = suspension.run.clone();
        run["bodies"] = json!({"populations": {"red": {"force": ["0 N", force, "0 N"]}}});
        folder.json("run.json", &run);
        let checked = folder.run(&["run.json", "--check=quick"]).done();
        let line = checked.stderr.lines().find(|line| line.contains("the force on bodies of \"red\", 1.000e"));
        assert_eq!(line.is_some(), told, "{force}: {}", checked.stderr);
        assert!(!told || line.is_some_and(|line| line.contains("bodies.populations.red.force")), "{line:?}");
    }
}

#[test]
fn membranes_have_a_capillary_number_and_their_dumps_a_size() {
    let folder = suspension::tube().folder();
    let table = checked(&folder, &["--check=quick"]);
    let red = table.iter().find(|row| row["name"] == "capillary number").expect("a row");
    assert!(red["value"].as_f64().is_some_and(|number| number > 0.0), "{red}");
    assert!(row(&table, "disk", "dumps of cells")["value"].as_f64().is_some_and(|bytes| bytes > 0.0));
}

/// A channel of 20 pixels of 1 um with a fluid of particles that a force drives.
fn channel_of_particles() -> (Folder, Value) {
    let folder = Folder::new();
    folder.write("channel.pgm", &draw::Picture::of(40, 22, |_, y| (1..=20).contains(&y)).pgm());
    folder.json("case.json", &json!({"geometry": {"image": "channel.pgm", "spacing": "1 um", "periodic": ["x"]}}));
    let _made = folder.mkcase(&["case.json", "--quiet"]).done();
    let run = json!({
        "case": "case.h5",
        "fluid": {"srd": {"density": "1000 kg/m3", "temperature": "300 K", "mean_free_path": 0.1, "particles_per_cell": 10}},
        "drive": {"force": ["40 Pa/m", "0 Pa/m"]},
        "time": {"steps": 100},
        "dumps": [{"every": 100}]
    });
    folder.json("run.json", &run);
    (folder, run)
}

#[test]
fn a_fluid_of_particles_has_an_expected_speed() {
    let (folder, mut run) = channel_of_particles();
    let table = checked(&folder, &["--check=quick"]);
    let value = |name: &str| row(&table, name, "")["value"].as_f64().expect("a number");
    // The peak of the parabola between plates, and twice their distance as hydraulic diameter.
    let speed = 40.0 * 20e-6_f64.powi(2) / (8.0 * value("viscosity"));
    is(&table, "speed u", "", speed, 1e-2);
    is(&table, "Mach number", "", speed / value("thermal speed"), 1e-2);
    is(&table, "Reynolds number", "", speed * 40e-6 * 1000.0 / value("viscosity"), 1e-2);
    is(&table, "body force", "drive", 40.0, 1e-9);
    assert!(row(&table, "Mach number", "")["advice"].is_null());
    run["initial"] = json!({"velocity": ["2 mm/s", "0 m/s"]});
    folder.json("run.json", &run);
    let table = checked(&folder, &["--check=quick"]);
    is(&table, "speed u", "", 2e-3, 1e-9);
    let advice = row(&table, "Mach number", "")["advice"].as_str().expect("advice");
    assert!(advice.contains("above 0.2 the fluid is felt to be compressible"), "{advice}");
    // Nothing holds the fluid against the force.
    run["initial"] = json!({});
    run["fluid"]["srd"]["walls"] = json!("slip");
    folder.json("run.json", &run);
    assert!(checked(&folder, &["--check=quick"]).iter().all(|row| row["name"] != "speed u"));
}

#[test]
fn forms_that_there_are_not_are_refused() {
    let (folder, _) = channel();
    let refused = folder.run(&["run.json", "--check=slow"]).exits(2);
    assert!(refused.stderr.contains("possible values: full, quick"), "{}", refused.stderr);
    let refused = folder.run(&["run.json", "--json"]).exits(2);
    assert!(refused.stderr.contains("--check"), "{}", refused.stderr);
}

#[test]
fn a_run_tells_what_it_does_not_resolve_and_what_it_never_dumps() {
    for (pixels, every, told) in [(3, 500, true), (20, 100, false)] {
        let (folder, mut run) = channel_of(pixels);
        run["dumps"][0]["every"] = json!(every);
        folder.json("run.json", &run);
        let done = folder.run(&["run.json", "-o", "done"]).done();
        for piece in ["the narrowest place has 3.0 spacings across", "before the first dump at step 500"] {
            assert_eq!(done.stderr.contains(piece), told, "{piece}: {}", done.stderr);
        }
    }
}

#[test]
fn keys_of_members_that_the_case_lacks_are_told() {
    let (folder, mut run) = channel();
    run["cells"] = json!({
        "kernel": 4, "growth": "1 us", "contact": {"range": "0.5 um"}, "mark_every": 3, "growth_force": null
    });
    run["bodies"] = json!({"contact": {"softness": "1 um"}});
    folder.json("run.json", &run);
    let said = folder.run(&["run.json", "--check=quick"]).done().stderr;
    for key in ["cells.kernel", "cells.growth", "cells.contact", "cells.mark_every", "bodies.contact"] {
        assert!(said.contains(&format!("advice    {key}: the case has no ")), "{key}: {said}");
    }
    assert!(said.contains("this has no effect") && !said.contains("cells.growth_force:"), "{said}");
}

#[test]
fn profiles_and_waveforms_that_are_hardly_followed_are_told() {
    let (folder, run) = channel();
    let said = |inlet: Value| {
        let mut run = run.clone();
        run["openings"]["in"] = inlet;
        folder.json("run.json", &run);
        folder.run(&["run.json", "--check=quick"]).done().stderr
    };
    // A time step is 0.1 us.
    let sine = |frequency: &str| json!({"velocity": "1 mm/s", "waveform": {"sine": {"frequency": frequency}}});
    assert!(said(sine("1 MHz")).contains("openings.in: its waveform has 10.0 time steps a period"));
    assert!(!said(sine("0.4 MHz")).contains("waveform"));
    let beat = |rows: &str| {
        folder.write("beat.csv", format!("time [us],factor\n{rows}").as_bytes());
        said(json!({"velocity": "1 mm/s", "waveform": {"table": {"file": "beat.csv", "period": "10 us"}}}))
    };
    assert!(beat("0,1\n3,1\n3.05,50\n3.1,1\n").contains("are 5.0e-8 s apart"));
    assert!(!beat("0,1\n3,1\n3.2,50\n3.4,1\n").contains("waveform"));
    // The channel is from 1 to 21 um.
    let profile = |rows: &str| {
        folder.write("profile.csv", format!("y [um],speed [mm/s]\n{rows}").as_bytes());
        said(json!({"profile": {"csv": "profile.csv"}}))
    };
    let half = profile("11,1\n16,2\n21,0\n");
    assert!(half.contains("openings.in: the profile's file has y from 1.100e-5 to 2.100e-5 m"), "{half}");
    assert!(!profile("1,0\n11,2\n21,0\n").contains("profile"));
    // Millimetres in a file of micrometres.
    assert!(profile("0,0\n1000,0\n11000,2\n21000,0\n").contains("no row of the profile's file"));
    assert!(!profile("0,1\n100,1\n").contains("profile"), "uniform");
}
