//! Polymers in fluids of particles and in a solvent without hydrodynamics: the same bits on any number of ranks, restarts, balance, equilibrium, faults.

use pipeline_tests::{Folder, draw};
use serde_json::{Value, json};

fn run_config(force: &Value) -> Value {
    json!({
        "case": "case.h5",
        "fluid": {"srd": {"density": "1000 kg/m3", "temperature": "300 K", "mean_free_path": 0.1, "particles_per_cell": 4}},
        "polymers": {"populations": {}},
        "drive": {"force": force},
        "time": {"steps": 150},
        "dumps": [{"every": 75}],
        "cell_dumps": {"every": 25},
        "monitor": {"every": 50}
    })
}

/// Open and closed chains, some of which pass through others, in a block with ragged grains that wraps in all directions.
fn porous(changes: &[(&str, Value)]) -> Folder {
    let folder = Folder::new();
    folder.write("porous.mha", &draw::porous_block().mha());
    let geometry =
        json!({"voxels": {"file": "porous.mha"}, "spacing": "1 um", "periodic": ["x", "y", "z"], "keep": "largest"});
    let polymers = json!([
        {"name": "open", "beads": 9, "bond": "0.8 um", "count": 30},
        {"name": "ring", "beads": 7, "bond": "0.7 um", "ring": true, "count": 4},
        {"name": "ghost", "beads": 5, "bond": "0.6 um", "diameter": "0 m", "count": 6}
    ]);
    folder.json("case.json", &json!({"geometry": geometry, "polymers": polymers, "parts": [2]}));
    let _made = folder.mkcase(&["case.json", "--quiet"]).done();
    let mut run = run_config(&json!(["400 Pa/m", "-100 Pa/m", "50 Pa/m"]));
    run["polymers"] = json!({"populations": {
        "open": {"bending": 3, "mass": 6},
        "ring": {"bonds": {"fene": {"stiffness": 30, "extension": 1.5}}},
        "ghost": {"bonds": {"harmonic": {"stiffness": 10}}}
    }});
    folder.json_with("run.json", run, changes);
    folder
}

/// A few chains in a 2-D channel along x whose upper wall moves.
fn sheared(changes: &[(&str, Value)]) -> Folder {
    let folder = Folder::new();
    folder.write("channel.pgm", &draw::Picture::of(40, 14, |_, y| y < 13).pgm());
    folder.json_with(
        "case.json",
        json!({
            "geometry": {"image": "channel.pgm", "spacing": "1 um", "periodic": ["x"]},
            "openings": [{"name": "lid", "kind": "wall", "face": "y+"}],
            "polymers": [{"name": "chain", "beads": 12, "bond": "1 um", "count": 5}]
        }),
        &[],
    );
    let _made = folder.mkcase(&["case.json", "--quiet"]).done();
    let mut run = run_config(&json!(["0 Pa/m", "0 Pa/m"]));
    run["openings"] = json!({"lid": {"wall_velocity": ["1 mm/s", "0 m/s"]}});
    folder.json_with("run.json", run, changes);
    folder
}

/// Stops where neither a look nor a sample is due.
fn ranks_agree(folder: &Folder) {
    folder.ranks_agree(4, [61, 107]);
}

#[test]
fn ranks_agree_in_a_porous_block() {
    ranks_agree(&porous(&[]));
}

#[test]
fn ranks_agree_below_a_moving_wall() {
    ranks_agree(&sheared(&[("/fluid/srd/collision", json!("andersen"))]));
}

/// A solvent without hydrodynamics in place of a fluid of particles.
fn langevin(run: &mut Value) {
    run["fluid"] = json!({"langevin": {"temperature": "300 K", "friction": "2e-10 kg/s"}});
    run["time"] = json!({"step": "10 us", "steps": 150});
    for of_srd in ["drive", "openings", "dumps"] {
        let _taken = run.as_object_mut().expect("an object").remove(of_srd);
    }
}

/// The same chains as in [`porous`], in a solvent without hydrodynamics.
fn damped() -> Folder {
    let folder = porous(&[]);
    let mut run = folder.read_json("run.json");
    langevin(&mut run);
    folder.json("run.json", &run);
    folder
}

