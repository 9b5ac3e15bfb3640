//! The picture that mkcase draws of a case: what it shows, where it goes, what it never replaces.

use std::collections::BTreeMap;

use pipeline_tests::{Folder, draw};
use serde_json::{Value, json};
use svg_checks::Drawn;

const FLUID: [u8; 3] = [0xd3, 0xe3, 0xf3];
const WALL: [u8; 3] = [0xb4, 0xb4, 0xb8];
const FLUID_REMOVED: [u8; 3] = [0xf0, 0x8c, 0x00];
const WALL_REMOVED: [u8; 3] = [0x8e, 0x4b, 0xa8];
const VELOCITY: [u8; 3] = [0x1f, 0x5f, 0xa8];
const PRESSURE: [u8; 3] = [0x1b, 0x7a, 0x3b];
/// A square of the legend has so many pixels of its colour.
const SWATCH: usize = 16 * 16;

/// How many pixels of each colour a picture has.
fn colours(folder: &Folder, name: &str) -> BTreeMap<[u8; 3], usize> {
    let image = image::open(folder.path(name)).expect("a picture").to_rgb8();
    let mut colours = BTreeMap::new();
    image.pixels().for_each(|pixel| *colours.entry(pixel.0).or_default() += 1);
    colours
}

/// A channel along x of 60 x 24 pixels with a speck of wall in it, and above it a pool of 30 pixels and a speck of fluid.
fn channel() -> (Folder, Value) {
    let folder = Folder::new();
    let picture = draw::Picture::of(60, 24, |x, y| {
        let channel = (10..22).contains(&y) && (x, y) != (30, 15);
        channel || (x, y) == (50, 4) || ((10..20).contains(&x) && (3..6).contains(&y))
    });
    folder.write("channel.pgm", &picture.pgm());
    let case = json!({
        "geometry": {"image": "channel.pgm", "spacing": "1 um", "specks": {"fluid": 2, "wall": 2}},
        "openings": [
            {"name": "in", "kind": "velocity", "face": "x-"}, {"name": "out", "kind": "pressure", "face": "x+"}
        ],
        "cells": [{"name": "red", "shape": {"kind": "disc", "radius": "2 um", "vertices": 24}, "count": 6}],
        "parts": [1, 3]
    });
    (folder, case)
}

#[test]
fn a_picture_shows_fluid_walls_openings_cells_and_what_was_removed() {
    let (folder, case) = channel();
    folder.json("case.json", &case);
    let made = folder.mkcase(&["case.json", "--quiet"]).done();
    assert!(made.stdout.contains("picture    case.png, case.svg"), "{}", made.stdout);
    let found = colours(&folder, "case.png");
    let count = |colour: [u8; 3]| found.get(&colour).copied().unwrap_or(0);
    // At z pixels a site: the pool, the specks, and the 12 nodes of each opening beside the swatches.
    let zoom = (1..40).find(|z| count(FLUID_REMOVED) - SWATCH == 31 * z * z).expect("31 pixels were fluid");
    assert!(zoom >= 10, "{zoom}");
    // A cell may hide a part of the speck of wall.
    assert!((SWATCH..=SWATCH + zoom * zoom).contains(&count(WALL_REMOVED)));
    for opening in [VELOCITY, PRESSURE] {
        // The arrow is drawn upon it.
        let nodes = count(opening) as f64 / (12 * zoom * zoom) as f64;
        assert!((0.5..1.6).contains(&nodes), "{nodes}");
    }
    // Six discs, but for their outlines.
    let discs = (count([0xd6, 0x2a, 0x2a]) - SWATCH) as f64 / (zoom * zoom) as f64;
    assert!((50.0..6.0 * 4.0 * std::f64::consts::PI).contains(&discs), "{discs}");
    assert!(count(FLUID) > 400 * zoom * zoom && count(WALL) > 300 * zoom * zoom);
}

