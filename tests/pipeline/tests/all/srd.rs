//! Fluids of particles by stochastic rotation dynamics: the same bits on any number of ranks, restarts, balance, faults.

use pipeline_tests::{Folder, draw};
use serde_json::{Value, json};

/// A block with ragged grains that wraps in all directions, and the run of a fluid through it.
fn porous(changes: &[(&str, Value)]) -> Folder {
    let folder = Folder::new();
    folder.write("porous.mha", &draw::porous_block().mha());
    let geometry =
        json!({"voxels": {"file": "porous.mha"}, "spacing": "1 um", "periodic": ["x", "y", "z"], "keep": "largest"});
    folder.json("case.json", &json!({"geometry": geometry, "parts": [2]}));
    let _made = folder.mkcase(&["case.json", "--quiet"]).done();
    let run = json!({
        "case": "case.h5",
        "fluid": {"srd": {
            "density": "1000 kg/m3", "temperature": "300 K", "mean_free_path": 0.15, "particles_per_cell": 3.3, "sample_every": 7
        }},
        "drive": {"force": ["400 Pa/m", "-100 Pa/m", "50 Pa/m"]},
        "time": {"steps": 200},
        "dumps": [{"every": 100, "at": [33]}, {"name": "plane", "every": 50, "region": {"plane": {"axis": "y", "at": "11 um"}}}],
        "monitor": {"every": 50}
    });
    folder.json_with("run.json", run, changes);
    folder
}

/// A 2-D channel along x, `length` sites long, whose upper wall moves.
fn sheared(length: usize, changes: &[(&str, Value)]) -> Folder {
    let folder = Folder::new();
    folder.write("channel.pgm", &draw::Picture::of(length, 14, |_, y| y < 13).pgm());
    folder.json(
        "case.json",
        &json!({
            "geometry": {"image": "channel.pgm", "spacing": "1 um", "periodic": ["x"]},
            "openings": [{"name": "lid", "kind": "wall", "face": "y+"}],
        }),
    );
    let _made = folder.mkcase(&["case.json", "--quiet"]).done();
    let run = json!({
        "case": "case.h5",
        "fluid": {"srd": {"density": "1000 kg/m3", "temperature": "300 K", "mean_free_path": 0.1, "particles_per_cell": 10}},
        "openings": {"lid": {"wall_velocity": ["1 mm/s", "0 m/s"]}},
        "time": {"steps": 200},
        "dumps": [{"every": 100}],
        "monitor": {"every": 50}
    });
    folder.json_with("run.json", run, changes);
    folder
}

/// Stops where neither a look nor a sample is due.
fn ranks_agree(folder: &Folder) {
    folder.ranks_agree(3, [61, 133]);
}

#[test]
fn ranks_agree_in_a_porous_block() {
    ranks_agree(&porous(&[]));
}

#[test]
fn ranks_agree_on_a_gas_of_andersen() {
    ranks_agree(&porous(&[
        ("/fluid/srd/collision", json!("andersen")),
        ("/fluid/srd/mean_free_path", json!(0.4)),
        ("/drive", json!({})),
    ]));
}

#[test]
fn ranks_agree_where_angular_momentum_is_conserved() {
    ranks_agree(&porous(&[("/fluid/srd/angular_momentum", json!(true))]));
}

#[test]
fn ranks_agree_below_a_moving_wall() {
    ranks_agree(&sheared(40, &[]));
}

#[test]
fn ranks_agree_where_most_particles_fly_after_the_message() {
    ranks_agree(&sheared(160, &[]));
}

#[test]
fn the_device_may_wait_for_messages() {
    let folder = sheared(40, &[]);
    let _solo = folder.run(&["run.json", "-o", "solo", "--quiet"]).done();
    let call = folder.call("run", &["run.json", "-o", "two", "--quiet", "--threads", "2"]);
    let _two = call.with("HEMATITE_DEVICE_WAITS", "1").with("HEMATITE_LONG_MESSAGES", "1").end().done();
    folder.same("solo", "two");
}