#[test]
fn ranks_agree_without_hydrodynamics() {
    ranks_agree(&damped());
}

#[test]
fn balance_and_waits_of_the_device_change_nothing() {
    let folder = sheared(&[]);
    let _solo = folder.run(&["run.json", "-o", "solo", "--quiet"]).done();
    let mut run = folder.read_json("run.json");
    run["balance"] = json!({"every": 40, "tolerance": 0.0});
    folder.json("balanced.json", &run);
    let _three = folder.run(&["balanced.json", "-o", "three", "--quiet", "--threads", "3"]).done();
    assert!(folder.read("three/log.jsonl").contains("\"event\":\"balance\""));
    folder.same("solo", "three");
    let call = folder.call("run", &["run.json", "-o", "two", "--quiet", "--threads", "2"]);
    let _two = call.with("HEMATITE_DEVICE_WAITS", "1").end().done();
    folder.same("solo", "two");
}

/// The numbers of a column of a table.
fn column(ledger: &str, name: &str) -> Vec<f64> {
    let mut rows = ledger.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let at = rows.next().and_then(|header| header.iter().position(|found| *found == name)).expect("a column");
    rows.map(|row| row[at].parse().expect("a number")).collect()
}

#[test]
fn beads_have_the_temperature_of_the_fluid_and_their_share_of_energy() {
    let folder = sheared(&[
        ("/openings/lid/wall_velocity", json!(["0 m/s", "0 m/s"])),
        ("/polymers/populations", json!({"chain": {"bonds": {"harmonic": {"stiffness": 200}}, "mass": 5}})),
        ("/time/steps", json!(4000)),
        ("/monitor/every", json!(20)),
        ("/dumps", json!([{"every": 4000}])),
        ("/cell_dumps", json!({"every": 40})),
    ]);
    let _run = folder.run(&["run.json", "-o", "run", "--quiet"]).done();
    let ledger = folder.read("run/ledger.csv");
    let mean = |name: &str| {
        let values = &column(&ledger, name)[20..];
        values.iter().sum::<f64>() / values.len() as f64
    };
    // 60 beads have 120 degrees of freedom, and 180 lines are hardly correlated: 1 % of the temperature is a standard error.
    let temperature = mean("bead_temperature_K");
    assert!((temperature - 300.0).abs() < 12.0, "{temperature} K");
    // The 55 bonds have kT / 2 each, and a little more as long ones have more room in 2-D.
    let share = mean("bond_energy_J") / (0.5 * 55.0 * 1.380_649e-23 * 300.0);
    assert!((0.93..1.1).contains(&share), "{share} of kT / 2 in a bond");
    // Statistics of the chains, from the few dumps there are.
    let chains = folder.post(&["polymers", "run"]).done();
    assert!(chains.stderr.contains("the domain ends along y"), "{}", chains.stderr);
    let _tracks = folder.refuses("post", &["tracks", "run"], &["run holds polymers", "post polymers run"]);
    let table = folder.read("run/statistics/polymers.csv");
    let value = |name: &str| column(&table, name)[0];
    // Bonds of stiffness 200 kT / b^2 spread by 1 / sqrt(200) of their length.
    assert!((value("bond_m") - 1e-6).abs() < 0.02e-6, "{table}");
    assert!((value("bond_spread_m") - 0.0707e-6).abs() < 0.012e-6, "{table}");
    let [rg, ends] = [value("squared_radius_of_gyration_m2"), value("squared_end_to_end_m2")];
    assert!(rg > 1e-12 && rg < 12e-12 && ends > 2.0 * rg, "{table}");
    let [x, y] = [value("squared_radius_of_gyration_x_m2"), value("squared_radius_of_gyration_y_m2")];
    assert!(((x + y) / rg - 1.0).abs() < 1e-9 && value("bond_error_m") > 0.0, "{table}");
    let density = folder.read("run/statistics/bonds.csv");
    let classes: Vec<[f64; 2]> =
        column(&density, "length_m").into_iter().zip(column(&density, "density_per_m")).map(|(l, p)| [l, p]).collect();
    // Classes of 10 nm.
    let all: f64 = classes.iter().map(|[_, p]| p * 1e-8).sum();
    let mean: f64 = classes.iter().map(|[l, p]| l * p * 1e-8).sum();
    assert!((all - 1.0).abs() < 1e-9 && (mean / value("bond_m") - 1.0).abs() < 0.01, "{density}");
    for name in ["radii.csv", "correlations.csv", "displacements.csv", "modes.csv", "beads_y.csv", "polymers.json"] {
        assert!(folder.has(&format!("run/statistics/{name}")), "{name}");
    }
    // The shortest lag has all pairs of dumps next to each other.
    let moved = column(&folder.read("run/statistics/displacements.csv"), "pairs");
    assert_eq!(moved[0], value("chains") * (value("frames") - 1.0), "{moved:?}");
    // Beads lie between the walls, all of them.
    let across = folder.read("run/statistics/beads_y.csv");
    let beads: f64 = column(&across, "beads").iter().sum();
    assert!((beads - 60.0).abs() < 1e-9, "{across}");
    let _few = folder.refuses("post", &["polymers", "run", "--from", "3990"], &["1 dumps of polymers count"]);
    let mass = column(&ledger, "inside_kg");
    assert!(mass.iter().all(|m| m == &mass[0]), "{mass:?}");
}

