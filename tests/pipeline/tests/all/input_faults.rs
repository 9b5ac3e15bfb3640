//! Input that is wrong in ways that parsers let pass: keys twice, lists for objects, numbers far from anything physical, names of
//! any length, bytes that are no text. Each is told in the user's terms, by checks as by what they check.

use pipeline_tests::{Folder, configs};
use serde_json::{Value, json};

/// Expects each tool's config in turn, its text changed from `from` to `to`, to be refused with what `pieces` says.
fn refuses_text(
    folder: &Folder,
    name: &str,
    arguments: &[&str],
    config: &Value,
    [from, to]: [&str; 2],
    pieces: &[&str],
) {
    let (file, text) = (arguments.iter().find(|argument| argument.ends_with(".json")), config.to_string());
    let file = *file.expect("a config");
    assert!(text.contains(from), "{from} in {text}");
    folder.write(file, text.replacen(from, to, 1).as_bytes());
    println!("{name}: {to}");
    folder.refuses(name, arguments, &[&[file], pieces].concat());
}

#[test]
fn keys_that_stand_twice_are_refused() {
    let folder = Folder::with_vessel();
    let _done = folder.run(&["run.json", "-o", "done", "--quiet"]).done();
    let case = configs::vessel_case();
    let run = configs::vessel_run();
    let post = json!({"planes": [{"name": "p", "axis": "x", "at": "40 um"}]});
    for (change, pieces) in [
        (["\"parts\":", "\"parts\":[2],\"parts\":"], &["\"parts\"", "twice", "line 1"][..]),
        (["\"image\":", "\"image\":\"a.png\",\"image\":"], &["key \"geometry\"", "\"image\"", "twice"]),
        (["\"face\":\"x-\"", "\"face\":\"x-\",\"face\":\"x-\""], &["key \"openings[0]\"", "\"face\"", "twice"]),
    ] {
        refuses_text(&folder, "mkcase", &["case.json", "--quiet"], &case, change, pieces);
    }
    for (change, pieces) in [
        (["\"time\":", "\"time\":{\"tau\":0.9,\"steps\":3},\"time\":"], &["\"time\"", "twice"][..]),
        (["\"inlet\":", "\"inlet\":{\"velocity\":\"1 m/s\"},\"inlet\":"], &["key \"openings\"", "\"inlet\"", "twice"]),
        (["\"every\":50", "\"every\":50,\n\"every\":5"], &["key \"dumps[0]\"", "\"every\"", "twice", "line 2"]),
    ] {
        refuses_text(&folder, "run", &["run.json", "--quiet"], &run, change, pieces);
        refuses_text(&folder, "run", &["run.json", "--quiet", "--check"], &run, change, pieces);
    }
    let change = ["\"axis\":", "\"axis\":\"y\",\"axis\":"];
    refuses_text(&folder, "post", &["flow", "done", "--config", "post.json"], &post, change, &["planes[0]", "twice"]);
}

#[test]
fn lists_in_place_of_objects_are_refused() {
    let folder = Folder::with_vessel();
    let _done = folder.run(&["run.json", "-o", "done", "--quiet"]).done();
    let set = |whole: &Value, pointer: &str, list: Value| {
        let mut config = whole.clone();
        *config.pointer_mut(pointer).expect("a place") = list;
        config
    };
    let (case, run) = (configs::vessel_case(), configs::vessel_run());
    for (pointer, key, list) in [
        ("/geometry", "geometry", json!(["vessel.pgm", "4 um"])),
        ("/openings/1", "openings[1]", json!(["outlet", "pressure", "x+"])),
    ] {
        folder.json("case.json", &set(&case, pointer, list));
        folder.refuses("mkcase", &["case.json", "--quiet"], &["case.json", &format!("key \"{key}\" is a list")]);
    }
    for (pointer, key, list) in [
        ("/fluid/lattice_boltzmann", "fluid.lattice_boltzmann", json!(["1025 kg/m3", "1.2 mPa s"])),
        ("/openings/inlet", "openings.inlet", json!(["8 mm/s"])),
        ("/dumps/0", "dumps[0]", json!(["fields", 50])),
        ("/monitor", "monitor", json!([10])),
    ] {
        folder.json("run.json", &set(&run, pointer, list));
        let pieces = ["run.json", &format!("key \"{key}\" is a list"), "an object"];
        folder.refuses("run", &["run.json", "--quiet"], &pieces);
        folder.refuses("run", &["run.json", "--quiet", "--check"], &pieces);
    }
    folder.json("post.json", &json!({"planes": [["p", "x", "40 um"]]}));
    folder.refuses("post", &["flow", "done", "--config", "post.json"], &["post.json", "planes[0]", "list"]);
}

