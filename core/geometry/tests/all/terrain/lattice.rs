//! From cells to nodes: parts that are used, other spacings, pieces, and keys that terrain does not have.

use std::collections::BTreeMap;

use hematite_config::from_value;
use hematite_geometry::{FieldConfig, GeometryConfig, OpeningConfig, RegionConfig, build_marked};
use serde_json::{Value, json};

use super::{cell, land, of_asc, refused, write_asc};

/// The geometry of the ASCII grid with more keys.
fn with(keys: Value) -> Value {
    let mut geometry = of_asc();
    keys.as_object().expect("keys").iter().for_each(|(key, value)| geometry[key] = value.clone());
    geometry
}

/// That with a part of the map.
fn within(min: [&str; 2], max: [&str; 2]) -> Value {
    let mut geometry = of_asc();
    geometry["terrain"]["within"] = json!({"min": min, "max": max});
    geometry
}

#[test]
fn a_part_keeps_its_place_on_the_map() {
    let folder = tempfile::tempdir().expect("a folder");
    write_asc(folder.path(), &[[3, 2]]);
    let cropped = with(json!({"crop": {"min": [2, 1], "max": [6, 4]}}));
    let boxed = within(["500.02 km", "4170011 m"], ["500055 m", "4170.04 km"]);
    for geometry in [cropped, boxed] {
        let land = land(folder.path(), geometry, json!([])).expect("builds");
        assert_eq!((land.domain.extent, land.positions.len()), ([6, 5, 1], 11));
        assert_eq!(land.domain.origin, [500_010.0, 4_170_000.0, 0.0]);
        assert_eq!(land.height(500_025.0, 4_170_015.0), Some(cell(2, 1)));
        assert_eq!(land.height(500_055.0, 4_170_035.0), Some(cell(5, 3)));
        assert_eq!(land.height(500_035.0, 4_170_025.0), None);
        assert!(land.domain.report.terrain[0].contains("4 x 3 cells of 10 m from (500020, 4170010) m"));
    }
    refused(
        folder.path(),
        with(json!({"crop": {"min": [2, 1], "max": [9, 4]}})),
        json!([]),
        &["geometry.crop", "2 to 9"],
    );
    let beside = within(["600 km", "4170 km"], ["601 km", "4171 km"]);
    refused(folder.path(), beside, json!([]), &["within", "along x holds no cell", "500000 to 500080 m"]);
    let mut both = within(["500 km", "4170 km"], ["501 km", "4171 km"]);
    both["crop"] = json!({"min": [0, 0], "max": [3, 3]});
    refused(folder.path(), both, json!([]), &["\"crop\" and \"within\""]);
    let mut long = of_asc();
    long["terrain"]["within"] = json!({"min": ["1 m", "1 m", "1 m"], "max": ["2 m", "2 m", "2 m"]});
    refused(folder.path(), long, json!([]), &["2 lengths each"]);
    let nothing = with(json!({"crop": {"min": [3, 2], "max": [4, 3]}}));
    refused(folder.path(), nothing, json!([]), &["land.asc", "no cell that is used has a height"]);
}

#[test]
fn a_coarser_spacing_has_the_means_of_the_cells_it_covers() {
    let folder = tempfile::tempdir().expect("a folder");
    write_asc(folder.path(), &[[0, 0]]);
    let land = land(folder.path(), with(json!({"spacing": "20 m"})), json!([])).expect("builds");
    assert_eq!((land.domain.extent, land.domain.origin), ([6, 5, 1], [499_980.0, 4_169_980.0, 0.0]));
    for (i, j) in (0..4).flat_map(|i| (0..3).map(move |j| (i, j))) {
        let cells = [(0, 0), (1, 0), (0, 1), (1, 1)].map(|(x, y)| (2 * i + x, 2 * j + y));
        let there: Vec<f64> = cells.into_iter().filter(|&at| at != (0, 0)).map(|(x, y)| cell(x, y)).collect();
        let mean = there.iter().sum::<f64>() / there.len() as f64;
        let found = land.height(500_010.0 + 20.0 * i as f64, 4_170_010.0 + 20.0 * j as f64).expect("a node");
        assert!((found - mean).abs() < 1e-9, "{i} {j}: {found} {mean}");
    }
    assert!(land.domain.report.terrain.join("\n").contains("resampled from cells of 10 m to the spacing 20 m"));
    // One that is no multiple: 15 m cover a cell and a half along each axis.
    let land = super::land(folder.path(), with(json!({"spacing": "15 m"})), json!([])).expect("builds");
    let share = [(1, 0.5), (2, 1.0)];
    let wanted: f64 = share.iter().flat_map(|&(x, a)| share.map(|(y, b)| a * b * cell(x, y))).sum::<f64>() / 2.25;
    assert!((land.height(500_022.5, 4_170_022.5).expect("a node") - wanted).abs() < 1e-9);
}