#[test]
fn what_cannot_work_is_refused() {
    let folder = sheared(&[]);
    let good = folder.read_json("run.json");
    let refused = |changes: &[(&str, Value)], said: &[&str]| {
        folder.json_with("bad.json", good.clone(), changes);
        let _said = folder.refuses("run", &["bad.json", "-o", "never"], said);
    };
    let chain = |value: Value| ("/polymers/populations/chain", value);
    // Bonds as soft as these would reach half around the period of 40 um.
    refused(
        &[chain(json!({"bonds": {"harmonic": {"stiffness": 0.05}}}))],
        &["polymers: bonds or forces between beads reach"],
    );
    refused(&[chain(json!({"mass": 0}))], &["polymers.populations.chain.mass 0 must lie from 1 to 200"]);
    refused(
        &[("/polymers/populations", json!({"chian": {}}))],
        &["polymers.populations.chian", "did you mean \"chain\"?"],
    );
    refused(&[chain(json!({"bonds": {"harmonic": {"stiffness": 0}}}))], &["stiffness 0 must lie"]);
    refused(&[chain(json!({"bonds": {"fene": {"stiffness": 30, "extension": 0.9}}}))], &["extension 0.9 must lie"]);
    refused(
        &[chain(json!({"pairs": "wca"}))],
        &[
            "key \"polymers.populations.chain.pairs\" is \"wca\" without its keys",
            "write {\"wca\": {}}, in which \"energy\", \"diameter\" may stand",
        ],
    );
    refused(&[chain(json!({"bonds": "harmonic"}))], &["write {\"harmonic\": {\"stiffness\": ...}}"]);
    refused(&[chain(json!({"bending": -1}))], &["bending -1 must lie"]);
    refused(&[chain(json!({"pairs": {"wca": {"diameter": "5 um"}}}))], &["pairs.wca.diameter 5 µm must lie"]);
    refused(&[chain(json!({"pairs": {"lennard_jones": {"cutoff": 1}}}))], &["cutoff 1 must lie"]);
    // Stiff chains are longer than half the period of 40 um.
    let mut case = folder.read_json("case.json");
    (case["polymers"][0]["beads"], case["polymers"][0]["count"]) = (json!(45), json!(1));
    folder.json("case.json", &case);
    let _made = folder.mkcase(&["case.json", "--quiet"]).done();
    refused(
        &[chain(json!({"bending": 50}))],
        &["polymers.populations.chain.bending 50 makes chains about", "more than half the period of 40 µm along x"],
    );
    folder.json_with("bad.json", good.clone(), &[chain(json!({"bending": 2}))]);
    let told = folder.run(&["bad.json", "-o", "never", "--check"]).done();
    assert!(told.stderr.contains("% of half the period along x: they feel themselves"), "{}", told.stderr);
    (case["polymers"][0]["beads"], case["polymers"][0]["count"]) = (json!(12), json!(5));
    folder.json("case.json", &case);
    let _made = folder.mkcase(&["case.json", "--quiet"]).done();
    refused(&[("/polymers/sub_steps", json!(2))], &["polymers.sub_steps 2 must lie", "not stable"]);
    refused(
        &[chain(json!({"bonds": {"harmonic": {"stiffness": 9e6}}, "mass": 1}))],
        &["steps of the beads in a time step, at most 2000"],
    );
    refused(&[("/fluid/srd/angular_momentum", json!(true))], &["fluid.srd.angular_momentum true"]);
    refused(&[("/polymers/chains", json!(1))], &["unknown field `chains`"]);
    let lattice = json!({"lattice_boltzmann": {"density": "1000 kg/m3", "viscosity": "1 mPa s", "tau": 0.8}});
    refused(
        &[("/fluid", lattice)],
        &["the case holds polymers (\"chain\"), which this \"fluid\" cannot carry: take \"srd\", or \"langevin\""],
    );
    // Beads that the case lets overlap.
    let mut case = folder.read_json("case.json");
    case["polymers"][0]["diameter"] = json!("0.2 um");
    case["polymers"][0]["count"] = json!(20);
    folder.json("case.json", &case);
    let _made = folder.mkcase(&["case.json", "--quiet"]).done();
    refused(&[chain(json!({"pairs": {"wca": {"diameter": "1 um"}}}))], &["pairs of beads overlap", "bead", "of chain"]);
    // A case without polymers.
    case["polymers"] = json!([]);
    folder.json("case.json", &case);
    let _made = folder.mkcase(&["case.json", "--quiet"]).done();
    refused(&[], &["\"polymers\" belongs to a physics that the run does not have"]);
}

