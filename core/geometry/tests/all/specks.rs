//! Specks: which pieces go, which stay, against pieces drawn one by one.

use std::fs;

use hematite_config::{Exit, Fault, from_value};
use hematite_geometry::{Domain, GeometryConfig, RemovedRun, Site, WallPartConfig, build_with_parts};
use serde_json::{Value, json};

/// A vessel of `.` in `#`, first line on top: pieces of 1, 2 and 3 pixels of fluid, of 1, 2, 3 and 4 of wall. Those of
/// 2 and 4 hang together by corners; that of one `w` is a named part.
const PICTURE: [&str; 12] = [
    "####################",
    "#.###.####..########",
    "######.#####.#######",
    "####################",
    "....................",
    "..#....#.......#....",
    "........#.....#.....",
    ".............#......",
    "....w......#........",
    ".......##...........",
    "........#...........",
    "####################",
];

fn built(geometry: Value) -> Result<Domain, Fault> {
    let folder = tempfile::tempdir().expect("a folder");
    let pixel = |c| match c {
        '.' => 255,
        'w' => 100,
        _ => 0u8,
    };
    let mut content = format!("P5\n{} {}\n255\n", PICTURE[0].len(), PICTURE.len()).into_bytes();
    content.extend(PICTURE.iter().flat_map(|row| row.chars().map(pixel)));
    fs::write(folder.path().join("p.pgm"), content).expect("writes");
    let rules = json!([
        {"equals": 100, "is": "part"}, {"above": 128, "is": "fluid"}, {"any": true, "is": "wall"}
    ]);
    let mut whole = json!({"image": "p.pgm", "spacing": "1 m", "rules": rules, "keep": "all"});
    geometry.as_object().expect("keys").iter().for_each(|(key, value)| whole[key] = value.clone());
    let geometry: GeometryConfig = from_value("geometry", whole)?;
    let parts: Vec<WallPartConfig> = from_value("parts", json!([{"name": "part", "label": "part"}]))?;
    build_with_parts(&folder.path().join("CASE.json"), &geometry, &[], &parts)
}

/// The picture after cleaning, top line first.
fn shown(domain: &Domain) -> Vec<String> {
    let symbol = |site: Site| match site {
        Site::FLUID => '.',
        site if site.as_wall_part().is_some() => 'w',
        _ => '#',
    };
    let [nx, ny, _] = domain.extent;
    let row = |y: usize| (1..nx - 1).map(|x| symbol(domain.sites[domain.index([x, y, 0])])).collect();
    (1..ny - 1).rev().map(row).collect()
}

/// The picture with pixels (column, row from the top) turned round.
fn expected(turned: &[[usize; 2]]) -> Vec<String> {
    let mut rows: Vec<Vec<u8>> = PICTURE.iter().map(|row| row.bytes().collect()).collect();
    for &[x, y] in turned {
        rows[y][x] = if rows[y][x] == b'.' { b'#' } else { b'.' };
    }
    rows.into_iter().map(|row| String::from_utf8(row).expect("text")).collect()
}

#[test]
fn pictures_learn_where_specks_and_pieces_were() {
    // Coordinates count from the lower-left corner of the picture, in pixels of 1 m.
    let runs = |geometry: Value| {
        let domain = built(geometry).expect("builds");
        let run = |run: &RemovedRun| ([run.low[0], run.low[1]], [run.high[0], run.high[1]], run.was_fluid);
        domain.report.removed.iter().map(run).collect::<Vec<_>>()
    };
    let removed = runs(json!({"specks": {"fluid": 3, "wall": 2}}));
    let expected = [
        ([6.0, 9.0], [7.0, 10.0], true),
        ([1.0, 10.0], [2.0, 11.0], true),
        ([5.0, 10.0], [6.0, 11.0], true),
        ([11.0, 3.0], [12.0, 4.0], false),
        ([2.0, 6.0], [3.0, 7.0], false),
    ];
    assert_eq!(removed, expected);
    // Divided pixels stay where they are, and pieces that are not kept are told as well.
    let removed = runs(json!({"specks": {"fluid": 2}, "keep": "largest", "refine": {"factor": 2}}));
    assert_eq!(removed[0], ([1.0, 10.0], [2.0, 11.0], true));
    assert!(removed.contains(&([10.0, 10.0], [12.0, 10.5], true)), "{removed:?}");
    assert_eq!(runs(json!({})), []);
}