#[test]
fn lengths_far_from_any_cell_or_vessel_are_refused() {
    let folder = Folder::with_vessel();
    let case = |change: &dyn Fn(&mut Value), pieces: &[&str]| {
        let mut config = configs::vessel_case();
        config["cells"] = json!([{"name": "red", "shape": {"kind": "red_cell"}, "count": 1}]);
        change(&mut config);
        folder.json("case.json", &config);
        println!("{config}");
        folder.refuses("mkcase", &["case.json", "--quiet"], &[&["case.json"], pieces].concat());
        folder.refuses("mkcase", &["case.json", "--quiet", "--check"], pieces);
    };
    for length in ["1e-300 um", "1e-18 um", "1e20 um", "1e300 um"] {
        case(&|config| config["geometry"]["spacing"] = json!(length), &["geometry.spacing", "must be from 1e-12"]);
        for shape in [
            json!({"kind": "red_cell", "diameter": length}),
            json!({"kind": "disc", "radius": length}),
            json!({"kind": "ellipsoid", "axes": [length, "8 um"]}),
            json!({"kind": "platelet", "diameter": "8 um", "thickness": length}),
        ] {
            case(&|config| config["cells"][0]["shape"] = shape.clone(), &["cells[0]", "\"red\"", "must be from 1e-12"]);
        }
    }
    for length in ["1e-5 um", "1e9 um"] {
        let shape = json!({"kind": "disc", "radius": length});
        case(&|config| config["cells"][0]["shape"] = shape.clone(), &["cells[0]", "lattice spacings"]);
    }
    for place in ["1e20", "-1e20", "1e300"] {
        folder.write("cells.csv", format!("x [um],y [um]\n{place},40\n").as_bytes());
        let population = json!({"name": "red", "shape": {"kind": "red_cell"}, "positions": "cells.csv"});
        let pieces = ["cells.csv: row 1", "out of the fluid", "not in the domain"];
        case(&|config| config["cells"][0] = population.clone(), &pieces);
    }
}

#[test]
fn names_are_short_and_plain() {
    let folder = Folder::with_vessel();
    let long = "a".repeat(100_000);
    let faults = [
        (long.as_str(), "has 100000 characters: take at most 64"),
        ("in/let", "holds '/': take "),
        ("in\nlet", "holds '\\n': take "),
        ("\u{1b}[31m", "holds '\\u{1b}': take "),
        ("in let ", " space"),
    ];
    for (name, fault) in faults {
        let mut config = configs::vessel_case();
        config["openings"][0]["name"] = json!(name);
        folder.json("case.json", &config);
        folder.refuses("mkcase", &["case.json", "--quiet"], &["case.json", "openings[0]", fault]);
        config["openings"][0]["name"] = json!("inlet");
        config["cells"] = json!([{"name": name, "shape": {"kind": "red_cell"}, "count": 1}]);
        folder.json("case.json", &config);
        folder.refuses("mkcase", &["case.json", "--quiet"], &["case.json", "cells[0]", fault]);
        let mut run = configs::vessel_run();
        run["dumps"] = json!([{"every": 10, "name": name}]);
        folder.json("run.json", &run);
        folder.refuses("run", &["run.json", "--quiet"], &["run.json", "dumps[0].name", fault]);
    }
}

