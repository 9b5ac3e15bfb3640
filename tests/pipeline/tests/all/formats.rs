//! Every geometry format as `mkcase` takes it: whole, missing, and cut short.

use std::panic::{AssertUnwindSafe, catch_unwind};

use pipeline_tests::formats::{Format, pictures, volumes};
use pipeline_tests::{Folder, draw};
use serde_json::json;

/// Writes `format` and the config of a case of it, `case.json`.
fn folder(format: &Format) -> Folder {
    let folder = Folder::new();
    for (file, content) in &format.files {
        folder.write(file, content);
    }
    folder.json(
        "case.json",
        &json!({"geometry": format.geometry, "openings": [
            {"name": "in", "kind": "velocity", "face": "x-"}, {"name": "out", "kind": "pressure", "face": "x+"}
        ]}),
    );
    folder
}

/// The report without the lines that name files.
fn report(format: &Format) -> String {
    let made = folder(format).mkcase(&["case.json", "--quiet"]).done();
    assert!(made.stderr.is_empty(), "{}: {}", format.name, made.stderr);
    made.stdout.lines().filter(|line| !line.starts_with("read ")).collect::<Vec<_>>().join("\n")
}

fn every_format_gives_the_same_case(formats: &[Format], nodes: usize) {
    let wanted = report(&formats[0]);
    let digits = |line: &str| line.split(" nodes").next().map(|head| head.replace(|c: char| !c.is_ascii_digit(), ""));
    let found = wanted.lines().find(|line| line.starts_with("fluid ")).and_then(digits);
    assert_eq!(found, Some(nodes.to_string()), "{wanted}");
    for format in formats {
        assert_eq!(report(format), wanted, "{}", format.name);
    }
}

#[test]
fn every_picture_format_gives_the_same_case() {
    let picture = draw::vessel();
    every_format_gives_the_same_case(&pictures(&picture), picture.fluid());
}

#[test]
fn every_volume_format_gives_the_same_case() {
    let voxels = draw::branching_tube();
    every_format_gives_the_same_case(&volumes(&voxels), voxels.fluid());
}

fn all() -> Vec<Format> {
    let mut formats = pictures(&draw::vessel());
    formats.extend(volumes(&draw::branching_tube()));
    formats
}

/// Runs `test` on every format and tells all that fail it.
fn each(test: impl Fn(&Format)) {
    let failed = all().iter().filter(|format| catch_unwind(AssertUnwindSafe(|| test(format))).is_err()).count();
    assert_eq!(failed, 0, "formats that fail");
}

#[test]
fn missing_files_are_named() {
    each(|format| {
        let folder = folder(format);
        let mut lost = vec![format.files.last().expect("a file").0.as_str()];
        if lost[0].contains('/') {
            // Of a folder of slices, all.
            std::fs::remove_dir_all(folder.path("slices")).expect("removes");
            lost = vec!["slices"];
        } else {
            std::fs::remove_file(folder.path(lost[0])).expect("removes");
        }
        folder.refuses("mkcase", &["case.json", "--quiet"], &lost);
    });
}

#[test]
fn files_cut_short_are_named() {
    each(|format| {
        let folder = folder(format);
        let (file, content) = format.files.last().expect("a file");
        let (name, length) = (file.rsplit('/').next().expect("a name"), content.len());
        for cut in [0, 1, 16, length / 4, length / 2, length - 60, length - 40] {
            folder.write(file, &content[..cut]);
            println!("{}: {cut} of {length} bytes", format.name);
            folder.refuses("mkcase", &["case.json", "--quiet"], &[name]);
        }
    });
}

#[test]
fn a_file_of_another_kind_is_named() {
    each(|format| {
        if format.name == "raw" {
            return;
        }
        let folder = folder(format);
        // Of a format in two files the first is the header.
        let file = if format.files.len() == 2 { &format.files[0].0 } else { &format.files.last().expect("a file").0 };
        let name = file.rsplit('/').next().expect("a name");
        folder.write(file, b"This is a letter to a friend, and no picture at all.\n".repeat(40).as_slice());
        folder.refuses("mkcase", &["case.json", "--quiet"], &[name]);
    });
}

#[test]
fn a_header_that_claims_the_world_is_refused_at_once() {
    for (file, content, pieces) in [
        ("huge.ppm", "P6\n40000 25000\n255\nabc", &["huge.ppm", "40000", "25000"][..]),
        ("huge.pgm", "P5\n1000000000 1\n255\nabc", &["huge.pgm"]),
        ("huge.pgm", "P5\n99999999999 99999999999\n255\nabc", &["huge.pgm"]),
    ] {
        let folder = Folder::new();
        folder.write(file, content.as_bytes());
        folder.json("case.json", &json!({"geometry": {"image": file, "spacing": "1 um"}}));
        let start = std::time::Instant::now();
        folder.refuses("mkcase", &["case.json", "--quiet"], pieces);
        assert!(start.elapsed().as_secs_f64() < 5.0, "{file} took {:?}", start.elapsed());
    }
}
