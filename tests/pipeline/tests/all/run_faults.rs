//! What cannot be run: one message, exit code 2, nothing left behind.

use pipeline_tests::{Folder, configs};
use serde_json::{Value, json};

/// Expects the run of the vessel, changed by `change`, to be refused, by itself, as threads and by a check.
fn refuses(folder: &Folder, change: impl FnOnce(&mut Value), pieces: &[&str]) {
    let mut config = configs::vessel_run();
    change(&mut config);
    folder.json("run.json", &config);
    println!("{config}");
    let pieces = [&["run.json"], pieces].concat();
    folder.refuses("run", &["run.json", "--quiet"], &pieces);
    folder.refuses("run", &["run.json", "--quiet", "--threads", "2"], &pieces);
    folder.refuses("run", &["run.json", "--quiet", "--check"], &pieces);
}

/// Sets what a JSON pointer leads to.
fn set(config: &mut Value, pointer: &str, value: Value) {
    let (parent, key) = pointer.rsplit_once('/').expect("a pointer");
    let parent = config.pointer_mut(parent).expect("a place");
    match key.parse::<usize>() {
        Ok(i) => parent[i] = value,
        Err(_) => parent[key] = value,
    }
}

#[test]
fn unknown_and_misspelt_keys_name_the_nearest() {
    let folder = Folder::with_vessel();
    for (path, from, to) in [
        ("", "openings", "opening"),
        ("", "dumps", "dump"),
        ("/fluid/lattice_boltzmann", "viscosity", "viscocity"),
        ("/fluid", "lattice_boltzmann", "latice_boltzmann"),
        ("/time", "steps", "stpes"),
        ("/openings/inlet", "velocity", "velocities"),
        ("/dumps/0", "every", "evry"),
        ("/monitor", "every", "ever"),
    ] {
        let rename = |config: &mut Value| {
            let object = config.pointer_mut(path).and_then(Value::as_object_mut).expect("an object");
            let value = object.remove(from).expect("the key");
            object.insert(to.to_owned(), value);
        };
        refuses(&folder, rename, &[&format!("`{to}`"), &format!("did you mean \"{from}\"?")]);
    }
    for (pointer, value, pieces) in [
        ("/openings/inlet/waveform", json!({"sine": {"freqency": "1 Hz"}}), &["freqency", "\"frequency\"?"][..]),
        ("/openings/inlet/waveform", json!({"sinus": {"frequency": "1 Hz"}}), &["sinus", "sine"]),
        ("/openings/inlet/profile", json!("parabolik"), &["parabolik", "\"parabolic\"?"]),
        ("/fluid/lattice_boltzmann/collision", json!("trd"), &["trd", "\"trt\"?"]),
        ("/fluid/lattice_boltzmann/precision", json!("fp16"), &["fp16", "\"f16\"?"]),
        (
            "/openings/inlet/waveform",
            json!({"sine": {"frequency": "1e12 Hz"}}),
            &["inlet", "1.000e-12 s", "time step of 5.0e-14 s"],
        ),
        ("/dumps/0/fields", json!(["speed", "velocity"]), &["speed", "velocity"]),
        ("/drive", json!({"forces": ["1 Pa/m", "0 Pa/m"]}), &["forces", "\"force\"?"]),
    ] {
        refuses(&folder, |config| set(config, pointer, value), pieces);
    }
}

#[test]
fn wrong_units() {
    let folder = Folder::with_vessel();
    for (pointer, value, pieces) in [
        (
            "/fluid/lattice_boltzmann/viscosity",
            json!("1.2 mm"),
            &["fluid.lattice_boltzmann.viscosity", "\"1.2 mm\"", "dynamic viscosity", "mPa s"][..],
        ),
        ("/fluid/lattice_boltzmann/viscosity", json!("1.2"), &["fluid.lattice_boltzmann.viscosity", "1.2"]),
        ("/fluid/lattice_boltzmann/viscosity", json!(1.2), &["fluid.lattice_boltzmann.viscosity"]),
        ("/fluid/lattice_boltzmann/density", json!("1025 kg"), &["fluid.lattice_boltzmann.density", "kg/m3"]),
        ("/openings/inlet/velocity", json!("8 mm"), &["openings.inlet.velocity", "not a velocity"]),
        ("/openings/outlet/pressure", json!("0 m"), &["openings.outlet.pressure", "not a pressure"]),
        ("/openings/outlet/pressure", json!("NaN Pa"), &["openings.outlet.pressure"]),
        ("/time", json!({"step": "1 furlong", "steps": 10}), &["time.step", "furlong"]),
    ] {
        refuses(&folder, |config| set(config, pointer, value), pieces);
    }
}