#[test]
fn balance_changes_nothing() {
    let folder = porous(&[]);
    let _solo = folder.run(&["run.json", "-o", "solo", "--quiet"]).done();
    let mut run = folder.read_json("run.json");
    run["balance"] = json!({"every": 40, "tolerance": 0.0});
    folder.json("balanced.json", &run);
    let _three = folder.run(&["balanced.json", "-o", "three", "--quiet", "--threads", "3"]).done();
    assert!(folder.read("three/log.jsonl").contains("\"event\":\"balance\""));
    folder.same("solo", "three");
}

#[test]
fn momentum_goes_from_a_moving_wall_into_the_fluid() {
    let folder = sheared(40, &[("/time/steps", json!(2400)), ("/dumps", json!([{"every": 2400, "at": [600]}]))]);
    let _run = folder.run(&["run.json", "-o", "run", "--quiet"]).done();
    let _flow = folder.post(&["flow", "run"]).done();
    // The channel is 13 nodes wide, and the moving wall is one of its two.
    let summary = folder.read_json("run/statistics/summary.json");
    let diameter = summary["dumps"][0]["flow"]["hydraulic_diameter_m"].as_f64().expect("a number");
    assert!((diameter / 26e-6 - 1.0).abs() < 1e-6, "{diameter}");
    let table = folder.read("run/statistics/layers_y.csv");
    let mut rows = table.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let header = rows.next().expect("a header");
    let at = header.iter().position(|name| *name == "velocity_x_m_per_s").expect("a column");
    let speeds: Vec<f64> = rows.map(|row| row[at].parse().expect("a number")).collect();
    assert_eq!(speeds.len(), 13);
    // Linear from wall to wall, but for fluctuations.
    for (k, speed) in speeds.iter().enumerate() {
        let wanted = 1e-3 * (k as f64 + 0.5) / 13.0;
        assert!((speed - wanted).abs() < 1.5e-4, "layer {k}: {speed}, wanted {wanted}: {speeds:?}");
    }
}

#[test]
fn weak_forces_drive_as_hard_as_strong_ones() {
    let folder = Folder::new();
    folder.write("box.pgm", &draw::Picture::of(24, 20, |_, _| true).pgm());
    let geometry = json!({"image": "box.pgm", "spacing": "1 um", "periodic": ["x", "y"]});
    folder.json("case.json", &json!({"geometry": geometry}));
    let _made = folder.mkcase(&["case.json", "--quiet"]).done();
    // Some of what one step adds is below half of the spacing of velocities in 32 bits, 7e-9 of the largest.
    for (k, force) in [0.05, -0.1, 0.3, 1.0].into_iter().enumerate() {
        let run = json!({
            "case": "case.h5",
            "fluid": {"srd": {
                "density": "1000 kg/m3", "temperature": "300 K", "mean_free_path": 0.1, "particles_per_cell": 10
            }},
            "drive": {"force": [format!("{force} Pa/m"), format!("{} Pa/m", -2.0 * force)]},
            "time": {"steps": 2000},
            "dumps": [{"every": 2000}],
            "monitor": {"every": 2000}
        });
        folder.json("run.json", &run);
        let name = format!("run-{k}");
        let _run = folder.run(&["run.json", "-o", &name, "--quiet"]).done();
        let ledger = folder.read(&format!("{name}/ledger.csv"));
        let mut rows = ledger.lines().map(|line| line.split(',').collect::<Vec<_>>());
        let header = rows.next().expect("a header");
        let rows: Vec<_> = rows.collect();
        let at = |row: usize, name: &str| -> f64 {
            let column = header.iter().position(|found| *found == name).expect("a column");
            rows[row][column].parse().expect("a number")
        };
        for (axis, factor) in [("momentum_x_kg_m_per_s", 1.0), ("momentum_y_kg_m_per_s", -2.0)] {
            let gained = at(rows.len() - 1, axis) - at(0, axis);
            let wanted = factor * force * 24.0 * 20.0 * 1e-12 * 1e-6 * at(rows.len() - 1, "time_s");
            assert!((gained / wanted - 1.0).abs() < 0.02, "{axis} at {force} Pa/m: {gained:e}, wanted {wanted:e}");
        }
    }
}

