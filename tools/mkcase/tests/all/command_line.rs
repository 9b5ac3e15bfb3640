//! The command line: options, outputs, messages.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use hematite_case::Case;
use hematite_geometry::{models::aneurysm, write_png};
use tempfile::TempDir;

/// A folder with a drawn vessel of 16 pixels, `a.png`, and its config, `a.json`.
struct Folder {
    folder: TempDir,
    fluid: usize,
}

const CONFIG: &str = r#"{
    "geometry": {"image": "a.png", "spacing": "4 um"},
    "openings": [
        {"name": "inlet", "kind": "velocity", "face": "x-"},
        {"name": "outlet", "kind": "pressure", "face": "x+"}
    ],
    "parts": [2, 1, 2]
}"#;

impl Folder {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let model = aneurysm(16, 64, false);
        write_png(&folder.path().join("a.png"), &model).expect("draws");
        fs::write(folder.path().join("a.json"), CONFIG).expect("writes");
        Self { folder, fluid: model.fluid.iter().filter(|&&fluid| fluid).count() }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Calls `mkcase` in a folder other than that of the config.
    fn call(&self, arguments: &[&str]) -> Output {
        let config = self.path("a.json");
        mkcase(&[&[config.to_str().expect("text")], arguments].concat())
    }

    fn files(&self) -> usize {
        fs::read_dir(self.folder.path()).expect("lists").count()
    }
}