#[test]
fn statistics_need_the_case_of_the_run() {
    let folder = sheared(&[]);
    let _run = folder.run(&["run.json", "-o", "run", "--quiet"]).done();
    let bytes = std::fs::read(folder.path("case.h5")).expect("a case");
    let good = folder.read_json("case.json");
    folder.json_with("case.json", good.clone(), &[("/geometry/spacing", json!("2 um"))]);
    let _made = folder.mkcase(&["case.json", "--quiet"]).done();
    let _refused = folder.refuses("post", &["polymers", "run"], &["case.h5 has changed since the run"]);
    // The same call makes the same bytes at any time.
    folder.json("case.json", &good);
    std::thread::sleep(std::time::Duration::from_millis(1100));
    let _made = folder.mkcase(&["case.json", "--quiet"]).done();
    assert!(std::fs::read(folder.path("case.h5")).expect("a case") == bytes, "another file of the same case");
    let _done = folder.post(&["polymers", "run"]).done();
}

#[test]
fn velocities_of_beads_go_on_with_their_mass_alone() {
    let folder = sheared(&[]);
    let good = folder.read_json("run.json");
    let _part = folder.run(&["run.json", "-o", "run", "--quiet", "--steps", "50"]).done();
    let again = |of_chain: Value| {
        folder.json_with("changed.json", good.clone(), &[("/polymers/populations/chain", of_chain)]);
        folder.call("run", &["changed.json", "-o", "run", "--quiet", "--restart", "--allow-changes"]).end()
    };
    let _refused =
        again(json!({"mass": 7})).fails(2, &["velocities of beads of mass [4]", "the run has [7]", "\"mass\""]);
    let _done = again(json!({"bending": 2})).done();
}

#[test]
fn times_that_are_no_whole_number_of_steps_are_told() {
    let folder = damped();
    folder.json_with("run.json", folder.read_json("run.json"), &[("/cell_dumps", json!({"every": "25 us"}))]);
    for arguments in [&["run.json", "-o", "run", "--check"][..], &["run.json", "-o", "run"]] {
        let told = folder.run(arguments).done();
        let piece = "cell_dumps.every: \"25 \u{b5}s\" is 2.500000 time steps, no whole number";
        assert!(told.stderr.contains(piece), "{}", told.stderr);
    }
    let said = ["evenly apart", "whole number of steps"];
    let _refused = folder.refuses("post", &["polymers", "run"], &said);
}