#[test]
fn bytes_that_are_no_text_are_told() {
    let folder = Folder::with_vessel();
    let whole = std::fs::read(folder.path("vessel.h5")).expect("reads");
    for word in ["inlet", "velocity", "D2Q9"] {
        let mut bytes = whole.clone();
        let found: Vec<usize> =
            (0..bytes.len() - word.len()).filter(|&at| bytes[at..].starts_with(word.as_bytes())).collect();
        assert!(!found.is_empty(), "{word}");
        found.iter().for_each(|&at| bytes[at] = 0xff);
        folder.write("vessel.h5", &bytes);
        folder.refuses("run", &["run.json", "--quiet"], &["vessel.h5", "utf-8", "mkcase"]);
        folder.refuses("run", &["run.json", "--quiet", "--check"], &["vessel.h5", "utf-8"]);
    }
    folder.write("vessel.h5", &whole);
    folder.write("run.json", b"{\n\"case\": \"vess\xe9l.h5\"}");
    folder.refuses("run", &["run.json", "--quiet"], &["run.json: line 2", "0xe9", "UTF-8"]);
    let mut run = configs::vessel_run();
    run["openings"]["inlet"]["waveform"] = json!({"table": {"file": "beat.csv"}});
    folder.json("run.json", &run);
    folder.write("beat.csv", b"time [s],factor\n0,1\n1,\xe9\n");
    folder.refuses("run", &["run.json", "--quiet"], &["run.json", "beat.csv", "UTF-8"]);
    let mut case = configs::vessel_case();
    case["cells"] = json!([{"name": "red", "shape": {"kind": "red_cell"}, "positions": "cells.csv"}]);
    folder.json("case.json", &case);
    folder.write("cells.csv", b"x [um],y [um]\n\xe9,40\n");
    folder.refuses("mkcase", &["case.json", "--quiet"], &["cells.csv", "UTF-8"]);
}

/// Expects `run` with `arguments` to fail with `code` and the same words with and without `--check`.
fn fails_alike(folder: &Folder, arguments: &[&str], code: i32, pieces: &[&str]) {
    let before = folder.content();
    let checked = folder.run(&[arguments, &["--quiet", "--check"]].concat()).fails(code, pieces);
    assert!(folder.content() == before, "a check changed something");
    let run = folder.run(&[arguments, &["--quiet"]].concat()).fails(code, pieces);
    assert!(folder.content() == before, "files were left behind");
    if code == 2 {
        assert_eq!(checked, run);
    }
}

#[test]
fn a_check_refuses_what_the_run_would() {
    let folder = Folder::with_vessel();
    let _done = folder.run(&["run.json", "--checkpoint-every", "50", "--quiet"]).done();
    let checkpoint = "run/checkpoint/step-000000000100";
    fails_alike(&folder, &["run.json"], 2, &["run holds a run (done)", "--force"]);
    folder.write("foreign/thesis.tex", b"years of work");
    fails_alike(&folder, &["run.json", "-o", "foreign"], 2, &["foreign", "not empty"]);
    folder.write("file", b"");
    fails_alike(&folder, &["run.json", "-o", "file/run"], 6, &["file/run"]);
    fails_alike(&folder, &["run.json", "--restart", "--steps", "60"], 2, &["step 100", "has 60"]);
    fails_alike(&folder, &["run.json", "-o", "b", "--restart", "run/checkpoint/no"], 2, &["run/checkpoint/no"]);
    fails_alike(&folder, &["run.json", "-o", "other", "--restart", "nowhere"], 2, &["nowhere"]);
    for (pointer, value, pieces) in [
        ("/fluid/lattice_boltzmann/precision", json!("f16"), &[checkpoint, "f16"][..]),
        (
            "/fluid/lattice_boltzmann/density",
            json!("1000 kg/m3"),
            &["other physics", "\"fluid.lattice_boltzmann.density\" was \"1025 kg/m3\""],
        ),
        ("/time/steps", json!(50), &["step 100", "has 50"]),
        ("/dumps/0/fields", json!(["velocity"]), &["fields.vtkhdf", "other fields"]),
    ] {
        let mut config = configs::vessel_run();
        let (parent, key) = pointer.rsplit_once('/').expect("a pointer");
        config.pointer_mut(parent).expect("a place")[key] = value;
        folder.json("other.json", &config);
        fails_alike(&folder, &["other.json", "-o", "run", "--restart"], 2, pieces);
    }
    // What would go on, begin, or has nothing left to do passes.
    for arguments in [
        &["run.json", "--restart", "--steps", "200"][..],
        &["run.json", "--force"],
        &["run.json", "-o", "fresh"],
        &["run.json", "-o", "deep/in/folders"],
        &["run.json", "-o", "fresh", "--threads", "2"],
    ] {
        let before = folder.content();
        let _checked = folder.run(&[arguments, &["--check"]].concat()).done();
        assert!(folder.content() == before, "a check changed something");
    }
}

