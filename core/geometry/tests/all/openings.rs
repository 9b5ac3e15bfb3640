//! Openings, padding, components and the faults of a config, on pictures small enough to read.

use std::path::Path;

use hematite_config::{Exit, Fault, from_value};
use hematite_geometry::{Domain, GeometryConfig, OpeningConfig, build};
use serde_json::{Value, json};

/// Builds a picture drawn as text: `.` fluid, `#` wall, `a` grey 100, first line on top; one pixel is 1 m.
fn built(picture: &[&str], geometry: Value, openings: Value) -> Result<Domain, Fault> {
    let folder = tempfile::tempdir().expect("a folder");
    let (nx, ny) = (picture[0].len(), picture.len());
    let pixel = |c| match c {
        '.' => 255,
        'a' => 100,
        _ => 0u8,
    };
    let mut content = format!("P5\n{nx} {ny}\n255\n").into_bytes();
    content.extend(picture.iter().flat_map(|row| row.chars().map(pixel)));
    std::fs::write(folder.path().join("p.pgm"), content).expect("writes");
    let mut whole = json!({"image": "p.pgm", "spacing": "1 m"});
    for (key, value) in geometry.as_object().expect("keys") {
        whole[key] = value.clone();
    }
    whole.as_object_mut().expect("keys").retain(|_, value| !value.is_null());
    let geometry: GeometryConfig = from_value("geometry", whole)?;
    let openings: Vec<OpeningConfig> = from_value("openings", openings)?;
    build(&folder.path().join("CASE.json"), &geometry, &openings)
}

/// The lattice as text, top line first: `.` fluid, `#` wall, digits openings.
fn shown(domain: &Domain) -> Vec<String> {
    let symbol = |code: u8| match code {
        0 => '#',
        1 => '.',
        k => char::from(b'0' + k - 2),
    };
    let rows = domain.sites.chunks(domain.extent[0]).rev();
    rows.map(|row| row.iter().map(|site| symbol(site.0)).collect()).collect()
}

const CHANNEL: [&str; 4] = ["#####", ".....", ".....", "###.#"];

#[test]
fn faces_become_openings_where_they_face_fluid() {
    let openings = json!([
        {"name": "in", "kind": "velocity", "face": "x-"},
        {"name": "out", "kind": "pressure", "face": "x+", "within": {"min": ["0 m", "2 m"], "max": ["1 m", "3 m"]}}
    ]);
    let domain = built(&CHANNEL, json!({}), openings).expect("builds");
    let expected = ["#######", "#######", "0.....1", "0.....#", "####.##", "#######"];
    assert_eq!(shown(&domain), expected);
    assert_eq!((domain.dimension, domain.extent, domain.origin), (2, [7, 6, 1], [-1.0, -1.0, 0.0]));
    assert_eq!(domain.openings[0].normal, Some([1.0, 0.0, 0.0]));
    assert_eq!((domain.report.fluid, domain.report.components), (11, 1));
    assert!((domain.report.fill - 11.0 / 15.0).abs() < 1e-12);
}

#[test]
fn links_through_diagonal_walls_are_told() {
    let warned = |picture: &[&str]| built(picture, json!({}), json!([])).expect("builds").report.warnings.join(" ");
    let line = [".....#", "....#.", "...#..", "..#...", ".#....", "#....."];
    let text = warned(&line);
    assert!(
        text.contains("5 links between fluid nodes pass") && text.contains("near (1.5000e0, 5.0000e-1) m"),
        "{text}"
    );
    // Two wide, a speck, and a step of a wall.
    assert_eq!(warned(&[".....#", "....##", "...##.", "..##..", ".##...", "##...."]), "");
    assert_eq!(warned(&["......", "......", "..#...", "...#..", "......", "......"]), "");
    assert_eq!(warned(&["......", "......", "......", "##....", "####..", "######"]), "");
    let corner = warned(&["...###", "...###", "...###", "###...", "###...", "###..."]);
    assert!(corner.contains("1 link between fluid nodes passes"), "{corner}");
}

#[test]
fn openings_that_share_nodes_of_a_face_are_refused() {
    let part = |name: &str, min: &str, max: &str| json!({"name": name, "kind": "pressure", "face": "x-", "within": {"min": ["0 m", min], "max": ["1 m", max]}});
    let made = |openings: Value| built(&["#####", ".....", ".....", ".....", "....."], json!({}), openings);
    made(json!([part("a", "0 m", "2 m"), part("b", "2 m", "4 m")])).expect("apart");
    let fault = made(json!([part("a", "1 m", "4 m"), part("b", "0 m", "3 m")])).expect_err("shared");
    let words = ["opening \"b\"", "2 of its 3 nodes", "opening \"a\" too", "within"];
    assert!(fault.exit == Exit::Usage && words.iter().all(|word| fault.message.contains(word)), "{fault}");
}