#[test]
fn pictures_have_the_same_bytes_on_any_number_of_threads() {
    let (folder, case) = channel();
    folder.json("flat.json", &case);
    folder.write("tube.mha", &draw::branching_tube().mha());
    folder.json(
        "deep.json",
        &json!({
            "geometry": {"voxels": {"file": "tube.mha"}, "spacing": "1 um"},
            "openings": [
                {"name": "in", "kind": "velocity", "face": "x-"}, {"name": "out", "kind": "pressure", "face": "x+"},
                {"name": "branch", "kind": "pressure", "face": "y+"}
            ],
            "cells": [{"name": "red", "shape": {"kind": "sphere", "radius": "2.5 um", "vertices": 162}, "count": 4}],
            "parts": [2]
        }),
    );
    for name in ["flat", "deep"] {
        for of in ["case", "parts"] {
            let bytes = ["1", "3"].map(|threads| {
                let config = format!("{name}.json");
                let call = folder.call("mkcase", &[&config, "--quiet", "--picture", of]);
                let _drawn = call.with("RAYON_NUM_THREADS", threads).end().done();
                ["png", "svg"].map(|end| std::fs::read(folder.path(&format!("{name}.{end}"))).expect("reads"))
            });
            assert!(bytes[0] == bytes[1], "{name}, {of}");
        }
    }
    for name in ["flat", "deep"] {
        let svg = std::fs::read_to_string(folder.path(&format!("{name}.svg"))).expect("is there");
        Drawn::of(&svg).is_sound();
    }
    // Parts of a 3-D case: the fluid has their colours, the openings theirs.
    let found = colours(&folder, "deep.png");
    assert!(!found.contains_key(&FLUID) && found[&VELOCITY] > SWATCH && found[&PRESSURE] > SWATCH);
}

#[test]
fn a_picture_goes_beside_the_case_and_replaces_nothing_but_itself() {
    let (folder, mut case) = channel();
    let picture = image::open(folder.path("channel.pgm")).expect("a picture");
    picture.save(folder.path("case.png")).expect("saves");
    let own = std::fs::read(folder.path("case.png")).expect("reads");
    // The geometry has the name that the picture would have.
    case["geometry"]["image"] = "case.png".into();
    folder.json("case.json", &case);
    for _ in 0..2 {
        let made = folder.mkcase(&["case.json", "--quiet"]).done();
        assert!(made.stdout.contains("picture    case-picture.png, case-picture.svg"), "{}", made.stdout);
    }
    assert_eq!(std::fs::read(folder.path("case.png")).expect("reads"), own);
    // So does another picture, here for both names.
    case["geometry"]["image"] = "channel.pgm".into();
    folder.json("case.json", &case);
    picture.save(folder.path("case-picture.png")).expect("saves");
    let pieces = ["case-picture.png is there already and is no picture by mkcase", "--picture none"];
    folder.refuses("mkcase", &["case.json"], &pieces);
    let made = folder.mkcase(&["case.json", "--quiet", "--picture", "none"]).done();
    assert!(!made.stdout.contains("picture "), "{}", made.stdout);
    // A check draws where it is asked to.
    let made = folder.mkcase(&["case.json", "--quiet", "--check", "-o", "other.h5", "--picture"]).done();
    assert!(made.stdout.contains("picture    other.png, other.svg"), "{}", made.stdout);
    assert!(folder.has("other.png") && folder.has("other.svg") && !folder.has("other.h5"));
}

#[test]
fn any_name_of_a_case_and_many_openings_have_room() {
    let folder = Folder::new();
    let comb = draw::Picture::of(400, 140, |x, y| (60..80).contains(&y) || ((84..316).contains(&x) && x % 12 < 6));
    folder.write("comb.pgm", &comb.pgm());
    let case = json!({
        "geometry": {"image": "comb.pgm", "spacing": "1 um", "ends": {"largest": "velocity", "others": "pressure"}}
    });
    let name = format!("{} <&> \u{436}\u{4e2d}", "a long name ".repeat(12).trim_end());
    folder.json(&format!("{name}.json"), &case);
    let _made = folder.mkcase(&[&format!("{name}.json"), "--quiet"]).done();
    let svg = std::fs::read_to_string(folder.path(&format!("{name}.svg"))).expect("is there");
    let drawn = Drawn::of(&svg);
    drawn.is_sound();
    assert!(svg.contains("<desc>Software: Hematite mkcase "));
    // All openings are in the table below, as not all labels have room.
    assert!(
        (0..40).all(|k| drawn.texts.iter().any(|text| text.text.starts_with(&format!("{k}: end-{k},")))),
        "{drawn:?}"
    );
}

#[test]
fn pictures_that_cannot_be_are_refused() {
    let (folder, mut case) = channel();
    case["parts"] = json!([]);
    folder.json("case.json", &case);
    folder.refuses("mkcase", &["case.json", "--picture", "parts"], &["case.json", "no partition is stored", "--parts"]);
    let refused = folder.mkcase(&["case.json", "--picture", "cells"]).exits(2);
    assert!(refused.stderr.contains("possible values: case, parts, none"), "{}", refused.stderr);
}
