//! Outlets whose pressure follows from the flow: the same bits on any ranks and after restarts, and what cannot be.

use pipeline_tests::draw::Picture;
use pipeline_tests::{Folder, configs};
use serde_json::{Value, json};

/// A channel that forks: rows of fluid over the whole length but for a wall in the right half.
fn forked() -> Folder {
    let folder = Folder::new();
    let picture = Picture::of(60, 26, |x, y| (2..24).contains(&y) && (x < 30 || !(11..13).contains(&y)));
    folder.write("fork.pgm", &picture.pgm());
    let end = |name: &str, kind: &str, low: &str, high: &str| {
        let within = json!({"min": ["0 um", low], "max": ["1 um", high]});
        json!({"name": name, "kind": kind, "face": "x+", "within": within})
    };
    folder.json(
        "case.json",
        &json!({
            "geometry": {"image": "fork.pgm", "spacing": "4 um"},
            "openings": [
                {"name": "inlet", "kind": "velocity", "face": "x-"},
                end("low", "pressure", "0 um", "53 um"),
                end("high", "pressure", "53 um", "104 um")
            ],
            "parts": [1, 2, 4]
        }),
    );
    let _made = folder.mkcase(&["case.json", "--quiet"]).done();
    folder
}

fn run_of(low: &Value, high: &Value) -> Value {
    json!({
        "case": "case.h5",
        "fluid": {"lattice_boltzmann": {"density": "1025 kg/m3", "viscosity": "1.2 mPa s", "tau": 0.8}},
        "time": {"steps": 700},
        "openings": {
            "inlet": {"velocity": "9 mm/s", "waveform": {"sine": {"frequency": "3 kHz", "mean": 1.0, "amplitude": 0.6}}},
            "low": low, "high": high
        },
        "dumps": [{"every": 350}],
        "monitor": {"every": 50}
    })
}

fn windkessel() -> Value {
    json!({"windkessel": {"proximal": "2 MPa s/m2", "distal": "100 MPa s/m2", "compliance": "4e-12 m2/Pa", "initial": "40 Pa"}})
}

/// Straight runs on ranks of both kinds, and runs that go on from steps 300 and 550.
fn agrees(folder: &Folder) {
    let _straight = folder.run(&["run.json", "-o", "straight", "--quiet"]).done();
    let same = |other: &str| {
        let compared = folder.post(&["compare", "straight", other]).done();
        assert!(compared.stdout.starts_with("the same"), "{}", compared.stdout);
    };
    let _two = folder.run(&["run.json", "-o", "two", "--threads", "2", "--quiet"]).done();
    same("two");
    let _four = folder.mpirun(4, &["run.json", "-o", "four", "--quiet"]).done();
    same("four");
    for (stop, ranks) in [("300", "4"), ("550", "1")] {
        let out = ["-o", "again", "--quiet"];
        let first = [&["run.json", "--force", "--steps", stop, "--checkpoint-every", stop, "--threads", "2"][..], &out]
            .concat();
        let _first = folder.run(&first).done();
        let _again = folder.run(&[&["run.json", "--restart", "--threads", ranks][..], &out].concat()).done();
        same("again");
    }
}

#[test]
fn outlets_that_follow_the_flow_are_the_same_on_any_ranks_and_after_a_restart() {
    let folder = forked();
    // Flow is measured every 8 steps: 300 and 550 are within an interval.
    let mut run = run_of(&windkessel(), &json!({"resistance": "5 MPa s/m2", "ramp": "0.1 ms"}));
    run["openings"]["inlet"]["profile"] = json!("womersley");
    folder.json("run.json", &run);
    agrees(&folder);
    let ledger = folder.read("straight/ledger.csv");
    let header: Vec<&str> = ledger.lines().next().expect("a header").split(',').collect();
    for column in ["outlet_pressure_Pa:low", "outflow_m2_per_s:high", "stored_pressure_Pa:low"] {
        assert!(header.contains(&column), "{column} in {header:?}");
    }
}

