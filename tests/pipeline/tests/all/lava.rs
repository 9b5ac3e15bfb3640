//! Lava over terrain: the same bits on any number of ranks, restarts, balance, exact volumes, faults.

use pipeline_tests::Folder;
use serde_json::{Value, json};

/// A terrain of 60 x 44 cells as a 16-bit picture in centimetres: a slope with ridges, a basin, and a rock without cells.
fn terrain() -> Vec<u8> {
    let (width, height) = (60_usize, 44_usize);
    let mut pgm = format!("P5 {width} {height} 65535\n").into_bytes();
    for y in 0..height {
        for x in 0..width {
            let (u, v) = (x as f64, y as f64);
            let basin = 3.0 * (-((u - 40.0).powi(2) + (v - 25.0).powi(2)) / 60.0).exp();
            let z = 80.0 - 1.1 * u + 3.0 * (0.9 * v).sin() + 1.5 * (0.7 * u + 1.3 * v).cos() - basin;
            let is_rock = (24..28).contains(&x) && (18..23).contains(&y);
            let value = if is_rock { 0 } else { (100.0 * z) as u16 };
            pgm.extend(value.to_be_bytes());
        }
    }
    pgm
}

/// A vent of four cells and a second one upon the terrain, and the run of an eruption.
fn eruption(changes: &[(&str, Value)]) -> Folder {
    let folder = Folder::new();
    folder.write("terrain.pgm", &terrain());
    let square = |x: f64, y: f64, edge: f64| {
        let metres = |v: f64| format!("{v} m");
        json!({"min": [metres(x), metres(y)], "max": [metres(x + edge), metres(y + edge)]})
    };
    let geometry = json!({
        "image": "terrain.pgm",
        "spacing": "10 m",
        "rules": [{"below": 1, "is": "wall"}, {"any": true, "is": "fluid"}]
    });
    folder.json(
        "case.json",
        &json!({
            "geometry": geometry,
            "fields": {"elevation": {"image": "terrain.pgm", "unit": "2 cm"}},
            "regions": [{"name": "vent", "box": square(100.0, 200.0, 20.0)}, {"name": "flank", "box": square(280.0, 120.0, 10.0)}],
            "parts": [2]
        }),
    );
    let _made = folder.mkcase(&["case.json", "--quiet"]).done();
    let run = json!({
        "case": "case.h5",
        "fluid": {"lava": {
            "density": "2600 kg/m3",
            "emissivity": 0.9,
            "elevation": "elevation",
            "viscosity": {"giordano_dingwell": {"water": 0.1}},
            "yield_strength": {"exponential": {"strength": "300 Pa", "at": "1360 K", "decades_per_kelvin": 0.0089}},
            "solidus": "1250 K",
            "latent_heat": "350 kJ/kg"
        }},
        "vents": {
            "vent": {"effusion": {"rows": [["0 s", "0 m3/s"], ["100 s", "30 m3/s"], ["400 s", "0 m3/s"]]}, "temperature": "1360 K"},
            "flank": {"effusion": {"bell": {"peak": "8 m3/s", "duration": "300 s"}}, "temperature": "1320 K"}
        },
        "time": {"steps": 1500},
        "dumps": [{"every": 500}, {"name": "late", "at": [333]}],
        "monitor": {"every": 100}
    });
    folder.json_with("run.json", run, changes);
    folder
}

#[test]
fn ranks_and_restarts_agree() {
    let folder = eruption(&[]);
    let _solo = folder.run_on_all_cores(&["run.json", "-o", "solo", "--quiet"]).done();
    let _two = folder.mpirun(2, &["run.json", "-o", "two", "--quiet"]).done();
    let _four = folder.run(&["run.json", "-o", "four", "--quiet", "--threads", "4"]).done();
    folder.same("solo", "two");
    folder.same("solo", "four");
    // Stopped where neither a new time step nor a new list of blocks is due, and on with other ranks.
    let parted = |more: &[&str]| {
        let _part = folder.run(&[&["run.json", "-o", "parted", "--quiet"], more].concat()).done();
    };
    parted(&["--threads", "3", "--steps", "61"]);
    parted(&["--restart", "--threads", "2", "--steps", "128"]);
    parted(&["--restart", "--steps", "777"]);
    parted(&["--restart", "--threads", "2"]);
    folder.same("solo", "parted");
}