#[test]
fn a_relaxation_time_too_small() {
    let folder = Folder::with_vessel();
    for tau in [json!(0.5), json!(0.3), json!(-1)] {
        let pieces = [&format!("tau {tau}")[..], "above 0.5", "0.8"];
        refuses(&folder, |config| config["fluid"]["lattice_boltzmann"]["tau"] = tau.clone(), &pieces);
    }
    for step in ["0 s", "-1 us"] {
        let change = |config: &mut Value| {
            config["time"] = json!({"step": step, "steps": 10});
            config["fluid"]["lattice_boltzmann"]["tau"] = Value::Null;
        };
        refuses(&folder, change, &["above 0.5", "step"]);
    }
}

#[test]
fn a_mach_number_too_large_at_the_inlet() {
    let folder = Folder::with_vessel();
    let pieces = ["openings.inlet", "Mach", "0.3", "time step"];
    refuses(&folder, |config| config["openings"]["inlet"]["velocity"] = json!("8 m/s"), &pieces);
    let beat = json!({"sine": {"frequency": "1 Hz", "mean": 1.0, "amplitude": 100.0}});
    refuses(&folder, |config| config["openings"]["inlet"]["waveform"] = beat, &pieces);
}

#[test]
fn a_start_too_fast_for_the_lattice() {
    let folder = Folder::with_vessel();
    let pieces = ["initial.velocity", "Mach", "0.3"];
    refuses(&folder, |config| config["initial"] = json!({"velocity": ["100 m/s", "0 m/s"]}), &pieces);
}

#[test]
fn times_out_of_range() {
    let folder = Folder::with_vessel();
    for duration in ["-1 s", "1e300 s"] {
        refuses(&folder, |config| config["time"] = json!({"duration": duration}), &["time", "duration"]);
    }
    refuses(&folder, |config| config["openings"]["inlet"]["ramp"] = json!("-1 s"), &["openings.inlet", "ramp", "-1 s"]);
}

#[test]
fn moments_that_cannot_be() {
    let folder = Folder::with_vessel();
    for (pointer, value, pieces) in [
        ("/dumps/0/every", json!("0 s"), &["dumps[0].every", "\"0 s\"", "above 0"][..]),
        ("/monitor/every", json!("-1 ms"), &["monitor.every", "above 0"]),
        ("/checkpoint", json!({"every": "1 mm"}), &["checkpoint.every", "not a time"]),
        ("/balance", json!({"every": 1.5}), &["balance.every", "1.5", "a number of time steps", "a time"]),
        ("/tracks", json!({"every": 0}), &["tracks.every"]),
        ("/dumps/0/at", json!(["-1 us"]), &["dumps[0].at", "before the start"]),
        ("/dumps/0/at", json!(["1 s"]), &["dumps[0].at", "\"1 s\"", "beyond the end", "step 100"]),
        ("/cell_dumps", json!({"at": ["1 h"]}), &["cell_dumps.at", "beyond the end"]),
    ] {
        refuses(&folder, |config| set(config, pointer, value), pieces);
    }
}

#[test]
fn time_twice_or_never() {
    let folder = Folder::with_vessel();
    for (tau, time, piece) in [
        (None, json!({"steps": 10}), "fluid.lattice_boltzmann.tau"),
        (Some(0.8), json!({"steps": 10, "step": "1 us"}), "fluid.lattice_boltzmann.tau"),
        (Some(0.8), json!({}), "\"duration\""),
        (Some(0.8), json!({"steps": 10, "duration": "1 ms"}), "\"duration\""),
    ] {
        let change = |config: &mut Value| {
            config["time"] = time;
            config["fluid"]["lattice_boltzmann"]["tau"] = json!(tau);
        };
        refuses(&folder, change, &["time", piece]);
    }
}