#[test]
fn a_plane_cuts_and_what_lies_behind_goes() {
    let openings = json!([{"name": "cut", "kind": "pressure", "plane": {"normal": "x+", "at": "2 m"}}]);
    let domain = built(&["#######", ".......", ".......", "#######"], json!({}), openings).expect("builds");
    // Centres at 0.5, 1.5, 2.5 ...: the layer next behind 2 m is that of 1.5 m; the rest behind is one column.
    assert_eq!(shown(&domain)[2..4], ["##0.....#", "##0.....#"]);
    assert_eq!((domain.report.removed_components, domain.report.removed_sites), (0, 0));
    let openings = json!([{"name": "cut", "kind": "pressure", "plane": {"normal": "x-", "at": "3.5 m"}}]);
    let domain = built(&["#######", ".......", "#######"], json!({}), openings).expect("builds");
    assert_eq!(shown(&domain)[2], "#...0####");
    assert_eq!((domain.report.removed_components, domain.report.removed_sites), (1, 2));
    assert_eq!(domain.openings[0].normal, Some([-1.0, 0.0, 0.0]));
}

#[test]
fn boxes_and_labels_turn_sites_into_openings() {
    let rules = json!([{"equals": 100, "is": "port"}, {"above": 1, "is": "fluid"}, {"any": true, "is": "wall"}]);
    let openings = json!([
        {"name": "left", "kind": "velocity", "label": "port"},
        {"name": "right", "kind": "wall", "box": {"min": ["4 m", "0 m"], "max": ["5 m", "9 m"]}}
    ]);
    let domain = built(&["#####", "a....", "#####"], json!({"rules": rules, "refine": {"factor": 2}}), openings)
        .expect("builds");
    assert_eq!(shown(&domain)[3..5], ["#00......11#", "#00......11#"]);
    assert_eq!((domain.spacing, domain.origin), (0.5, [-0.5, -0.5, 0.0]));
}

#[test]
fn a_label_stays_an_opening_under_smoothing() {
    let rules = json!([{"equals": 100, "is": "port"}, {"above": 1, "is": "fluid"}, {"any": true, "is": "wall"}]);
    let openings = json!([{"name": "left", "kind": "velocity", "label": "port"}]);
    let picture = ["#######", "aa.....", "aa.....", "aa.....", "#######"];
    let geometry = json!({"rules": rules, "refine": {"factor": 4, "smooth": true}});
    let domain = built(&picture, geometry, openings).expect("builds");
    for row in &shown(&domain)[5..17] {
        assert_eq!(row, &format!("#{}{}#", "0".repeat(8), ".".repeat(20)));
    }
}

#[test]
fn a_crop_keeps_the_coordinates_of_the_image() {
    let domain = built(&CHANNEL, json!({"crop": {"min": [2, 0], "max": [4, 3]}}), json!([])).expect("builds");
    assert_eq!(shown(&domain), ["####", "#..#", "#..#", "##.#", "####"]);
    assert_eq!(domain.origin, [1.0, -1.0, 0.0]);
    assert_eq!(domain.report.read, [5, 4, 1]);
}

#[test]
fn periodic_directions_are_not_padded_and_connect() {
    let picture = [".##..", "#####", ".###."];
    let domain = built(&picture, json!({"periodic": ["x", "y"]}), json!([])).expect("builds");
    assert_eq!((domain.extent, domain.origin, domain.report.components), ([5, 3, 1], [0.0; 3], 1));
    let domain = built(&picture, json!({"periodic": ["y"]}), json!([])).expect("builds");
    assert_eq!((domain.extent, domain.report.components), ([7, 3, 1], 2));
}

#[test]
fn components_without_an_opening_go() {
    let picture = [".....", "#####", ".....", "#####", "##..#"];
    let inlet = json!([{"name": "in", "kind": "velocity", "face": "x-", "within": {"min": ["0 m", "4 m"], "max": ["1 m", "5 m"]}}]);
    let report = |geometry, openings| built(&picture, geometry, openings).expect("builds").report;
    let of = |r: hematite_geometry::Report| (r.fluid, r.components, r.removed_components, r.removed_sites);
    let found = report(json!({}), inlet.clone());
    assert!(found.warnings.len() == 1 && found.warnings[0].contains("\"in\""), "{:?}", found.warnings);
    assert_eq!(of(found), (5, 1, 2, 7));
    assert_eq!(of(report(json!({"keep": "all"}), inlet)), (12, 3, 0, 0));
    assert_eq!(of(report(json!({}), json!([]))), (12, 3, 0, 0));
    let largest = built(&[".....", "#####", "...##"], json!({"keep": "largest"}), json!([])).expect("builds");
    assert_eq!(of(largest.report), (5, 1, 1, 3));
}