#[test]
fn balance_changes_nothing() {
    let folder = eruption(&[("/time/steps", json!(400)), ("/dumps", json!([{"every": 200}]))]);
    let _solo = folder.run(&["run.json", "-o", "solo", "--quiet"]).done();
    let mut run = folder.read_json("run.json");
    run["balance"] = json!({"every": 90, "tolerance": 0.0});
    folder.json("balanced.json", &run);
    let _three = folder.run(&["balanced.json", "-o", "three", "--quiet", "--threads", "3"]).done();
    assert!(folder.read("three/log.jsonl").contains("\"event\":\"balance\""));
    folder.same("solo", "three");
}

/// A column of a table by its name; what is no number is NaN.
fn column(folder: &Folder, ledger: &str, name: &str) -> Vec<f64> {
    let text = folder.read(ledger);
    let mut rows = text.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let header = rows.next().expect("a header");
    let at = header.iter().position(|title| *title == name).unwrap_or_else(|| panic!("{name}: {header:?}"));
    rows.map(|row| row[at].parse().unwrap_or(f64::NAN)).collect()
}

#[test]
fn what_erupts_is_there_to_the_last_unit() {
    let folder = eruption(&[("/time", json!({"duration": "900 s"})), ("/monitor/every", json!(200))]);
    let _run = folder.run(&["run.json", "-o", "run", "--quiet"]).done();
    let of = |name: &str| column(&folder, "run/ledger.csv", name);
    let (fluid, solid) = (of("fluid_volume_m3"), of("solid_volume_m3"));
    let (heat, given, erupted) = (of("heat_J"), of("heat_given_J"), of("heat_erupted_J"));
    let last = fluid.len() - 1;
    assert!(solid[last] > 0.0 && fluid[last] > 0.0 && last > 3, "{fluid:?}, {solid:?}");
    // Volumes of the effusions, a triangle and the square of a sine, rounded down to 2^-40 m in five cells.
    let wanted = 0.5 * 30.0 * 400.0 + 0.5 * 8.0 * 300.0;
    let found = fluid[last] + solid[last];
    assert!((found - wanted).abs() < 1e-7, "{found} of {wanted} m3");
    for n in 0..=last {
        assert!((heat[n] + given[n] - erupted[n]).abs() <= 1e-12 * erupted[n], "line {n}: heat");
    }
    assert!(given[last] > 0.02 * erupted[last]);
}

#[test]
fn what_cannot_flow_is_refused() {
    let folder = eruption(&[]);
    let faults: [(&str, Value, &[&str]); 15] = [
        ("/vents/vent/temperature", json!("1200 K"), &["vents.vent", "1200 K", "solidus"]),
        ("/vents", json!({"went": {"effusion": {"rate": "1 m3/s"}, "temperature": "1360 K"}}), &["went", "\"vent\""]),
        (
            "/vents/vent/effusion",
            json!({"rows": [["0 s", "1 m3/s"], ["2 h", "2 m3/s"], ["1 h", "0 m3/s"]]}),
            &["vents.vent", "effusion", "ascend"],
        ),
        ("/vents/vent/effusion", json!({"rows": [["0 s", "1 m3/s"], ["1 h", "-2 m3/s"]]}), &["negative"]),
        ("/vents/vent/effusion", json!({"file": "none.csv"}), &["none.csv"]),
        ("/vents", json!({}), &["vents", "start"]),
        ("/time/step", json!("1 min"), &["time.step", "10 s at most"]),
        (
            "/fluid/lava/start",
            json!([
                {"region": "vent", "thickness": "2 m", "temperature": "1360 K"},
                {"thickness": "1 m", "temperature": "1360 K"}
            ]),
            &["fluid.lava.start[1]", "shares cells with start[0]"],
        ),
        ("/fluid/lava/solidus", Value::Null, &["solidus", "missing"]),
        ("/fluid/lava/solidus", json!("580 K"), &["solidus", "no meaning below 565 K"]),
        ("/fluid/lava/latent_heat", json!("2 MJ/kg"), &["latent_heat", "2000000 J/kg"]),
        ("/fluid/lava/emissivity", json!(1.5), &["emissivity", "1.5"]),
        ("/fluid/lava/density", json!("0 kg/m3"), &["density"]),
        ("/fluid/lava/elevation", json!("height"), &["elevation", "\"height\""]),
        ("/fluid/lava/viscosity", json!({"giordano_dingwell": {"water": 40}}), &["water 40"]),
    ];
    for (k, (pointer, value, pieces)) in faults.into_iter().enumerate() {
        let name = format!("fault{k}.json");
        folder.json_with(&name, folder.read_json("run.json"), &[(pointer, value)]);
        let _told = folder.refuses("run", &[&name, "-o", "no"], pieces);
    }
    // A case without elevation.
    let mut case = folder.read_json("case.json");
    case["fields"] = json!({});
    folder.json("flat.json", &case);
    let _made = folder.mkcase(&["flat.json", "--quiet"]).done();
    let mut run = folder.read_json("run.json");
    run["case"] = json!("flat.h5");
    folder.json("flat-run.json", &run);
    let _told = folder.refuses("run", &["flat-run.json", "-o", "no"], &["elevation", "CASE.json"]);
    // Two vents in one place.
    let mut case = folder.read_json("case.json");
    let regions = case["regions"].as_array_mut().expect("regions");
    let mut second = regions.iter().find(|region| region["name"] == "vent").expect("a vent").clone();
    second["name"] = json!("flank");
    regions.retain(|region| region["name"] != "flank");
    regions.push(second);
    folder.json("twice.json", &case);
    let _made = folder.mkcase(&["twice.json", "--quiet"]).done();
    let mut run = folder.read_json("run.json");
    run["case"] = json!("twice.h5");
    folder.json("twice-run.json", &run);
    let _told = folder.refuses("run", &["twice-run.json", "-o", "no"], &["\"flank\"", "\"vent\"", "share a cell"]);
}