#[test]
fn a_finer_spacing_interpolates() {
    let folder = tempfile::tempdir().expect("a folder");
    write_asc(folder.path(), &[]);
    for keys in [json!({"spacing": "5 m"}), json!({"refine": {"factor": 2}})] {
        let land = land(folder.path(), with(keys), json!([])).expect("builds");
        assert_eq!((land.domain.spacing, land.domain.extent), (5.0, [18, 14, 1]));
        let wanted = 0.5625 * cell(2, 3) + 0.1875 * (cell(3, 3) + cell(2, 4)) + 0.0625 * cell(3, 4);
        let found = land.height(500_027.5, 4_170_037.5).expect("a node");
        assert!((found - wanted).abs() < 1e-9, "{found} {wanted}");
        assert_eq!(land.height(500_002.5, 4_170_002.5), Some(cell(0, 0)));
    }
    let same = land(folder.path(), with(json!({"spacing": "10.0001 m"})), json!([])).expect("builds");
    assert_eq!(same.domain.spacing, 10.0);
    let both = with(json!({"spacing": "5 m", "refine": {"factor": 2}}));
    refused(folder.path(), both, json!([]), &["resamples cells of 10 m", "\"refine\""]);
    refused(folder.path(), with(json!({"spacing": "1 cm"})), json!([]), &["geometry.spacing", "check the units"]);
}

#[test]
fn pieces_stay_unless_the_largest_is_asked_for() {
    let folder = tempfile::tempdir().expect("a folder");
    let wall: Vec<[usize; 2]> = (0..6).map(|y| [2, y]).collect();
    write_asc(folder.path(), &wall);
    let nodes = |geometry: Value| land(folder.path(), geometry, json!([])).expect("builds").positions.len();
    assert_eq!(nodes(of_asc()), 42);
    assert_eq!(nodes(with(json!({"keep": "largest"}))), 30);
}

#[test]
fn a_value_that_looks_like_none_is_told_of() {
    let folder = tempfile::tempdir().expect("a folder");
    write_asc(folder.path(), &[[1, 1]]);
    let path = folder.path().join("land.asc");
    let text = std::fs::read_to_string(&path).expect("reads").replace("NODATA_value -9999\n", "");
    std::fs::write(&path, text).expect("writes");
    let told = land(folder.path(), of_asc(), json!([])).expect("builds");
    assert!(told.domain.report.warnings.join("\n").contains("\"missing\": -9999"), "{:?}", told.domain.report.warnings);
    let mut geometry = of_asc();
    geometry["terrain"]["missing"] = json!(-9999);
    let mended = land(folder.path(), geometry, json!([])).expect("builds");
    assert_eq!((mended.positions.len(), mended.domain.report.warnings.len()), (47, 0));
}

#[test]
fn keys_without_meaning_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    write_asc(folder.path(), &[]);
    for (key, value) in [
        ("image", json!("a.png")),
        ("voxels", json!({"file": "a.mha"})),
        ("rules", json!([{"any": true, "is": "fluid"}])),
        ("specks", json!({"fluid": 2})),
        ("ends", json!({"largest": "velocity", "others": "pressure"})),
        ("periodic", json!(["x"])),
    ] {
        refused(folder.path(), with(json!({key: value})), json!([]), &[&format!("geometry.{key}"), "\"terrain\""]);
    }
    refused(folder.path(), with(json!({"refine": {"factor": 2, "smooth": true}})), json!([]), &["refine.smooth"]);
    refused(
        folder.path(),
        with(json!({"surface": {"file": "a.stl", "unit": "1 m"}})),
        json!([]),
        &["geometry.terrain"],
    );
    let geometry: GeometryConfig = from_value("geometry", of_asc()).expect("a config");
    let built = |openings: Value, regions: Value, fields: Value| {
        let openings: Vec<OpeningConfig> = from_value("openings", openings).expect("openings");
        let regions: Vec<RegionConfig> = from_value("regions", regions).expect("regions");
        let fields: BTreeMap<String, FieldConfig> = from_value("fields", fields).expect("fields");
        let path = folder.path().join("CASE.json");
        build_marked(&path, &geometry, &openings, &[], &regions, &fields).map(drop).expect_err("refused").message
    };
    let opened = built(json!([{"name": "in", "kind": "velocity", "face": "x-"}]), json!([]), json!({}));
    assert!(opened.contains("\"in\"") && opened.contains("not for \"terrain\""), "{opened}");
    let twice = built(json!([]), json!([]), json!({"elevation": {"constant": "3 m"}}));
    assert!(twice.contains("\"elevation\" is made by \"terrain\""), "{twice}");
    let region = built(json!([]), json!([{"name": "elevation", "above": 3}]), json!({}));
    assert!(region.contains("\"elevation\""), "{region}");
}

#[test]
fn other_fields_stand_beside_the_heights() {
    let folder = tempfile::tempdir().expect("a folder");
    write_asc(folder.path(), &[]);
    let geometry: GeometryConfig = from_value("geometry", of_asc()).expect("a config");
    let fields: BTreeMap<String, FieldConfig> =
        from_value("fields", json!({"temperature": {"constant": "300 K"}, "age": {"constant": "3 s"}}))
            .expect("fields");
    let path = folder.path().join("CASE.json");
    let (_, marking) = build_marked(&path, &geometry, &[], &[], &[], &fields).expect("builds");
    let fields = marking.fields(&[[1, 1, 0]], &[]).expect("marks");
    let names: Vec<&str> = fields.iter().map(|field| field.name.as_str()).collect();
    assert_eq!((names, fields[1].values[0]), (vec!["age", "elevation", "temperature"], cell(0, 0)));
}