#[test]
fn an_opening_across_several_components_opens_the_one_that_stays() {
    let picture = ["..###", "#####", ".....", "....."];
    let openings =
        json!([{"name": "in", "kind": "velocity", "face": "x-"}, {"name": "out", "kind": "pressure", "face": "x+"}]);
    let domain = built(&picture, json!({"keep": "largest"}), openings).expect("builds");
    let rows = ["#######", "#######", "#######", "0.....1", "0.....1", "#######"];
    assert_eq!(shown(&domain), rows);
}

#[test]
fn what_cannot_be_is_refused_with_its_name() {
    let face = |name: &str, face: &str| json!({"name": name, "kind": "velocity", "face": face});
    let split = ["#####", ".....", "#####", "....."];
    let label = json!({"name": "p", "kind": "velocity", "label": "port"});
    let cases = [
        (json!({}), json!([face("in", "y+")]), "touches no fluid"),
        (json!({}), json!([face("in", "x-")]), "2 unconnected parts"),
        (json!({}), json!([face("a", "y-"), face("a", "x-")]), "two of this name"),
        (json!({}), json!([face("in", "z-")]), "no z in a 2-D"),
        (json!({"periodic": ["x"]}), json!([face("in", "x-")]), "periodic direction"),
        (json!({"periodic": ["z"]}), json!([]), "no z"),
        (json!({}), json!([label]), "no rule of \"geometry\" produces label \"port\""),
        (json!({"rules": [{"any": true, "is": "port"}]}), json!([]), "\"port\" is used by no opening"),
        (json!({}), json!([{"name": "p", "kind": "velocity"}]), "has 0 places"),
        (
            json!({}),
            json!([{"name": "p", "kind": "velocity", "plane": {"normal": "x+", "at": "99 m"}}]),
            "plane.at: 99 m",
        ),
        (json!({}), json!([{"name": "p", "kind": "wall", "box": {"min": ["0 m"], "max": ["1 m"]}}]), "2 lengths"),
        (json!({"rules": [{"any": true, "is": "wall"}]}), json!([]), "no site is fluid"),
        (json!({"crop": {"min": [0, 0], "max": [6, 2]}}), json!([]), "geometry.crop"),
        (json!({"refine": {"factor": 0}}), json!([]), "factor: 0"),
        (json!({"spacing": null}), json!([]), "needs \"spacing\""),
        (json!({"spacing": "0 um"}), json!([]), "geometry.spacing: 0e0 m must be from 1e-12"),
        (json!({"image": null}), json!([]), "no source"),
        (json!({"image": "none.ppm"}), json!([]), "none.ppm"),
        (json!({"image": "p.gif"}), json!([]), "known image format"),
        (json!({"voxels": {"file": "x.raw"}}), json!([]), "two sources"),
        (json!({"keep": "touching_openings"}), json!([]), "geometry.keep"),
        (json!({"keep": "largest"}), json!([face("in", "y-")]), "touches; move"),
        (json!({"keeep": "all"}), json!([]), "did you mean \"keep\"?"),
    ];
    for (geometry, openings, word) in cases {
        let picture: &[&str] =
            if word.contains("touches; move") { &[".....", ".....", "#####", "....."] } else { &split };
        let fault = built(picture, geometry, openings).expect_err(word);
        assert_eq!(fault.exit, Exit::Usage);
        assert!(fault.message.contains(word), "wanted \"{word}\": {fault}");
    }
}

#[test]
fn a_volume_has_its_spacing_from_the_header_and_openings_along_z() {
    let folder = tempfile::tempdir().expect("a folder");
    let model = hematite_geometry::models::porous(8, 2.0, 0.7, 3);
    let path = folder.path().join("block.mha");
    hematite_geometry::write_meta_image(&path, &model).expect("writes");
    let with = |geometry: Value, openings: Value| {
        let geometry: GeometryConfig = from_value("geometry", geometry)?;
        build(&folder.path().join("CASE.json"), &geometry, &from_value::<Vec<OpeningConfig>>("openings", openings)?)
    };
    let voxels = json!({"file": "block.mha", "header_unit": "2 um"});
    let domain = with(json!({"voxels": voxels, "periodic": ["x", "y", "z"]}), json!([])).expect("builds");
    assert_eq!((domain.extent, domain.spacing, domain.dimension), ([8; 3], 2e-6, 3));
    assert!(domain.sites.iter().map(|site| site.0 == 1).eq(model.fluid.iter().copied()));
    let opening = json!([{"name": "lid", "kind": "wall", "face": "z+"}]);
    let domain = with(json!({"voxels": voxels, "periodic": ["x", "y"]}), opening).expect("builds");
    assert_eq!(domain.extent, [8, 8, 10]);
    for (i, &fluid) in model.fluid[7 * 64..].iter().enumerate() {
        assert_eq!(domain.sites[9 * 64 + i].as_opening().is_some(), fluid);
    }
    let finer = with(json!({"voxels": voxels, "spacing": "1 um"}), json!([])).expect("resampled");
    assert_eq!((finer.extent, finer.spacing), ([18; 3], 1e-6));
    let refined = json!({"voxels": voxels, "refine": {"factor": 2, "smooth": true}});
    assert!(finer.sites == with(refined, json!([])).expect("refined").sites, "two sites along a voxel either way");
    let anisotropic =
        "NDims = 3\nDimSize = 1 1 2\nElementSpacing = 1 1 3\nElementType = MET_UCHAR\nElementDataFile = LOCAL\nab";
    std::fs::write(Path::new(&path), anisotropic).expect("writes");
    let fault = with(json!({"voxels": voxels}), json!([])).expect_err("no cubes");
    assert!(fault.message.contains("2 x 2 x 6 um") && fault.message.contains("\"spacing\""), "{fault}");
}