#[test]
fn lava_at_the_edge_is_told() {
    let folder = eruption(&[("/time", json!({"duration": "600 s"}))]);
    let mut case = folder.read_json("case.json");
    case["regions"].as_array_mut().expect("regions").pop();
    case["geometry"]["crop"] = json!({"min": [0, 0], "max": [20, 44]});
    folder.json("case.json", &case);
    let _made = folder.mkcase(&["case.json", "--quiet", "-o", "edge.h5"]).done();
    let mut run = folder.read_json("run.json");
    run["case"] = json!("edge.h5");
    run["vents"].as_object_mut().expect("vents").remove("flank");
    folder.json("run.json", &run);
    let told = folder.run(&["run.json", "-o", "run"]).done();
    assert!(told.stderr.contains("at the edge of the terrain"), "{}", told.stderr);
}

#[test]
fn statistics_are_those_of_the_cells() {
    // A terrain of 9 x 5 cells on a map, lava at rest in a row of three cells and one diagonally beyond.
    let folder = Folder::new();
    let row = ["10"; 9].join(" ");
    let head = "ncols 9\nnrows 5\nxllcorner 1000\nyllcorner 5000\ncellsize 10\n";
    folder.write("land.asc", format!("{head}{}\n", [row.as_str(); 5].join("\n")).as_bytes());
    let place = |x: f64, y: f64, edge: [f64; 2]| {
        let metres = |v: f64| format!("{v} m");
        json!({"box": {"min": [metres(x), metres(y)], "max": [metres(x + edge[0]), metres(y + edge[1])]}})
    };
    let named = |name: &str, place: Value| {
        let mut region = place;
        region["name"] = json!(name);
        region
    };
    folder.json(
        "case.json",
        &json!({
            "geometry": {"terrain": {"file": "land.asc", "unit": "1 m", "cell_unit": "1 m"}},
            "regions": [
                named("vent", place(1010.0, 5010.0, [10.0, 10.0])),
                named("flow", place(1020.0, 5010.0, [20.0, 10.0])),
                named("end", place(1040.0, 5020.0, [10.0, 10.0])),
                named("seen", place(1020.0, 5010.0, [40.0, 10.0])),
            ]
        }),
    );
    let _made = folder.mkcase(&["case.json", "--quiet"]).done();
    let start =
        |region: &str, thickness: &str| json!({"region": region, "thickness": thickness, "temperature": "1300 K"});
    folder.json(
        "run.json",
        &json!({
            "case": "case.h5",
            "fluid": {"lava": {
                "density": "2600 kg/m3",
                "viscosity": {"constant": "1000 Pa s"},
                "yield_strength": {"constant": "1e7 Pa"},
                "emissivity": 0,
                "start": [start("vent", "2 m"), start("flow", "1 m"), start("end", "4 m")]
            }},
            "time": {"duration": "100 s"},
            "dumps": [{"every": "50 s"}]
        }),
    );
    let _run = folder.run(&["run.json", "-o", "run", "--quiet"]).done();
    let _post = folder.post(&["lava", "run", "--observed", "seen"]).done();
    let last = |name: &str| *column(&folder, "run/statistics/lava.csv", name).last().expect("a row");
    assert_eq!((last("area_m2"), last("fluid_volume_m3"), last("solid_volume_m3")), (400.0, 800.0, 0.0));
    assert_eq!((last("largest_thickness_m"), last("mean_thickness_m")), (4.0, 2.0));
    // All cells are of the start, so that none is far from it.
    assert_eq!((last("length_m"), last("distance_m")), (0.0, 0.0));
    // Two cells of both, of four that lava covers and four that were seen.
    assert!((last("fit") - 2.0 / 6.0).abs() < 1e-12);
    let grid = folder.read("run/statistics/thickness.asc");
    let wanted = "ncols 9\nnrows 5\nxllcorner 1000\nyllcorner 5000\ncellsize 10\nNODATA_value -9999\n";
    assert!(grid.starts_with(wanted), "{grid}");
    let rows: Vec<Vec<&str>> = grid.lines().skip(6).map(|line| line.split(' ').collect()).collect();
    // The north row comes first.
    assert_eq!((rows[3][1], rows[3][2], rows[3][3], rows[2][4], rows[0][0]), ("2", "1", "1", "4", "-9999"));
    for figure in ["thickness", "temperature", "arrival_time", "length", "volume", "area"] {
        assert!(
            folder.has(&format!("run/statistics/{figure}.png")) && folder.has(&format!("run/statistics/{figure}.svg"))
        );
    }
    assert!(folder.has("run/statistics/thickness.tif"));
    let told =
        folder.call("post", &["lava", "run", "--observed", "sene"]).end().fails(2, &["--observed sene", "\"seen\""]);
    assert!(told.contains("region or field"));
}