fn mkcase(arguments: &[&str]) -> Output {
    let folder = tempfile::tempdir().expect("a folder");
    Command::new(env!("CARGO_BIN_EXE_mkcase")).args(arguments).current_dir(folder.path()).output().expect("runs")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The message of a call that must be refused with exit code 2 and nothing on stdout.
fn refused(output: &Output) -> String {
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    assert!(output.stdout.is_empty(), "{output:?}");
    text(&output.stderr)
}

fn nodes(path: &Path) -> usize {
    Case::open(path).expect("a case").header().nodes
}

#[test]
fn makes_the_case_beside_its_config_and_reports() {
    let folder = Folder::new();
    let output = folder.call(&[]);
    assert!(output.status.success(), "{output:?}");
    assert_eq!(nodes(&folder.path("a.h5")), folder.fluid);
    let report = text(&output.stdout);
    // Both ends are 16 pixels of 4 um wide.
    for piece in [
        "a.h5",
        "a.png: 64 x ",
        "D2Q9",
        "spacing 4 um",
        "in 1 piece",
        "inlet   velocity         16 nodes  width 64 um  normal (1.000, 0.000)",
        "outlet  pressure         16 nodes  width 64 um  normal (-1.000, 0.000)",
        "narrowest  16.0 spacings (64 um) at (",
        "m, on the widest way from opening \"inlet\" to \"outlet\"; 6.4 um is the coarsest spacing for 10 across",
        "partitions",
    ] {
        assert!(report.contains(piece), "\"{piece}\" is missing in\n{report}");
    }
    let stored: Vec<&str> = report.lines().rev().take(2).map(|line| line.trim_start()).collect();
    assert!(stored[0].starts_with("2 ") && stored[1].starts_with("1 "), "{report}");
    let progress = text(&output.stderr);
    assert!(progress.lines().count() > 3 && progress.lines().all(|line| line.starts_with("mkcase: ")), "{progress}");
}

#[test]
fn parts_and_output_of_the_command_line_win() {
    let folder = Folder::new();
    let other = folder.path("deep/other.h5");
    let output = folder.call(&["--parts", "3,4", "-o", other.to_str().expect("text"), "--quiet"]);
    assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
    assert!(!folder.path("a.h5").exists());
    assert_eq!(nodes(&other), folder.fluid);
    let report = text(&output.stdout);
    let last: Vec<&str> = report.lines().rev().take(2).map(|line| line.trim_start()).collect();
    assert!(last[0].starts_with("4 ") && last[1].starts_with("3 "), "{report}");
}

#[test]
fn a_check_writes_nothing_and_finds_the_same() {
    let folder = Folder::new();
    let before = folder.files();
    let checked = folder.call(&["--check"]);
    assert!(checked.status.success(), "{checked:?}");
    assert_eq!(folder.files(), before);
    let report = text(&checked.stdout);
    assert!(report.contains("checked, not written"), "{report}");
    let made = text(&folder.call(&["--picture", "none"]).stdout);
    assert_eq!(report.replace(" (checked, not written)", ""), made);
}

#[test]
fn what_cannot_work_is_refused_and_leaves_nothing() {
    let folder = Folder::new();
    let before = folder.files();
    for (from, to, pieces) in [
        ("\"spacing\"", "\"spacin\"", &["a.json", "spacin", "did you mean \"spacing\"?"][..]),
        ("\"4 um\"", "\"4 s\"", &["a.json", "geometry.spacing", "not a length"]),
        ("\"x-\"", "\"y-\"", &["a.json", "\"inlet\"", "touches no fluid"]),
        ("a.png", "b.png", &["b.png"]),
        ("[2, 1, 2]", "[0]", &["a.json", "parts"]),
        ("[2, 1, 2]", "[1000000000]", &["a.json", "parts"]),
        ("[2, 1, 2]", "[2", &["a.json", "line"]),
    ] {
        fs::write(folder.path("a.json"), CONFIG.replace(from, to)).expect("writes");
        let message = refused(&folder.call(&["--quiet"]));
        assert!(pieces.iter().all(|piece| message.contains(piece)), "{pieces:?} in {message}");
        assert_eq!(message.lines().count(), 1, "{message}");
    }
    assert_eq!(folder.files(), before);
}

#[test]
fn no_input_is_overwritten() {
    let folder = Folder::new();
    for name in ["a.json", "a.png"] {
        let path = folder.path(name);
        let before = fs::read(&path).expect("reads");
        refused(&folder.call(&["-o", path.to_str().expect("text")]));
        assert_eq!(fs::read(&path).expect("reads"), before);
    }
}

#[test]
fn only_a_case_is_replaced() {
    let folder = Folder::new();
    let at = folder.path("letter.h5");
    let to = ["-o", at.to_str().expect("text"), "--quiet"];
    let letter = b"This is a letter to a friend.\n";
    for content in [&letter[..], b"\x89PNG\r\n\x1a\n", b"\n"] {
        fs::write(&at, content).expect("writes");
        let message = refused(&folder.call(&to));
        assert!(["letter.h5", "no HDF5 file", "-o"].iter().all(|piece| message.contains(piece)), "{message}");
        assert_eq!(fs::read(&at).expect("reads"), content);
    }
    // The default output is treated in the same way.
    fs::write(folder.path("a.h5"), letter).expect("writes");
    assert!(refused(&folder.call(&["--quiet"])).contains("a.h5"));
    fs::remove_file(folder.path("a.h5")).expect("removes");
    // A case is replaced, whole or cut off.
    assert!(folder.call(&["--quiet"]).status.success());
    let whole = fs::read(folder.path("a.h5")).expect("reads");
    for length in [0, 3, 8, whole.len() / 2, whole.len()] {
        fs::write(&at, &whole[..length]).expect("writes");
        assert!(folder.call(&to).status.success(), "{length}");
        assert_eq!(nodes(&at), folder.fluid);
    }
}

#[test]
fn failing_to_write_is_an_io_fault() {
    let folder = Folder::new();
    let output = folder.call(&["-o", folder.path("a.png/case.h5").to_str().expect("text"), "--quiet"]);
    assert_eq!(output.status.code(), Some(6), "{output:?}");
    assert!(output.stdout.is_empty());
}

#[test]
fn bad_usage_ends_with_two() {
    for arguments in
        [&[][..], &["a.json", "--parts", "0"], &["a.json", "--parts", ""], &["a.json", "--sceme"], &["nowhere.json"]]
    {
        refused(&mkcase(arguments));
    }
    assert!(text(&mkcase(&["--help"]).stdout).contains("Exit codes"));
}

#[test]
fn the_schema_is_json_and_knows_the_keys() {
    let output = mkcase(&["--schema"]);
    assert!(output.status.success(), "{output:?}");
    let schema: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    for key in ["geometry", "openings", "parts"] {
        assert!(schema["properties"][key]["description"].is_string(), "{key}");
    }
    assert_eq!(schema["additionalProperties"], false);
}

#[test]
fn a_reader_that_leaves_is_no_fault() {
    let mut child =
        Command::new(env!("CARGO_BIN_EXE_mkcase")).arg("--schema").stdout(Stdio::piped()).spawn().expect("runs");
    drop(child.stdout.take());
    assert!(child.wait().expect("ends").success());
}

/// A vessel of 40 um with red cells, `blood.json`.
fn blood(cells: &str) -> Folder {
    let folder = Folder::new();
    write_png(&folder.path("blood.png"), &aneurysm(40, 160, false)).expect("draws");
    let config = format!(
        r#"{{"geometry": {{"image": "blood.png", "spacing": "1 um"}},
            "openings": [{{"name": "inlet", "kind": "velocity", "face": "x-"}},
                         {{"name": "outlet", "kind": "pressure", "face": "x+"}}],
            "cells": [{cells}], "seeding": {{"seed": 3}}}}"#
    );
    fs::write(folder.path("blood.json"), config).expect("writes");
    folder
}