/// Two vessels from the lower left to the upper right, side by side, 40 pixels square; y up.
fn slanted() -> Vec<String> {
    let fluid = |x: i32, y: i32| (x - y).abs() < 6 || (11..15).contains(&(x - y));
    (0..40).rev().map(|y| (0..40).map(|x| if fluid(x, y) { '.' } else { '#' }).collect()).collect()
}

fn cut(section: Value) -> Result<Domain, Fault> {
    let picture = slanted();
    let rows: Vec<&str> = picture.iter().map(String::as_str).collect();
    let openings = json!([
        {"name": "in", "kind": "velocity", "section": section},
        {"name": "out", "kind": "pressure", "face": "x+", "within": {"min": ["0 m", "33 m"], "max": ["1 m", "40 m"]}}
    ]);
    built(&rows, json!({}), openings)
}

#[test]
fn a_section_cuts_one_vessel_of_any_direction() {
    for (normal, angle) in [(json!([1, 1]), 45.0_f64), (json!([2, 1.5]), 36.87), (json!([0.6, 1]), 59.04)] {
        let domain = cut(json!({"normal": normal, "through": ["12.2 m", "12.9 m"]})).expect("builds");
        let (sin, cos) = angle.to_radians().sin_cos();
        let unit = domain.openings[0].normal.expect("a normal");
        assert!((unit[0] - cos).abs() < 1e-4 && (unit[1] - sin).abs() < 1e-4, "{unit:?}");
        let height = |at: [usize; 3]| {
            let centre = |axis: usize| domain.origin[axis] + at[axis] as f64 + 0.5;
            unit[0] * (centre(0) - 12.2) + unit[1] * (centre(1) - 12.9)
        };
        let mut opened = 0;
        for index in 0..domain.sites.len() {
            let at = [index % domain.extent[0], index / domain.extent[0], 0];
            let site = domain.sites[index];
            // The other vessel touches no opening and goes.
            assert!(site.0 != 1 || at[0].abs_diff(at[1]) < 6, "{at:?}");
            if site.as_opening() == Some(0) {
                opened += 1;
                assert!(height(at) <= 1e-5 && height(at) > -cos - sin - 1e-5, "{at:?}");
            } else if site.0 == 1 {
                // What is left lies before the plane, and sees the opening or fluid, not wall, behind it.
                assert!(height(at) > 0.0, "{at:?}");
            }
        }
        // Some 11 sqrt(2) / 2 spacings across, sqrt(2) to 1.4 deep.
        assert!((10..20).contains(&opened), "{opened}");
    }
}

#[test]
fn a_section_that_cannot_be_is_refused() {
    let point = json!(["12 m", "12 m"]);
    for (section, pieces) in [
        (json!({"normal": [1, 1, 1], "through": point}), ["section.normal has 3 components", "2 dimensions"]),
        (json!({"normal": [1, 1], "through": ["1 m"]}), ["section.through has 1 components", "2 dimensions"]),
        (json!({"normal": [0, 0], "through": point}), ["section.normal [0.0, 0.0]", "no direction"]),
        (json!({"normal": [1, 1], "through": ["4 m", "30 m"]}), ["section.through", "move it into the vessel"]),
        (json!({"normal": [1, 1], "through": ["400 m", "-30 m"]}), ["section.through", "move it into the vessel"]),
    ] {
        let fault = cut(section).expect_err("refused");
        assert_eq!(fault.exit, Exit::Usage);
        assert!(
            pieces.iter().all(|piece| fault.message.contains(piece)) && fault.message.contains("\"in\""),
            "{fault}"
        );
    }
}