#[test]
fn stiff_outlets_are_the_same_on_any_ranks_and_after_a_restart() {
    let folder = forked();
    let mut run = run_of(&windkessel(), &json!({"resistance": "500 MPa s/m2"}));
    run["openings"]["inlet"]["velocity"] = json!("1 mm/s");
    folder.json("run.json", &run);
    agrees(&folder);
}

#[test]
fn a_checkpoint_goes_with_its_outlets() {
    let folder = forked();
    folder.json("run.json", &run_of(&windkessel(), &json!({"pressure": "0 Pa"})));
    let _first = folder.run(&["run.json", "--steps", "100", "--checkpoint-every", "100", "--quiet"]).done();
    folder.json("run.json", &run_of(&json!({"pressure": "0 Pa"}), &json!({"pressure": "0 Pa"})));
    let again = ["run.json", "--restart", "--quiet"];
    let physics = folder.run(&again).fails(2, &["openings.low.windkessel", "put the old values back"]);
    assert!(!physics.contains("--allow-changes"), "it would not help: {physics}");
    let again = [&again[..], &["--allow-changes"]].concat();
    let message = folder.run(&again).fails(2, &["outlets", "[low]", "\"openings\""]);
    assert!(message.contains("begin anew"), "{message}");
}

#[test]
fn a_compliance_that_is_new_begins_as_the_config_says() {
    let folder = forked();
    let pressure = json!({"pressure": "0 Pa"});
    folder.json("run.json", &run_of(&json!({"resistance": "5 MPa s/m2"}), &pressure));
    let _first = folder.run(&["run.json", "--steps", "100", "--checkpoint-every", "100", "--quiet"]).done();
    folder.json("run.json", &run_of(&windkessel(), &pressure));
    let _on = folder.run(&["run.json", "--steps", "110", "--quiet", "--restart", "--allow-changes"]).done();
    let ledger = folder.read("run/ledger.csv");
    let header: Vec<&str> = ledger.lines().next().expect("a header").split(',').collect();
    let place = header.iter().position(|name| *name == "stored_pressure_Pa:low").expect("a column");
    let last: f64 = ledger.lines().last().and_then(|line| line.split(',').nth(place)?.parse().ok()).expect("a number");
    assert!((30.0..50.0).contains(&last), "{last} Pa, soon after the 40 Pa of its beginning");
}

#[test]
fn what_an_outlet_cannot_be() {
    let folder = forked();
    let refuses = |low: Value, pieces: &[&str]| {
        folder.json("run.json", &run_of(&low, &json!({"pressure": "0 Pa"})));
        let pieces = [&["run.json", "openings.low"], pieces].concat();
        folder.refuses("run", &["run.json", "--quiet", "--check"], &pieces);
    };
    refuses(json!({"resistance": "-5 kPa s/m2"}), &["resistance -5000", "above 0"]);
    refuses(json!({"resistance": "0 kPa s/m2"}), &["resistance 0", "above 0", "\"pressure\""]);
    refuses(json!({"resistance": "5 kPa s/m3"}), &["resistance", "3-D", "2 dimensions", "Pa s/m2"]);
    refuses(json!({"resistance": "5 kPa s"}), &["low.resistance", "not a resistance", "Pa s/m3"]);
    refuses(json!({"resistance": "1e12 Pa s/m2"}), &["impedance", "limit is 100", "time step of at most"]);
    refuses(
        json!({"resistance": "5 kPa s/m2", "pressure": "0 Pa"}),
        &["\"pressure\", \"resistance\"", "one of", "alone"],
    );
    refuses(
        json!({"resistance": "5 kPa s/m2", "distal_pressure": "1 MPa"}),
        &["distal_pressure", "density", "shorter"],
    );
    refuses(json!({"pressure": "0 Pa", "distal_pressure": "1 Pa"}), &["\"distal_pressure\" goes with \"resistance\""]);
    let beat = json!({"sine": {"frequency": "1 kHz"}});
    refuses(json!({"resistance": "5 kPa s/m2", "waveform": beat}), &["\"waveform\"", "leave it out"]);
    refuses(json!({"resistence": "5 kPa s/m2"}), &["resistence", "did you mean \"resistance\"?"]);
    refuses(json!({"velocity": "1 mm/s"}), &["kind \"pressure\"", "\"velocity\" is given", "CASE.json"]);
    refuses(json!({"split": 0.3}), &["kind \"pressure\"", "\"split\" is given", "CASE.json"]);
    for (key, value, pieces) in [
        ("compliance", "0 m2/Pa", &["windkessel.compliance", "above 0", "\"resistance\""][..]),
        ("compliance", "1e-9 m3/Pa", &["windkessel.compliance", "m2/Pa"]),
        ("distal", "0 Pa s/m2", &["windkessel.distal", "above 0"]),
        ("distal", "-1 Pa s/m2", &["windkessel.distal", "above 0"]),
        ("proximal", "-1 Pa s/m2", &["windkessel.proximal", "at least 0"]),
        ("proximal", "1 Pa s/m3", &["windkessel.proximal", "Pa s/m2"]),
        ("initial", "1 MPa", &["windkessel.initial", "density"]),
    ] {
        let mut low = windkessel();
        low["windkessel"][key] = json!(value);
        refuses(low, pieces);
    }
    let mut low = windkessel();
    low["windkessel"].as_object_mut().expect("keys").remove("compliance");
    refuses(low, &["windkessel", "compliance"]);
}