#[test]
fn pieces_of_fewer_pixels_go_and_are_counted() {
    let (one, two) = ([[1, 1]], [[5, 1], [6, 2]]);
    let three = [[10, 1], [11, 1], [12, 2]];
    for (fluid, gone) in [(2, one.to_vec()), (3, [&one[..], &two].concat()), (4, [&one[..], &two, &three].concat())] {
        let domain = built(json!({"specks": {"fluid": fluid}})).expect("builds");
        assert_eq!(shown(&domain), expected(&gone), "{fluid}");
        let said = &domain.report.specks;
        let many = if gone.len() == 1 { "1 speck of fluid, 1 pixel" } else { "specks of fluid, " };
        assert!(said.len() == 1 && said[0].contains(many) && said[0].ends_with("became wall"), "{said:?}");
    }
    let single = vec![[2, 5], [11, 8]];
    let pair = [[7, 5], [8, 6]];
    let triples = [[15, 5], [14, 6], [13, 7], [7, 9], [8, 9], [8, 10]];
    for (wall, gone) in [
        (2, single.clone()),
        (3, [&single[..], &pair].concat()),
        // The last one touches the lower wall by its corner.
        (4, [&single[..], &pair, &triples[..3]].concat()),
    ] {
        let domain = built(json!({"specks": {"wall": wall}})).expect("builds");
        assert_eq!(shown(&domain), expected(&gone), "{wall}");
    }
    let both = built(json!({"specks": {"fluid": 2, "wall": 2}})).expect("builds");
    assert_eq!(shown(&both), expected(&[&one[..], &single].concat()));
    assert_eq!(
        both.report.specks,
        ["1 speck of fluid, 1 pixel, became wall", "2 specks of wall, 2 pixels, became fluid"]
    );
}

#[test]
fn smoothing_begins_with_what_is_left() {
    let smooth = json!({"factor": 2, "smooth": true});
    let cleaned = built(json!({"specks": {"wall": 2}, "refine": smooth})).expect("builds");
    let at = |x: usize, y: usize| cleaned.sites[cleaned.index([2 * x + 1, 2 * (11 - y) + 1, 0])];
    assert_eq!([at(2, 5), at(11, 8)], [Site::FLUID; 2]);
}

#[test]
fn numbers_that_remove_nothing_are_refused() {
    for (specks, piece) in [
        (json!({"fluid": 1}), "geometry.specks.fluid"),
        (json!({"wall": 0}), "geometry.specks.wall"),
        (json!({}), "needs \"fluid\", \"wall\" or both"),
        (json!({"fluids": 3}), "fluids"),
        (json!({"fluid": -3}), "-3"),
    ] {
        let fault = built(json!({"specks": specks})).expect_err(piece);
        assert!(fault.exit == Exit::Usage && fault.message.contains(piece), "{fault}");
    }
}

/// A level set whose speck is turned round is turned round where it is resampled, too.
#[test]
fn specks_of_level_sets_go() {
    let folder = tempfile::tempdir().expect("a folder");
    let level = |[x, y, z]: [f64; 3]| {
        let tube = 6.2 - (y - 10.0).hypot(z - 10.0);
        let speck = (x - 12.0).hypot((y - 10.0).hypot(z - 10.0)) - 1.1;
        tube.min(speck)
    };
    let at = |i: usize| level([i % 24, i / 24 % 20, i / 480].map(|n| n as f64 + 0.5));
    let values: Vec<u8> = (0..24 * 20 * 20).flat_map(|i| (at(i) as f32).to_le_bytes()).collect();
    fs::write(folder.path().join("a.raw"), values).expect("writes");
    let built = |specks: Value| {
        let voxels = json!({"file": "a.raw", "shape": [24, 20, 20], "type": "f32", "edges": ["1 m", "1 m", "1 m"]});
        let rules = json!([{"above": 0, "is": "fluid"}, {"any": true, "is": "wall"}]);
        let mut geometry = json!({"voxels": voxels, "spacing": "0.5 m", "rules": rules});
        if !specks.is_null() {
            geometry["specks"] = specks;
        }
        let geometry: GeometryConfig = from_value("geometry", geometry).expect("a config");
        build_with_parts(&folder.path().join("CASE.json"), &geometry, &[], &[]).expect("builds")
    };
    let (with, without) = (built(Value::Null), built(json!({"wall": 20})));
    assert!(without.report.specks[0].contains("1 speck of wall"), "{:?}", without.report.specks);
    let middle = without.index([24, 20, 20]);
    assert_eq!([with.sites[middle], without.sites[middle]], [Site::WALL, Site::FLUID]);
    assert!(without.report.fluid > with.report.fluid);
}
