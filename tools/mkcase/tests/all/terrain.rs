//! Cases of terrain: what they hold, what `mkcase` says and draws of them.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use hematite_case::Case;
use hematite_geometry::volcano::volcano;
use hematite_geometry::write_ascii_grid;
use tempfile::TempDir;

const CONFIG: &str = r#"{
    "geometry": {"terrain": {"file": "land.asc", "unit": "1 m", "cell_unit": "1 m"}},
    "regions": [
        {"name": "vent", "disc": {"centre": ["504.915 km", "4175.939 km"]}},
        {"name": "fissure", "segment": {"from": ["505.5 km", "4174 km"], "to": ["506.5 km", "4173 km"]}}
    ]
}"#;

fn folder() -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    write_ascii_grid(&folder.path().join("land.asc"), &volcano(64, 1)).expect("writes");
    fs::write(folder.path().join("land.json"), CONFIG).expect("writes");
    folder
}

fn mkcase(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_mkcase")).args(arguments).current_dir(folder).output().expect("runs")
}

#[test]
fn a_case_of_terrain_keeps_heights_and_place() {
    let folder = folder();
    let output = mkcase(folder.path(), &["land.json"]);
    assert!(output.status.success(), "{output:?}");
    let said = String::from_utf8_lossy(&output.stdout);
    for piece in [
        "land.asc: 64 x 64 cells",
        "terrain    64 x 64 cells of 160 m from (500000, 4170000) m, no reference system",
        "all cells have one",
        "region     vent: 1 nodes",
        "field      elevation: ",
    ] {
        assert!(said.contains(piece), "{piece}: {said}");
    }
    let case = Case::open(&folder.path().join("land.h5")).expect("a case");
    let header = case.header();
    assert_eq!((header.nodes, header.spacing, header.extent), (4096, 160.0, [66, 66, 1]));
    assert_eq!(header.origin, [499_840.0, 4_169_840.0, 0.0]);
    assert_eq!(header.geometry.terrain.len(), 2);
    let lattice = case.lattice().expect("a lattice");
    let [field] = &lattice.fields[..] else { panic!("one field") };
    assert_eq!((field.name.as_str(), field.unit.as_str()), ("elevation", "m"));
    let land = volcano(64, 1);
    for (at, height) in lattice.position.iter().zip(&field.values) {
        assert_eq!(*height, land.heights[(at[1] as usize - 1) * 64 + at[0] as usize - 1]);
    }
    // The vent is where it was asked for.
    let vent = lattice.regions[0].runs()[0].start as usize;
    let place = [0, 1].map(|axis| lattice.origin[axis] + (f64::from(lattice.position[vent][axis]) + 0.5) * 160.0);
    assert!((place[0] - 504_915.0).abs() <= 80.0 && (place[1] - 4_175_939.0).abs() <= 80.0, "{place:?}");
    assert!(lattice.regions[1].nodes() > 6);
}

#[test]
fn its_picture_shows_the_ground_and_its_regions() {
    let folder = folder();
    assert!(mkcase(folder.path(), &["land.json", "--quiet"]).status.success());
    let picture = image::open(folder.path().join("land.png")).expect("a picture").to_rgb8();
    let colours: BTreeSet<[u8; 3]> = picture.pixels().map(|pixel| pixel.0).collect();
    assert!(colours.len() > 100, "{}", colours.len());
    for region in [[0xd6, 0x2a, 0x2a], [0xf0, 0x8c, 0x00]] {
        assert!(colours.contains(&region), "{region:?}");
    }
    let words = fs::read_to_string(folder.path().join("land.svg")).expect("reads");
    for word in ["ground at", "no data", "vent", "fissure"] {
        assert!(words.contains(word), "{word}");
    }
}

#[test]
fn openings_on_terrain_are_refused() {
    let folder = folder();
    let config = CONFIG.replacen('{', r#"{"openings": [{"name": "in", "kind": "velocity", "face": "x-"}], "#, 1);
    fs::write(folder.path().join("land.json"), config).expect("writes");
    let output = mkcase(folder.path(), &["land.json", "--check"]);
    assert_eq!(output.status.code(), Some(2));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("land.json") && said.contains("\"in\"") && said.contains("\"terrain\""), "{said}");
}