#[test]
fn what_an_oscillating_inflow_cannot_be() {
    let folder = Folder::with_vessel();
    let refuses = |inlet: Value, pieces: &[&str]| {
        let mut run = configs::vessel_run();
        run["openings"]["inlet"] = inlet;
        folder.json("run.json", &run);
        folder.refuses("run", &["run.json", "--quiet", "--check"], &[&["run.json", "openings.inlet"], pieces].concat());
    };
    let period = ["\"womersley\"", "\"period\""];
    refuses(json!({"velocity": "8 mm/s", "profile": "womersley"}), &period);
    let still = json!({"sine": {"frequency": "0 Hz"}});
    refuses(json!({"velocity": "8 mm/s", "profile": "womersley", "waveform": still}), &period);
    folder.write("beat.csv", b"time [ms],factor\n0,1\n1,2\n");
    let once = json!({"table": {"file": "beat.csv"}});
    refuses(json!({"velocity": "8 mm/s", "profile": "womersley", "waveform": once}), &period);
    let beat = json!({"sine": {"frequency": "1 kHz"}});
    refuses(json!({"velocity": "8 m/s", "profile": "womersley", "waveform": beat}), &["Mach", "0.3", "time step"]);
}

#[test]
fn what_a_share_cannot_be() {
    let folder = Folder::with_vessel();
    let mut case = configs::vessel_case();
    case["openings"][1]["kind"] = json!("velocity");
    folder.json("vessel.json", &case);
    let _made = folder.mkcase(&["vessel.json", "--quiet"]).done();
    let refuses = |outlet: Value, pieces: &[&str]| {
        let mut run = configs::vessel_run();
        run["openings"]["outlet"] = outlet;
        folder.json("run.json", &run);
        folder.refuses("run", &["run.json", "--quiet", "--check"], &[&["run.json", "openings"], pieces].concat());
    };
    refuses(json!({"split": 1.5}), &["outlet", "split 1.5", "at most 1"]);
    refuses(json!({"split": -0.5}), &["outlet", "split -0.5", "above 0"]);
    refuses(json!({"split": 0.5, "velocity": "1 mm/s"}), &["\"velocity\", \"split\"", "alone"]);
    refuses(json!({"split": 0.5, "ramp": "1 ms"}), &["\"ramp\"", "leave it out"]);
    refuses(json!({"split": 0.5}), &["outlet.split", "no opening of kind \"pressure\"", "CASE.json"]);
    refuses(json!({"resistance": "1 Pa s/m2"}), &["kind \"velocity\"", "\"resistance\" is given", "CASE.json"]);
}