#[test]
fn openings_that_do_not_match_the_case() {
    let folder = Folder::with_vessel();
    refuses(
        &folder,
        |config| config["openings"]["outlett"] = json!({"pressure": "0 Pa"}),
        &["openings.outlett", "inlet, outlet", "did you mean \"outlet\"?"],
    );
    for (name, remedy) in [("inlet", "velocity"), ("outlet", "pressure")] {
        let remove = |config: &mut Value| {
            config["openings"].as_object_mut().expect("openings").remove(name);
        };
        refuses(&folder, remove, &["openings", &format!("\"{name}\"")]);
        refuses(&folder, |config| config["openings"][name] = json!({}), &[&format!("openings.{name}"), remedy]);
    }
    refuses(
        &folder,
        |config| config["openings"]["inlet"] = json!({"pressure": "1 Pa"}),
        &["openings.inlet", "\"velocity\""],
    );
    refuses(
        &folder,
        |config| config["openings"]["inlet"] = json!({"flow_rate": "1 uL/s"}),
        &["openings.inlet", "2-D", "\"velocity\""],
    );
}

#[test]
fn tables_that_cannot_be_read() {
    let folder = Folder::with_vessel();
    let table = |config: &mut Value| config["openings"]["inlet"]["waveform"] = json!({"table": {"file": "beat.csv"}});
    refuses(&folder, table, &["beat.csv"]);
    for text in [
        "",
        "time [s],factor\n",
        "time [s],factor\n0,1\n1,x\n",
        "time [s],factor\n1,1\n0,1\n",
        "time,factor\n0,1\n1,1\n",
    ] {
        folder.write("beat.csv", text.as_bytes());
        println!("{text}");
        refuses(&folder, table, &["beat.csv"]);
    }
    folder.write("beat.csv", b"time [s],factor,factor\n0,1,0\n1,1,0\n");
    refuses(&folder, table, &["beat.csv", "column \"factor\" is there twice"]);
    folder.write("beat.csv", b"time [s],factor,flow\n0,1,0\n1,1,0\n");
    refuses(&folder, table, &["beat.csv", "unknown column \"flow\"", "time, factor"]);
    let profile = |config: &mut Value| config["openings"]["inlet"] = json!({"profile": {"csv": "profile.csv"}});
    refuses(&folder, profile, &["profile.csv"]);
    for text in ["", "y [um],speed [m]\n0,1\n1,1\n", "q [um],speed [m/s]\n0,1\n"] {
        folder.write("profile.csv", text.as_bytes());
        println!("{text}");
        refuses(&folder, profile, &["profile.csv"]);
    }
    for (text, pieces) in [
        ("y [um],y [um],speed [mm/s]\n0,0,1\n104,104,1\n", &["column \"y\" is there twice"][..]),
        ("y [um],speed [mm/s],ux [mm/s],uy [mm/s]\n0,1,2,0\n104,1,2,0\n", &["\"speed\" and \"ux\"", "leave"]),
        (
            "y [um],speed [mm/s]\n0,0\n52,9\n104,0\n52,8\n",
            &["at y 52 \u{b5}m is (9 mm/s", "(8 mm/s", "leave one of the rows out"],
        ),
    ] {
        folder.write("profile.csv", text.as_bytes());
        refuses(&folder, profile, &[&["profile.csv"], pieces].concat());
    }
    // Millimetres in place of micrometres.
    folder.write("profile.csv", b"x [um],speed [mm/s]\n0,0\n30,5\n");
    refuses(&folder, profile, &["profile.csv", "only coordinate, x, lies along the normal"]);
    folder.write("profile.csv", b"y [mm],speed [mm/s]\n4000,0\n50000,4\n88000,0\n");
    refuses(&folder, profile, &["openings.inlet", "y from 4.000e0", "100 % of its nodes", "unit"]);
}