#[test]
fn a_force_that_compresses_or_drives_too_hard_is_told() {
    let folder = sheared(40, &[("/drive", json!({"force": ["1200 Pa/m", "-300 Pa/m"]}))]);
    let run = folder.run(&["run.json", "-o", "run"]).done();
    assert!(run.stderr.contains("compresses the fluid"), "{}", run.stderr);
    assert!(run.stderr.contains("of the thermal speed"), "{}", run.stderr);
}

#[test]
fn viscosities_that_theory_does_not_know_are_told() {
    for (degrees, told) in [(130, false), (160, false), (172, true), (180, true)] {
        let folder = sheared(40, &[("/fluid/srd/angle", json!(degrees))]);
        let check = folder.run(&["run.json", "-o", "run", "--check=quick"]).done();
        let said = check.stderr.clone() + &check.stdout;
        assert_eq!(said.contains("by theory are too high"), told, "{degrees}: {said}");
    }
}

#[test]
fn what_cannot_work_is_refused() {
    let folder = sheared(40, &[]);
    let good = folder.read_json("run.json");
    let changed = |keys: Value| {
        let mut fluid = good["fluid"]["srd"].clone();
        for (key, value) in keys.as_object().expect("keys") {
            fluid[key] = value.clone();
        }
        fluid
    };
    for (pointer, value, pieces) in [
        ("/fluid/srd/grid_shift", json!(false), &["fluid.srd.grid_shift", "mean free path of 0.1", "true"][..]),
        ("/fluid/srd/angle", json!(0), &["fluid.srd.angle", "0 must be above 0", "130"]),
        ("/fluid/srd/angle", json!(181), &["fluid.srd.angle", "181", "180 degrees"]),
        ("/fluid/srd/particles_per_cell", json!(1.5), &["fluid.srd.particles_per_cell", "1.5", "2 to 200"]),
        ("/fluid/srd/mean_free_path", json!(0), &["fluid.srd.mean_free_path", "0.001 to 3"]),
        ("/fluid/srd/mean_free_path", json!(null), &["fluid.srd.mean_free_path or time.step"]),
        ("/time/step", json!("1 us"), &["fluid.srd.mean_free_path or time.step"]),
        ("/fluid/srd/temperature", json!("0 K"), &["fluid.srd.temperature", "above 0"]),
        ("/fluid/srd/temperature", json!("300 C"), &["fluid.srd.temperature", "300 C"]),
        ("/fluid/srd/thermostat", json!(2), &["fluid.srd.thermostat", "0 to 1"]),
        ("/fluid/srd/sample_every", json!(0), &["fluid.srd.sample_every"]),
        ("/fluid/srd/colision", json!("andersen"), &["colision", "\"collision\"?"]),
        (
            "/fluid/lattice_boltzmann",
            json!({"density": "1 kg/m3", "viscosity": "1 Pa s", "tau": 0.8}),
            &["srd", "give one"],
        ),
        (
            "/openings/lid",
            json!({"wall_velocity": ["9 m/s", "0 m/s"]}),
            &["openings.lid.wall_velocity", "speed of sound"],
        ),
        ("/openings/lid", json!({"wall_velocity": ["1 mm/s"]}), &["openings.lid.wall_velocity", "1 components"]),
        (
            "/openings/lid",
            json!({"wall_velocity": ["1 mm/s", "1 mm/s"]}),
            &["openings.lid.wall_velocity", "along its normal", "71 %"],
        ),
        (
            "/drive",
            json!({"force": ["1 Pa/m", "0 Pa/m"], "waveform": {"sine": {"frequency": "1000 GHz"}}}),
            &["drive", "shorter than two time steps"],
        ),
        ("/openings/lit", json!({}), &["openings.lit", "\"lid\"?"]),
        ("/initial", json!({"velocity": ["1 km/s", "0 m/s"]}), &["initial.velocity", "speed of sound"]),
        ("/drive", json!({"force": ["1 GPa/m", "0 Pa/m"]}), &["drive", "thermal speeds", "0.1"]),
        ("/drive", json!({"pressure_drop": {"axis": "y", "drop": "1 Pa"}}), &["drive.pressure_drop", "not a periodic"]),
        ("/fluid/srd/mean_free_path", json!(2.9), &["40 sites long along a periodic direction", "72"]),
        ("/cells", json!({"kernel": 2}), &["\"cells\"", "physics that the run does not have"]),
        ("/drive", json!({"ramp": "1 us"}), &["drive.ramp", "no effect", "drive.pressure_drop"]),
        (
            "/fluid/srd",
            changed(json!({"collision": "andersen", "angle": 90})),
            &["fluid.srd.angle", "90 has no effect"],
        ),
        (
            "/fluid/srd",
            changed(json!({"collision": "andersen", "thermostat": 0.5})),
            &["fluid.srd.thermostat", "0.5 has no effect"],
        ),
        (
            "/fluid/srd",
            changed(json!({"walls": "slip"})),
            &["openings.lid.wall_velocity has no effect", "\"slip\"", "\"no_slip\""],
        ),
    ] {
        folder.json_with("run.json", good.clone(), &[(pointer, value)]);
        let pieces = [&["run.json"], pieces].concat();
        folder.refuses("run", &["run.json", "--quiet"], &pieces);
        folder.refuses("run", &["run.json", "--quiet", "--check"], &pieces);
    }
}