#[test]
fn what_is_taken_otherwise_or_has_no_effect_is_told() {
    let folder = sheared(&[]);
    let good = folder.read_json("run.json");
    let told = |changes: &[(&str, Value)]| {
        folder.json_with("changed.json", good.clone(), changes);
        folder.run(&["changed.json", "-o", "never", "--check=quick"]).done().stderr
    };
    let odd = told(&[("/polymers/sub_steps", json!(41))]);
    assert!(odd.contains("polymers.sub_steps 41 is odd") && odd.contains("42 are taken"), "{odd}");
    assert!(!told(&[("/polymers/sub_steps", json!(42))]).contains("polymers.sub_steps"));
    let tracks = told(&[("/tracks", json!({"every": 5}))]);
    assert!(tracks.contains("advice    tracks: the case has neither cells nor bodies"), "{tracks}");
    // Dumps of polymers have their times from there.
    assert!(!tracks.contains("cell_dumps:"), "{tracks}");
}

#[test]
fn particles_and_beads_have_their_size_on_disk() {
    let folder = sheared(&[]);
    let sizes = |config: &str| {
        let told = folder.run(&[config, "-o", "never", "--check=quick", "--json", "--quiet"]).done().stdout;
        let table: Value = serde_json::from_str(&told).expect("an array");
        ["dumps of polymers", "a checkpoint"].map(|of| {
            let row = table.as_array().and_then(|rows| rows.iter().find(|row| row["of"] == of));
            row.and_then(|row| row["value"].as_f64()).unwrap_or_else(|| panic!("{of} in {told}"))
        })
    };
    // 40 x 13 nodes with 4 particles each, and 5 chains with 12 beads, dumped at the start and 6 times more.
    let (nodes, beads) = (40.0 * 13.0, 60.0);
    let dumps = 7.0 * (beads * 36.0 + 5.0 * 32.0);
    let of_beads = beads * 32.0 + nodes * 4.0;
    let of_particles = 4.0 * nodes * 24.0 + nodes * (4.0 + 4.0 * 16.0);
    let [found, announced] = sizes("run.json");
    assert!((found - dumps).abs() < 1.0 && (announced - of_particles - of_beads).abs() < 1.0, "{found} {announced}");
    let _run = folder.run(&["run.json", "-o", "run", "--quiet"]).done();
    let written: usize = folder
        .content()
        .iter()
        .filter(|(path, _)| path.to_string_lossy().contains("run/checkpoint/"))
        .filter_map(|(_, content)| content.as_ref().map(Vec::len))
        .sum();
    let share = announced / written as f64;
    assert!((0.5..1.2).contains(&share), "{announced} bytes announced, {written} written");
    // Without a fluid beads alone are saved.
    let folder = damped();
    let told = folder.run(&["run.json", "-o", "never", "--check=quick", "--json", "--quiet"]).done().stdout;
    let table: Value = serde_json::from_str(&told).expect("an array");
    let state = table.as_array().and_then(|rows| rows.iter().find(|row| row["of"] == "a checkpoint"));
    let state = state.and_then(|row| row["value"].as_f64()).expect("a size");
    let nodes = draw::porous_block().fluid() as f64;
    let beads = f64::from(30 * 9 + 4 * 7 + 6 * 5);
    // Of the block the largest connected part is kept.
    assert!(state > beads * 48.0 && state <= beads * 48.0 + nodes * 4.0, "{state}");
}