#[test]
fn a_restart_of_fewer_steps_leaves_later_dumps_out() {
    let folder = Folder::with_vessel();
    let mut config = configs::vessel_run();
    config["dumps"] = json!([{"at": [20, 60, 90]}]);
    config["checkpoint"] = json!({"at_end": false});
    folder.json("run.json", &config);
    let steps = |run: &str| {
        let _flow = folder.post(&["flow", run, "--dump", "all"]).done();
        folder.read_json(&format!("{run}/statistics/summary.json"))["dumps"].as_array().map(Vec::len)
    };
    let cut = folder.run(&["run.json", "-o", "cut", "--steps", "70", "--checkpoint-every", "40"]).done();
    assert!(cut.stderr.contains("dumps[0].at: step 90 is beyond the end by --steps, step 70"), "{}", cut.stderr);
    assert_eq!(steps("cut"), Some(2));
    // From step 40 on, before the dump of step 60, to a step between.
    let again = folder.run(&["run.json", "-o", "cut", "--restart", "--steps", "50"]).done();
    assert!(again.stderr.contains("restart   from step 40") && again.stderr.contains("step 60"), "{}", again.stderr);
    assert_eq!(steps("cut"), Some(1));
    let _whole = folder.run(&["run.json", "-o", "cut", "--restart", "--quiet"]).done();
    let _fresh = folder.run(&["run.json", "-o", "fresh", "--quiet"]).done();
    assert_eq!(steps("cut"), Some(3));
    let _same = folder.post(&["compare", "cut", "fresh"]).done();
    // What the config itself says must agree.
    config["time"]["steps"] = json!(80);
    folder.json("run.json", &config);
    folder.refuses("run", &["run.json", "-o", "b", "--quiet"], &["dumps[0].at", "step 90", "step 80"]);
}

#[test]
fn what_killed_tools_left_goes_with_the_next_of_the_kind() {
    let folder = Folder::with_vessel();
    let host = std::fs::read_to_string("/proc/sys/kernel/hostname").expect("a host");
    let dead = format!("process 1 on {host}");
    folder.write(".partial-vessel.h5-dead/.lock", dead.as_bytes());
    folder.write(".partial-vessel.h5-dead/vessel.h5", b"half");
    folder.write(".partial-other.h5-dead/.lock", dead.as_bytes());
    let _made = folder.mkcase(&["vessel.json", "--quiet"]).done();
    assert!(!folder.has(".partial-vessel.h5-dead") && folder.has(".partial-other.h5-dead"));
    folder.write("run/.lock", b"process 1 on nowhere\n");
    folder.write("run/.partial-fields.vtkhdf-dead/.lock", dead.as_bytes());
    folder.write("run/.partial-fields_r0001of0002.vtkhdf-dead/.lock", dead.as_bytes());
    let _done = folder.run(&["run.json", "--restart", "--quiet"]).done();
    let left: Vec<_> =
        folder.content().into_keys().filter(|path| path.to_string_lossy().contains(".partial")).collect();
    assert_eq!(left.len(), 2, "{left:?}");
}

#[test]
fn post_tells_of_a_run_whose_record_is_damaged() {
    let folder = Folder::with_vessel();
    let _done = folder.run(&["run.json", "--trace", "10", "--quiet"]).done();
    let sound = folder.post(&["timeline", "run"]).done();
    assert!(!sound.stderr.contains("how the run ended is unknown"), "{}", sound.stderr);
    let record = folder.read("run/run.json");
    folder.write("run/run.json", &record.as_bytes()[..record.len() / 2]);
    let told = folder.post(&["timeline", "run"]).done();
    assert!(told.stderr.contains("how the run ended is unknown: run/run.json"), "{}", told.stderr);
    for subcommand in ["flow", "cells", "bodies", "scaling"] {
        folder.refuses("post", &[subcommand, "run"], &["run/run.json"]);
    }
}