#[test]
fn keys_of_another_flow_are_refused() {
    let folder = Folder::with_vessel();
    for profile in [json!({"csv": "nowhere.csv"}), json!("flat"), json!("womersley")] {
        let outlet = json!({"pressure": "0 Pa", "profile": profile});
        let pieces = ["openings.outlet", "\"profile\"", "kind \"pressure\"", "leave it out"];
        refuses(&folder, |config| config["openings"]["outlet"] = outlet, &pieces);
    }
    let one_time = |config: &mut Value| {
        let fluid = &mut config["fluid"]["lattice_boltzmann"];
        (fluid["collision"], fluid["magic"]) = (json!("bgk"), json!(0.25));
    };
    refuses(&folder, one_time, &["fluid.lattice_boltzmann.magic 0.25", "\"bgk\"", "leave it out", "\"trt\""]);
}

#[test]
fn dumps_that_cannot_be() {
    let folder = Folder::with_vessel();
    for (dumps, pieces) in [
        (json!([{"at": [101]}]), &["dumps[0].at", "101", "step 100"][..]),
        (json!([{"every": 0}]), &["dumps[0].every"]),
        (json!([{}]), &["dumps[0]", "\"every\"", "\"at\""]),
        (json!([{"every": 10}, {"every": 20}]), &["dumps[1].name", "\"fields\"", "taken"]),
        (json!([{"every": 10, "name": "../up"}]), &["dumps[0].name", "../up", "holds '.'"]),
        (json!([{"every": 10, "name": "near wall"}]), &["dumps[0].name", "\"near wall\" holds a space", "file name"]),
        (json!([{"every": 10, "fields": []}]), &["dumps[0].fields"]),
        (
            json!([{"every": 10, "region": {"box": {"min": ["0 um"], "max": ["9 um"]}}}]),
            &["dumps[0].region.box", "2 axes"],
        ),
        (json!([{"every": 10, "region": {"plane": {"axis": "z", "at": "1 um"}}}]), &["dumps[0].region.plane", "z"]),
    ] {
        refuses(&folder, |config| config["dumps"] = dumps, pieces);
    }
    refuses(&folder, |config| config["monitor"] = json!({"every": 0}), &["monitor.every"]);
    refuses(&folder, |config| config["checkpoint"] = json!({"every": 0}), &["checkpoint.every"]);
}

#[test]
fn a_dump_of_no_node() {
    let folder = Folder::with_vessel();
    for region in [
        json!({"plane": {"axis": "x", "at": "1 m"}}),
        json!({"box": {"min": ["0 um", "0 um"], "max": ["3 um", "3 um"]}}),
    ] {
        let dumps = json!([{"every": 10}, {"every": 10, "name": "far", "region": region}]);
        refuses(&folder, |config| config["dumps"] = dumps, &["dumps[1].region", "no"]);
    }
}

#[test]
fn a_drive_that_cannot_be() {
    let folder = Folder::with_vessel();
    let force = json!({"force": ["1 Pa/m", "0 Pa/m", "0 Pa/m"]});
    refuses(&folder, |config| config["drive"] = force, &["drive.force", "3 components", "2 dimensions"]);
    let drop = json!({"pressure_drop": {"axis": "x", "drop": "1 Pa"}});
    refuses(&folder, |config| config["drive"] = drop, &["drive.pressure_drop", "periodic"]);
}

#[test]
fn a_missing_case() {
    let folder = Folder::with_vessel();
    for (case, pieces) in [("vesel.h5", &["vesel.h5", "mkcase"][..]), (".", &[])] {
        let mut config = configs::vessel_run();
        config["case"] = json!(case);
        folder.json("run.json", &config);
        folder.refuses("run", &["run.json", "--quiet"], pieces);
        folder.refuses("run", &["run.json", "--quiet", "--threads", "2"], pieces);
    }
}