#[test]
fn the_example_of_the_guide_moves_beads_a_micrometre_apart() {
    let folder = damped();
    for more in ["", ", \"bead_mass\": \"5e-11 kg\""] {
        let text = format!(r#"{{"langevin": {{"temperature": "300 K", "friction": "1e-8 kg/s"{more}}}}}"#);
        let fluid: Value = serde_json::from_str(&text).expect("JSON");
        let time = json!({"step": "1 ms", "duration": "10 s"});
        folder.json_with("guide.json", folder.read_json("run.json"), &[("/fluid", fluid), ("/time", time)]);
        let _checked = folder.run(&["guide.json", "-o", "never", "--check=quick"]).done();
    }
}

#[test]
fn a_single_bead_fits_the_smallest_domain() {
    let folder = Folder::new();
    folder.write("box.pgm", &draw::Picture::of(2, 2, |_, _| true).pgm());
    let geometry = json!({"image": "box.pgm", "spacing": "1 um", "periodic": ["x", "y"]});
    let polymers = json!([{"name": "bead", "beads": 1, "bond": "1 um", "diameter": "0 m", "count": 3}]);
    folder.json("case.json", &json!({"geometry": geometry, "polymers": polymers}));
    let made = folder.mkcase(&["case.json"]).done();
    assert!(made.stdout.contains("at least 2.0 spacings"), "{}", made.stdout);
    let mut run = run_config(&json!(["0 Pa/m", "0 Pa/m"]));
    langevin(&mut run);
    folder.json("run.json", &run);
    let _run = folder.run(&["run.json", "--quiet"]).done();
}

#[test]
fn stiff_chains_survive_their_start_and_failures_leave_their_state() {
    let folder = Folder::new();
    folder.write("box.pgm", &draw::Picture::of(80, 80, |_, _| true).pgm());
    let geometry = json!({"image": "box.pgm", "spacing": "1 um", "periodic": ["x", "y"]});
    let polymers = json!([{"name": "chain", "beads": 32, "bond": "1 um", "count": 4}]);
    folder.json("case.json", &json!({"geometry": geometry, "polymers": polymers}));
    let _made = folder.mkcase(&["case.json", "--quiet"]).done();
    let mut run = run_config(&json!(["0 Pa/m", "0 Pa/m"]));
    langevin(&mut run);
    run["time"]["steps"] = json!(2500);
    run["polymers"] = json!({"populations": {"chain": {"bending": 3000}}});
    run["cell_dumps"] = json!({"every": 500});
    folder.json("run.json", &run);
    let told = folder.run(&["run.json"]).done();
    assert!(told.stderr.contains("bending 3000 is more than the stiffness of bonds, 1000"), "{}", told.stderr);
    let ledger = folder.read("run/ledger.csv");
    let temperature = *column(&ledger, "bead_temperature_K").last().expect("a line");
    assert!((200.0..450.0).contains(&temperature), "{temperature} K");
    // Far too stiff for their bonds.
    let polymers = json!([{"name": "chain", "beads": 8, "bond": "1 um", "count": 30}]);
    folder.json("case.json", &json!({"geometry": geometry, "polymers": polymers}));
    let _made = folder.mkcase(&["case.json", "--quiet"]).done();
    let chain = json!({"bending": 1e5, "bonds": {"harmonic": {"stiffness": 100}}});
    let changes = [
        ("/polymers/populations/chain", chain),
        ("/time", json!({"step": "1 ms", "steps": 200})),
        ("/cell_dumps", json!({"every": 50})),
    ];
    folder.json_with("bad.json", run, &changes);
    let said =
        ["times as fast as beads may be", "a large \"bending\" straightens violently", "The last state is in failed/"];
    let message = folder.call("run", &["bad.json", "--quiet"]).end().fails(4, &said);
    assert!(!message.contains("fluid"), "{message}");
    assert!(folder.has("bad/failed/polymers.vtkhdf") && !folder.has("bad/failed/fields.vtkhdf"));
}

#[test]
fn chains_that_do_not_fit_the_domain_are_refused_by_mkcase() {
    let folder = sheared(&[]);
    let good = folder.read_json("case.json");
    let refused = |changes: &[(&str, Value)], said: &str| {
        folder.json_with("bad.json", good.clone(), changes);
        let _said = folder.refuses("mkcase", &["bad.json", "-o", "never.h5"], &[said]);
    };
    refused(&[("/polymers/0/beads", json!(100))], "more than half the period");
    refused(&[("/polymers/0/count", json!(60))], "the limit is 0.2");
    refused(&[("/polymers/0/bond", json!("1 mPa s"))], "bond");
    refused(&[("/polymers/0/volume_fraction", json!(0.1))], "exactly one of");
    let cells = json!([{"name": "red", "shape": {"kind": "red_cell"}, "count": 1}]);
    refused(&[("/cells", cells)], "keys \"cells\" and \"polymers\" are both given");
}

#[test]
fn what_cannot_work_without_hydrodynamics_is_refused() {
    let folder = damped();
    let refused = |changes: &[(&str, Value)], pieces: &[&str]| {
        folder.json_with("changed.json", folder.read_json("run.json"), changes);
        folder.refuses("run", &["changed.json", "-o", "out"], pieces);
    };
    refused(&[("/fluid/langevin/friction", json!("0 kg/s"))], &["fluid.langevin.friction must be above 0"]);
    refused(&[("/fluid/langevin/temperature", json!("0 K"))], &["fluid.langevin.temperature must be above 0"]);
    refused(&[("/fluid/langevin/bead_mass", json!("0 kg"))], &["fluid.langevin.bead_mass must be above 0"]);
    refused(&[("/fluid/langevin/friction", json!("1e-8 kg"))], &["is not a friction coefficient", "kg s^-1"]);
    refused(&[("/time/step", Value::Null)], &["time.step: \"langevin\" needs it"]);
    refused(&[("/time/step", json!("10 ns"))], &["time.step", "lattice spacings in it with its thermal speed", "take"]);
    refused(
        &[("/fluid/langevin/bead_mass", json!("1e-20 kg"))],
        &["time.step", "no step goes with this \"bead_mass\": leave it out"],
    );
    refused(
        &[("/fluid/langevin/bead_mass", json!("1e-15 kg"))],
        &["time.step", "friction takes 2.000e0 of a bead's velocity", "leave \"bead_mass\" out"],
    );
    refused(&[("/drive", json!({"force": ["1 Pa/m", "0 Pa/m", "0 Pa/m"]}))], &["\"drive\" belongs to a physics"]);
    refused(&[("/dumps", json!([{"every": 50}]))], &["dumps: \"fields\" has no field to dump", "cell_dumps"]);
    let srd = json!({"density": "1000 kg/m3", "temperature": "300 K"});
    refused(&[("/fluid/srd", srd)], &["\"langevin\" stands beside another method"]);
    // Another friction goes on in the same state where it is asked for, another time step does not.
    let _part = folder.run(&["run.json", "-o", "out", "--quiet", "--steps", "50"]).done();
    let again = |changes: &[(&str, Value)]| {
        folder.json_with("changed.json", folder.read_json("run.json"), changes);
        folder.call("run", &["changed.json", "-o", "out", "--quiet", "--restart", "--allow-changes"]).end()
    };
    let _refused = again(&[("/time/step", json!("5 us"))]).fails(2, &["a state of another solvent or time step"]);
    let _done = again(&[("/fluid/langevin/seed", json!(7))]).done();
    // Nothing moves in a case without polymers, or with walls that move.
    let mut case = folder.read_json("case.json");
    case["polymers"] = json!([]);
    folder.json("case.json", &case);
    let _made = folder.mkcase(&["case.json", "--quiet"]).done();
    refused(&[("/polymers", Value::Null)], &["fluid.langevin: the case holds no polymers"]);
    let folder = sheared(&[]);
    let mut run = folder.read_json("run.json");
    langevin(&mut run);
    folder.json("changed.json", &run);
    folder.refuses("run", &["changed.json", "-o", "out"], &["openings.lid: the solvent of \"langevin\" is at rest"]);
}

#[test]
fn ledgers_and_dumps_without_hydrodynamics_hold_the_chains_alone() {
    let folder = damped();
    let _done = folder.run(&["run.json", "-o", "out", "--quiet"]).done();
    assert!(!folder.path("out/fields.vtkhdf").exists());
    let ledger = folder.read("out/ledger.csv");
    let temperature = column(&ledger, "bead_temperature_K");
    let mean = temperature[1..].iter().sum::<f64>() / (temperature.len() - 1) as f64;
    // 300 beads, of which chains take some freedoms, at 3 times that may depend on each other: 5 % is a standard error.
    assert!((mean / 300.0 - 1.0).abs() < 0.2, "{temperature:?}");
}