#[test]
fn vents_that_are_drawn_at_random_make_a_map_of_hazard() {
    let folder = eruption(&[
        ("/vents/vent/somewhere", json!({"radius": "10 m", "seed": 7})),
        ("/time", json!({"duration": "500 s"})),
        ("/dumps", json!([{"every": "500 s"}])),
    ]);
    let mut case = folder.read_json("case.json");
    case["regions"][0]["box"] = json!({"min": ["60 m", "60 m"], "max": ["240 m", "260 m"]});
    folder.json("case.json", &case);
    let _made = folder.mkcase(&["case.json", "--quiet"]).done();
    let _all = folder.run(&["run.json", "-o", "all", "--quiet", "--ensemble", "3", "--threads", "2"]).done();
    // The second member is the run with the next seed, on any number of ranks.
    let mut run = folder.read_json("run.json");
    run["vents"]["vent"]["somewhere"]["seed"] = json!(8);
    folder.json("second.json", &run);
    let told = folder.run(&["second.json", "-o", "second", "--threads", "2"]).done();
    assert!(
        told.stderr.contains("from 5 cells around (") || told.stderr.contains("from 4 cells around ("),
        "{}",
        told.stderr
    );
    folder.same("second", "all/member-0002");
    assert!(folder.read("all/member-0002/log.jsonl").contains("\"drawn_at_m\""));
    let _hazard = folder.call("post", &["lava", "all"]).end().done();
    // Lava of the members' own maps, counted.
    let mut counts = std::collections::BTreeMap::new();
    let rows = |text: &str| -> Vec<Vec<f64>> {
        let numbers = |line: &str| line.split_whitespace().map(|word| word.parse().unwrap_or(f64::NAN)).collect();
        text.lines().skip(6).map(numbers).collect()
    };
    let mut areas = Vec::new();
    for member in ["member-0001", "member-0002", "member-0003"] {
        let _maps = folder.call("post", &["lava", &format!("all/{member}")]).end().done();
        let map = rows(&folder.read(&format!("all/{member}/statistics/thickness.asc")));
        let mut area = 0;
        for (y, row) in map.iter().enumerate() {
            for (x, &h) in row.iter().enumerate().filter(|(_, h)| **h > 0.0) {
                *counts.entry((x, y)).or_insert(0.0) += 1.0 + 0.0 * h;
                area += 1;
            }
        }
        areas.push(area);
    }
    let shares = rows(&folder.read("all/statistics/hazard.asc"));
    let mut most: f64 = 0.0;
    for (y, row) in shares.iter().enumerate() {
        for (x, &share) in row.iter().enumerate() {
            let wanted = counts.get(&(x, y)).map_or(-9999.0, |count: &f64| count / 3.0);
            assert!((share - wanted).abs() < 1e-6, "({x}, {y}): {share}, {wanted}");
            most = most.max(share);
        }
    }
    // Vents at three places do not cover the same cells.
    assert!(areas.iter().all(|&area| area > 20) && areas.iter().all(|&area| area < counts.len()), "{areas:?}");
    let hazard = folder.read_json("all/statistics/hazard.json");
    let mean = areas.iter().sum::<usize>() as f64 / 3.0 * 100.0;
    assert!((hazard["mean_area_m2"].as_f64().expect("an area") / mean - 1.0).abs() < 1e-9);
    assert_eq!(hazard["area_of_any_m2"].as_f64(), Some(counts.len() as f64 * 100.0));
    let table = folder.read("all/statistics/hazard.csv");
    assert_eq!(table.lines().count(), 4, "{table}");
    let _told = folder.refuses("post", &["lava", "all", "--dump", "all"], &["ensemble", "--dump"]);
}