#[test]
fn cells_are_seeded_and_reported() {
    let folder = blood(r#"{"name": "red", "shape": {"kind": "red_cell"}, "hematocrit": 0.4}"#);
    let config = folder.path("blood.json");
    let check = mkcase(&[config.to_str().expect("text"), "--check"]);
    assert!(check.status.success(), "{}", text(&check.stderr));
    assert!(text(&check.stdout).contains("cells of 32 vertices, hematocrit 0.") && !folder.path("blood.h5").exists());
    let output = mkcase(&[config.to_str().expect("text")]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let said = text(&output.stdout);
    assert!(said.contains("cells\n  red: ") && said.contains("between cells"), "{said}");
    assert!(text(&output.stderr).contains("growing the cells"), "{}", text(&output.stderr));
    let case = Case::open(&folder.path("blood.h5")).expect("opens");
    let first = case.populations().expect("reads");
    assert_eq!(case.header().populations[0].cells, first[0].cells.len());
    let share = first[0].report["hematocrit"].as_f64().expect("a number");
    assert!((share - 0.4).abs() < 0.005, "{share}");
    drop(case);
    assert!(mkcase(&[config.to_str().expect("text"), "--quiet"]).status.success());
    let again = Case::open(&folder.path("blood.h5")).expect("opens").populations().expect("reads");
    assert_eq!(first[0].cells, again[0].cells);
}

/// A box of fluid, 24 um wide, with `cells`, as `box.json`.
fn voxels(cells: &str) -> Folder {
    let folder = Folder::new();
    fs::write(folder.path("box.raw"), vec![1; 24 * 24 * 24]).expect("writes");
    let config = format!(
        r#"{{"geometry": {{"voxels": {{"file": "box.raw", "shape": [24, 24, 24], "type": "u8"}}, "spacing": "1 um",
                           "periodic": ["x", "y", "z"]}}, "cells": [{cells}]}}"#
    );
    fs::write(folder.path("box.json"), config).expect("writes");
    folder
}

#[test]
fn rigid_bodies_are_seeded_and_reported() {
    let folder = voxels(
        r#"{"name": "red", "shape": {"kind": "ellipsoid", "axes": ["6 um", "6 um", "2 um"]}, "rigid": true,
            "hematocrit": 0.3}"#,
    );
    let config = folder.path("box.json");
    let check = mkcase(&[config.to_str().expect("text"), "--check"]);
    let said = text(&check.stdout);
    assert!(said.contains("red: 110 rigid bodies of semi-axes 3.000 x 3.000 x 1.000 um, hematocrit 0.3"), "{said}");
    let output = mkcase(&[config.to_str().expect("text"), "--quiet"]);
    let said = text(&output.stdout);
    assert!(said.contains("red: 110 of 110 rigid bodies, hematocrit 0.3"), "{said}");
    let case = Case::open(&folder.path("box.h5")).expect("opens");
    assert!(case.header().populations[0].rigid);
    let populations = case.populations().expect("reads");
    assert_eq!(populations[0].rigid.map(|body| body.semi_axes), Some([3e-6, 3e-6, 1e-6]));
    assert_eq!(populations[0].surface.vertices.len(), 162);
}

#[test]
fn bodies_that_cannot_be_are_refused() {
    let ellipsoid = r#""shape": {"kind": "ellipsoid", "axes": ["6 um", "6 um", "2 um"]}"#;
    for (body, said) in [
        (r#""shape": {"kind": "red_cell"}"#.to_owned(), "rigid bodies are ellipsoids: take {\"kind\": \"ellipsoid\""),
        (format!(r#"{ellipsoid}, "mechanics": {{}}"#), "keys \"rigid\" and \"mechanics\" are both given"),
        (ellipsoid.replace("\"2 um\"", "\"0.5 um\""), "0.25 lattice spacings; the region by which a rigid body meets"),
    ] {
        let folder = voxels(&format!(r#"{{"name": "red", {body}, "rigid": true, "count": 2}}"#));
        let message = refused(&mkcase(&[folder.path("box.json").to_str().expect("text"), "--check"]));
        assert!(message.contains(said) && message.contains("cells[0]"), "{message}");
    }
    let folder = blood(r#"{"name": "red", "shape": {"kind": "disc", "radius": "4 um"}, "rigid": true, "count": 2}"#);
    let message = refused(&mkcase(&[folder.path("blood.json").to_str().expect("text")]));
    assert!(message.contains("rigid bodies are for 3-D cases, this case is 2-D"), "{message}");
}

#[test]
fn cells_that_cannot_be_are_refused() {
    for (cells, said) in [
        (r#"{"name": "red", "shape": {"kind": "red_cell"}, "hematocrit": 0.9}"#, "hematocrit beyond packing"),
        (r#"{"name": "red", "shape": {"kind": "red_cell"}, "hematocritt": 0.4}"#, "did you mean \"hematocrit\"?"),
        (
            r#"{"name": "big", "shape": {"kind": "disc", "radius": "60 um", "vertices": 400}, "count": 1}"#,
            "larger than the",
        ),
        (r#"{"name": "red", "shape": {"kind": "red_cell"}, "positions": "none.csv"}"#, "none.csv"),
    ] {
        let folder = blood(cells);
        let output = mkcase(&[folder.path("blood.json").to_str().expect("text"), "--check"]);
        let message = refused(&output);
        assert!(message.contains(said) && message.contains("blood.json"), "{message}");
    }
}