#[test]
fn openings_are_refused() {
    let folder = Folder::with_vessel();
    let mut run = folder.read_json("run.json");
    run["fluid"] = json!({"srd": {"density": "1000 kg/m3", "temperature": "300 K", "mean_free_path": 0.1}});
    run["openings"] = json!({});
    run["time"] = json!({"steps": 10});
    folder.json("run.json", &run);
    folder.refuses("run", &["run.json", "--quiet"], &["run.json", "openings.inlet", "periodic", "lattice_boltzmann"]);
}

#[test]
fn another_fluid_does_not_go_on_from_a_checkpoint() {
    let folder = sheared(40, &[]);
    let _run = folder.run(&["run.json", "-o", "run", "--quiet", "--steps", "50"]).done();
    folder.json_with("run.json", folder.read_json("run.json"), &[("/fluid/srd/mean_free_path", json!(0.2))]);
    folder
        .run(&["run.json", "-o", "run", "--quiet", "--restart"])
        .fails(2, &["fluid.srd.mean_free_path", "was 0.1, now 0.2", "-o"]);
}

#[test]
fn particles_of_another_mass_do_not_go_on_from_a_checkpoint() {
    let folder = sheared(40, &[]);
    let _run = folder.run(&["run.json", "-o", "run", "--quiet", "--steps", "50"]).done();
    // Twice the mass at twice the temperature has the same thermal speed, and so the same time step.
    let run = folder.read_json("run.json");
    let twice = |key: &str| {
        let text = run["fluid"]["srd"][key].as_str().expect("a text");
        let (number, unit) = text.split_once(' ').expect("a number and its unit");
        json!(format!("{} {unit}", 2.0 * number.parse::<f64>().expect("a number")))
    };
    let changes = [("/fluid/srd/density", twice("density")), ("/fluid/srd/temperature", twice("temperature"))];
    folder.json_with("run.json", run.clone(), &changes);
    let restart = ["run.json", "-o", "run", "--quiet", "--restart", "--steps", "80", "--allow-changes"];
    folder.run(&restart).fails(2, &["another fluid", "kg each", "-o"]);
}
