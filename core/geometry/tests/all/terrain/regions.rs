//! Regions by position: discs and segments, on terrain and in other domains.

use serde_json::{Value, json};

use super::{Land, land, of_asc, refused, write_asc};

/// The cells of region number `k`, counted from the corner of the file.
fn cells(land: &Land, k: usize) -> Vec<[i32; 2]> {
    land.regions[k].nodes.iter().map(|&n| land.positions[n as usize]).map(|[x, y, _]| [x - 1, y - 1]).collect()
}

fn disc(centre: [&str; 2], radius: Option<&str>) -> Value {
    match radius {
        Some(radius) => json!([{"name": "vent", "disc": {"centre": centre, "radius": radius}}]),
        None => json!([{"name": "vent", "disc": {"centre": centre}}]),
    }
}

#[test]
fn a_disc_is_the_nodes_around_a_point() {
    let folder = tempfile::tempdir().expect("a folder");
    write_asc(folder.path(), &[[4, 3]]);
    let found = |regions: Value| cells(&land(folder.path(), of_asc(), regions).expect("marks"), 0);
    let at = ["500.0231 km", "4170018 m"];
    assert_eq!(found(disc(at, None)), [[2, 1]]);
    // No centre is that near.
    assert_eq!(found(disc(at, Some("1 m"))), [[2, 1]]);
    assert_eq!(found(disc(["500025 m", "4170015 m"], Some("10 m"))), [[2, 0], [1, 1], [2, 1], [3, 1], [2, 2]]);
    // Around a cell without data.
    assert_eq!(found(disc(["500045 m", "4170035 m"], Some("10 m"))), [[4, 2], [3, 3], [5, 3], [4, 4]]);
    let none = disc(["500045 m", "4170035 m"], None);
    refused(folder.path(), of_asc(), none, &["\"vent\"", "disc.centre", "500045 m", "without data"]);
    let outside = disc(["600 km", "4170035 m"], Some("10 m"));
    refused(folder.path(), of_asc(), outside, &["\"vent\"", "outside the domain", "499990 m to 500090 m along x"]);
    let negative = disc(["500045 m", "4170035 m"], Some("-1 m"));
    refused(folder.path(), of_asc(), negative, &["disc.radius", "negative"]);
    let flat = json!([{"name": "vent", "disc": {"centre": ["1 m", "1 m", "1 m"]}}]);
    refused(folder.path(), of_asc(), flat, &["disc.centre", "2 lengths"]);
}

#[test]
fn a_segment_is_the_nodes_that_it_crosses() {
    let folder = tempfile::tempdir().expect("a folder");
    write_asc(folder.path(), &[[3, 2]]);
    let segment = |from: [&str; 2], to: [&str; 2]| json!([{"name": "fissure", "segment": {"from": from, "to": to}}]);
    let found = |regions: Value| cells(&land(folder.path(), of_asc(), regions).expect("marks"), 0);
    let along = segment(["500012 m", "4170025 m"], ["500058 m", "4170025 m"]);
    assert_eq!(found(along), [[1, 2], [2, 2], [4, 2], [5, 2]]);
    let oblique = segment(["500005 m", "4170005 m"], ["500025 m", "4170015 m"]);
    assert_eq!(found(oblique), [[0, 0], [1, 0], [1, 1], [2, 1]]);
    let both = json!([{"name": "fissure", "any_of": [
        {"segment": {"from": ["500005 m", "4170005 m"], "to": ["500015 m", "4170005 m"]}},
        {"disc": {"centre": ["500075 m", "4170055 m"]}}, {"above": 155}
    ]}]);
    assert_eq!(found(both), [[0, 0], [1, 0], [7, 5]]);
    let beyond = segment(["600 km", "4170025 m"], ["601 km", "4170025 m"]);
    refused(folder.path(), of_asc(), beyond, &["\"fissure\"", "holds no fluid node", "fluid is from"]);
    let two = json!([{"name": "vent", "above": 3, "disc": {"centre": ["500005 m", "4170005 m"]}}]);
    refused(folder.path(), of_asc(), two, &["2 places", "disc", "segment"]);
    refused(folder.path(), of_asc(), json!([{"name": "vent", "label": "vent"}]), &["label \"vent\""]);
}

#[test]
fn values_are_those_of_the_file() {
    let folder = tempfile::tempdir().expect("a folder");
    write_asc(folder.path(), &[]);
    let mut geometry = of_asc();
    geometry["terrain"]["unit"] = json!("0.1 m");
    let land = land(folder.path(), geometry, json!([{"name": "high", "above": 150}])).expect("marks");
    for (n, height) in land.elevation.iter().enumerate() {
        assert_eq!(land.regions[0].nodes.contains(&(n as u32)), *height >= 15.0 - 1e-9, "{height}");
    }
}

#[test]
fn balls_and_segments_lie_in_volumes_too() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("box.raw"), [1; 5 * 5 * 5]).expect("writes");
    let geometry = hematite_config::from_value(
        "geometry",
        json!({"voxels": {"file": "box.raw", "shape": [5, 5, 5], "type": "u8"}, "spacing": "1 m"}),
    )
    .expect("a config");
    let regions: Vec<_> = hematite_config::from_value(
        "regions",
        json!([
            {"name": "ball", "disc": {"centre": ["2.5 m", "2.5 m", "2.5 m"], "radius": "1 m"}},
            {"name": "line", "segment": {"from": ["0.5 m", "0.5 m", "0.5 m"], "to": ["4.5 m", "4.5 m", "4.5 m"]}}
        ]),
    )
    .expect("regions");
    let path = folder.path().join("CASE.json");
    let none = std::collections::BTreeMap::new();
    let (_, marking) = hematite_geometry::build_marked(&path, &geometry, &[], &[], &regions, &none).expect("builds");
    let positions: Vec<[i32; 3]> = (0..125).map(|i| [i % 5 + 1, i / 5 % 5 + 1, i / 25 + 1]).collect();
    let found = marking.regions(&positions).expect("marks");
    assert_eq!(found[0].nodes.len(), 7);
    assert_eq!(found[1].nodes, [0, 31, 62, 93, 124]);
}