#[test]
fn a_case_cut_short() {
    let folder = Folder::with_vessel();
    let whole = std::fs::read(folder.path("vessel.h5")).expect("reads");
    for length in [0, 7, 100, whole.len() / 4, whole.len() / 2, whole.len() * 9 / 10, whole.len() - 1] {
        folder.write("vessel.h5", &whole[..length]);
        println!("{length} of {}", whole.len());
        folder.refuses("run", &["run.json", "--quiet"], &["vessel.h5"]);
    }
    folder.write("vessel.h5", b"This is a letter to a friend.");
    folder.refuses("run", &["run.json", "--quiet"], &["vessel.h5", "mkcase"]);
}

#[test]
fn more_ranks_than_nodes() {
    let folder = Folder::with_vessel();
    folder.write("vessel.pgm", &pipeline_tests::draw::Picture::of(3, 1, |_, _| true).pgm());
    let mut case = configs::vessel_case();
    case["parts"] = json!([1]);
    folder.json("vessel.json", &case);
    let _made = folder.mkcase(&["vessel.json", "--quiet"]).done();
    let pieces = ["4 ranks", "3 fluid nodes", "fewer ranks"];
    folder.refuses("run", &["run.json", "--quiet", "--threads", "4"], &pieces);
    folder.refuses("mkcase", &["vessel.json", "--quiet", "--parts", "4"], &["4 parts", "3 nodes"]);
}

#[test]
fn ranks_of_mpi_say_a_fault_once() {
    let folder = Folder::with_vessel();
    let mut config = configs::vessel_run();
    config["fluid"]["lattice_boltzmann"]["tau"] = json!(0.4);
    folder.json("run.json", &config);
    let before = folder.content();
    // Whether rank 0 gets its word out before MPI ends the job would be a matter of luck.
    for _ in 0..4 {
        folder.mpirun(3, &["run.json", "--quiet"]).fails(2, &["run.json", "tau 0.4"]);
    }
    assert!(folder.content() == before, "files were left behind");
}

#[test]
fn broken_json_names_the_line() {
    let folder = Folder::with_vessel();
    let whole = configs::vessel_run().to_string();
    for (text, pieces) in [
        (whole.replace("\"time\":", "\n\"time\"\n"), &["line 3"][..]),
        (whole[..whole.len() / 2].to_owned(), &["line 1"]),
        (String::new(), &["line 1"]),
        (whole.replace("\"case\":\"vessel.h5\",", ""), &["`case`"]),
        (whole.clone() + "}", &["line 1"]),
    ] {
        folder.write("run.json", text.as_bytes());
        println!("{text}");
        folder.refuses("run", &["run.json", "--quiet"], &[&["run.json"], pieces].concat());
    }
    folder.refuses("run", &["nowhere.json", "--quiet"], &["nowhere.json"]);
}

#[test]
fn restarts_that_cannot_be() {
    let folder = Folder::with_vessel();
    let _done = folder.run(&["run.json", "--checkpoint-every", "50", "--quiet"]).done();
    let checkpoint = "run/checkpoint/step-000000000100";
    folder.refuses(
        "run",
        &["run.json", "-o", "b", "--restart", "run/checkpoint/no", "--quiet"],
        &["run/checkpoint/no"],
    );
    let mut half = configs::vessel_run();
    half["fluid"]["lattice_boltzmann"]["precision"] = json!("f16");
    folder.json("half.json", &half);
    folder.refuses("run", &["half.json", "-o", "b", "--restart", checkpoint, "--quiet"], &[checkpoint, "f16"]);
    let mut other = configs::vessel_case();
    other["geometry"]["spacing"] = json!("4.5 um");
    folder.json("vessel.json", &other);
    let _made = folder.mkcase(&["vessel.json", "--quiet"]).done();
    folder.refuses("run", &["run.json", "-o", "b", "--restart", checkpoint, "--quiet"], &[checkpoint, "another case"]);
    let _made = {
        folder.json("vessel.json", &configs::vessel_case());
        folder.mkcase(&["vessel.json", "--quiet"]).done()
    };
    let file = format!("{checkpoint}/rank-0000.h5");
    let whole = std::fs::read(folder.path(&file)).expect("reads");
    folder.write(&file, &whole[..whole.len() / 2]);
    folder.refuses("run", &["run.json", "-o", "b", "--restart", checkpoint, "--quiet"], &[checkpoint]);
}