#[test]
fn what_counts_mass_and_heat_stays_over_restarts() {
    let folder = eruption(&[]);
    let _first = folder.run(&["run.json", "-o", "run", "--quiet", "--steps", "320"]).done();
    let run = folder.read_json("run.json");
    let restart = ["run.json", "-o", "run", "--quiet", "--restart", "--steps", "640", "--allow-changes"];
    for (key, value) in [("density", "2700 kg/m3"), ("heat_capacity", "1000 J/kg/K")] {
        folder.json_with("run.json", run.clone(), &[(&format!("/fluid/lava/{key}"), json!(value))]);
        folder.run(&restart).fails(2, &["counts masses and heats", "fluid.lava.density", "-o"]);
    }
    folder.json_with("run.json", run, &[("/fluid/lava/latent_heat", json!("300 kJ/kg"))]);
    let _on = folder.run(&restart).done();
}

#[test]
fn times_and_steps_of_dumps_are_not_taken_for_each_other() {
    let dumps = |at: Value| ("/dumps", json!([{"at": [at]}]));
    // It is known after the run only which step has which time.
    let folder = eruption(&[dumps(json!("300 s")), ("/time", json!({"steps": 600}))]);
    let told = folder.run(&["run.json", "-o", "run"]).done().stderr;
    let last = column(&folder, "run/ledger.csv", "time_s").into_iter().fold(0.0, f64::max);
    let is_dumped = folder.read("run/log.jsonl").contains("\"event\":\"dump\"");
    assert_eq!(is_dumped, last >= 300.0, "{told}");
    let folder = eruption(&[dumps(json!(50_000)), ("/time", json!({"duration": "100 s"}))]);
    let told = folder.run(&["run.json", "-o", "run"]).done().stderr;
    assert!(told.contains("dumps[0].at: the run ended at step"), "{told}");
    assert_eq!(folder.read_json("run/run.json")["warnings"][0]["kind"], "dump:dumps[0].at");
    let shorter = ["run.json", "-o", "run", "--quiet", "--restart"];
    folder.json_with("run.json", folder.read_json("run.json"), &[("/time/duration", json!("50 s"))]);
    for more in [&[][..], &["--check"]] {
        folder.run(&[&shorter[..], more].concat()).fails(2, &["the checkpoint is of", "5e1 s", "time.duration"]);
    }
    folder.json_with(
        "run.json",
        folder.read_json("run.json"),
        &[("/time", json!({"steps": 10})), ("/dumps", json!([{"at": [11]}]))],
    );
    folder.run(&["run.json", "-o", "other", "--quiet"]).fails(2, &["dumps[0].at", "step 11", "beyond the end"]);
}
