//! Faulty meshes: each is mended and told, or refused with what to do.

use serde_json::json;

use super::meshes::Mesh;
use super::{filled, made_of, told, volume};

/// A tube of radius 3 mm, 20 mm long, along x.
fn tube() -> Mesh {
    Mesh::tube(3.0, [0.0; 3], [1.0, 0.0, 0.0], 20.0, 32, 40)
}

fn ball(radius: f64, centre: [f64; 3]) -> Mesh {
    Mesh::sphere(radius, centre, 24)
}

/// Builds, holds what is to be told, and has the volume, within 2 %.
fn mends(mesh: &Mesh, expected: f64, notes: &[&str]) {
    let domain = filled(mesh, "0.25 mm").expect("builds");
    let text = told(&domain);
    assert!((volume(&domain) / expected - 1.0).abs() < 0.02, "{} for {expected}: {text}", volume(&domain));
    for note in notes {
        assert!(text.contains(note), "no \"{note}\" in {text}");
    }
}

fn refuses(mesh: &Mesh, words: &[&str]) {
    let message = filled(mesh, "0.25 mm").expect_err("refused");
    for word in words {
        assert!(message.contains(word), "no \"{word}\" in {message}");
    }
}

/// Volume of the tube: its polygon of 32 corners is a bit smaller than the circle.
const TUBE: f64 = 561.9;
const BALL: f64 = 4.0 / 3.0 * std::f64::consts::PI * 27.0;

#[test]
fn whole_meshes_pass_without_a_word_of_mending() {
    let domain = filled(&tube().capped(32), "0.25 mm").expect("builds");
    assert!((volume(&domain) / TUBE - 1.0).abs() < 0.02);
    let text = told(&domain);
    for word in ["dropped", "turned", "joined", "closed", "capped", "cross"] {
        assert!(!text.contains(word), "{word}: {text}");
    }
    assert!(text.contains("1 shell, area 432.57") && text.contains("2624 triangles"), "{text}");
}

#[test]
fn open_ends_are_capped() {
    mends(&tube(), TUBE, &["2 open rims across a vessel capped", "end 1 at"]);
}

#[test]
fn inward_shells_and_flipped_triangles_are_turned() {
    mends(&tube().capped(32).turned(), TUBE, &["1 shell looked inwards: turned"]);
    let mut flipped = ball(3.0, [0.0; 3]);
    flipped.triangles.iter_mut().skip(100).step_by(7).for_each(|corners| corners.swap(1, 2));
    mends(&flipped, BALL, &["looked the other way than their neighbours: turned"]);
}

#[test]
fn small_holes_are_closed_and_large_ones_refused() {
    mends(&tube().without(|t| t == 1000), TUBE, &["1 hole in the wall closed", "3 edges"]);
    mends(&ball(3.0, [0.0; 3]).without(|t| (500..504).contains(&t)), BALL, &["1 hole in the wall closed"]);
    refuses(&tube().without(|t| (600..1200).contains(&t) && t % 64 < 20), &["open rim", "too large", "close the hole"]);
}

#[test]
fn ragged_ends_are_refused_with_their_place() {
    refuses(&tube().without(|t| t < 64 * 10 && t % 64 < 32), &["open rim", "leaves its plane", "cut the vessel flat"]);
}

#[test]
fn doubled_triangles_and_doubled_shells_are_dropped() {
    let whole = ball(3.0, [0.0; 3]);
    mends(&whole.clone().with(whole.clone()), BALL, &["dropped that lay on others"]);
    mends(&whole.clone().with(whole.clone().turned()), BALL, &["dropped that lay on others"]);
    // A shell with other triangles in the same place.
    for by in [1e-4, 5e-3] {
        let twice = whole.clone().with(ball(3.0, [by, 0.0, 0.0]));
        mends(&twice, BALL, &["1 loose shell dropped that lay on others"]);
    }
    mends(&whole.with(ball(3.0 * 1.0009, [0.0; 3])), BALL, &["1 loose shell dropped that lay on others"]);
    // Open copies, whose rims are near enough to be joined.
    let twice = tube().with(tube().moved([0.0, 1e-3, 2e-3]));
    mends(&twice, TUBE, &["1 open piece dropped that lay on others", "2 open rims"]);
}

#[test]
fn sheets_without_thickness_are_dropped() {
    // A flap into the tube from its wall, along a row of its points.
    let mut flap = tube().capped(32);
    let first = flap.points.len();
    for row in 10..15 {
        let [x, y, z] = flap.points[32 * row];
        flap.points.push([x, 0.5 * y, 0.5 * z]);
    }
    for k in 0..4 {
        let (a, b) = (32 * (10 + k), 32 * (11 + k));
        flap.triangles.extend([[a, b, first + k + 1], [a, first + k + 1, first + k]]);
    }
    mends(&flap, TUBE, &["1 sheet without thickness dropped, 8 triangles, 0.6", " % of the area, the first near ("]);
    // A loose double sheet.
    let mut sheet = Mesh { points: vec![[5.0, 0.0, 0.0], [7.0, 0.0, 0.0], [5.0, 1.0, 0.0]], triangles: vec![] };
    sheet.points.push([6.0, 0.5, 1e-9]);
    sheet.triangles = vec![[0, 1, 2], [0, 3, 1], [1, 3, 2], [2, 3, 0]];
    let words = ["1 loose shell without thickness dropped", "0.4", " % of the area", "(6.0000e-3, 5.0000e-4"];
    mends(&tube().capped(32).with(sheet.clone()), TUBE, &words);
    sheet.points.iter_mut().flatten().for_each(|x| *x *= 3.0);
    refuses(
        &tube().capped(32).with(sheet),
        &["have no thickness and stand apart", "(1.8000e-2, 1.5000e-3", "up to 1 %"],
    );
}

#[test]
fn pieces_that_hang_are_not_dropped_where_they_are_much_of_the_surface() {
    // A disc from wall to wall of an open tube, whose halves hang from it; then a tube that goes on beyond its cap.
    let disc = |row: usize, mut mesh: Mesh| {
        let centre = mesh.points.len();
        let [x, y, z] = mesh.points[row * 32];
        mesh.points.push([x, 0.0 * y, 0.0 * z]);
        mesh.triangles.extend((0..32).map(|i| [row * 32 + i, row * 32 + (i + 1) % 32, centre]));
        mesh
    };
    let words = ["of the surface's area have no thickness and hang", ") m", "up to 1 %", "give them thickness"];
    refuses(&disc(20, tube()), &words);
    refuses(&disc(30, disc(0, tube())), &words);
}

#[test]
fn a_wall_across_the_vessel_is_refused() {
    // A disc from wall to wall: three pieces meet at its rim.
    let mut wall = tube().capped(32);
    let centre = wall.points.len();
    wall.points.push([10.0, 0.0, 0.0]);
    wall.triangles.extend((0..32).map(|i| [20 * 32 + i, 20 * 32 + (i + 1) % 32, centre]));
    refuses(&wall, &["3 triangles meet at 32 edges", "take out the walls", "thickness"]);
}

#[test]
fn specks_are_dropped() {
    mends(&tube().capped(32).with(ball(0.02, [30.0, 0.0, 0.0])), TUBE, &["1 loose shell of less than 0.0001"]);
}

#[test]
fn a_shell_within_another_is_a_hole_whichever_way_it_looks() {
    let hole = 4.0 / 3.0 * std::f64::consts::PI * 8.0;
    for inner in [ball(2.0, [10.0, 0.0, 0.0]), ball(2.0, [10.0, 0.0, 0.0]).turned()] {
        mends(&tube().capped(32).with(inner), TUBE - hole, &["lies within another: its inside is wall"]);
    }
}

#[test]
fn shells_that_overlap_are_one_vessel() {
    let other = Mesh::tube(3.0, [10.0, 0.0, 0.0], [0.0, 1.0, 0.0], 20.0, 32, 40).capped(32);
    // Two tubes of radius r that cross at their axes share 16/3 r^3; a tube that ends at the other's axis half of it.
    mends(&tube().capped(32).with(other), 2.0 * TUBE - 8.0 / 3.0 * 27.0, &["cross each other", "2 shells"]);
}

#[test]
fn bodies_are_wall() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("tube.obj"), tube().obj()).expect("writes");
    std::fs::write(folder.path().join("ball.stl"), ball(2.0, [10.0, 0.5, 0.0]).text_stl()).expect("writes");
    let geometry =
        json!({"surface": {"file": "tube.obj", "unit": "1 mm", "bodies": ["ball.stl"]}, "spacing": "0.25 mm"});
    let geometry = serde_json::from_value(geometry).expect("parses");
    let config = folder.path().join("case.json");
    let domain = hematite_geometry::build(&config, &geometry, &[]).expect("builds");
    let expected = TUBE - 4.0 / 3.0 * std::f64::consts::PI * 8.0;
    assert!((volume(&domain) / expected - 1.0).abs() < 0.02, "{}", volume(&domain));
    assert!(told(&domain).contains("ball.stl: 1 shell") && told(&domain).contains("tube.obj: 1 shell"));
    assert_eq!(hematite_geometry::inputs(&config, &geometry).len(), 2);
}

/// What becomes of the tube with a body.
fn with_body(body: &Mesh) -> Result<hematite_geometry::Domain, String> {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("tube.obj"), tube().obj()).expect("writes");
    std::fs::write(folder.path().join("body.stl"), body.text_stl()).expect("writes");
    let geometry =
        json!({"surface": {"file": "tube.obj", "unit": "1 mm", "bodies": ["body.stl"]}, "spacing": "0.25 mm"});
    let geometry = serde_json::from_value(geometry).expect("parses");
    hematite_geometry::build(&folder.path().join("case.json"), &geometry, &[]).map_err(|fault| fault.message)
}

#[test]
fn bodies_without_a_site_within_the_vessel_are_refused() {
    let whole = ball(2.0, [10.0, 0.5, 0.0]);
    with_body(&whole).expect("builds");
    for body in [whole.clone().scaled(1e-3), whole.moved([0.0, 10.0, 0.0])] {
        let message = with_body(&body).expect_err("refused");
        let words = ["body.stl has no site within the vessel", "(2.0000e-2, 3.0000e-3, 3.0000e-3) m", "unit"];
        assert!(words.iter().all(|word| message.contains(word)), "{message}");
    }
}

#[test]
fn open_sleeves_as_bodies_are_told_to_be_plugs() {
    let sleeve = Mesh::tube(1.0, [5.0, 0.0, 0.0], [1.0, 0.0, 0.0], 5.0, 32, 10);
    let domain = with_body(&sleeve).expect("builds");
    let warnings = domain.report.warnings.join(" ");
    assert!(warnings.contains("body.stl: the body has 2 open rims") && warnings.contains("solid plug"), "{warnings}");
    let domain = with_body(&sleeve.capped(32)).expect("builds");
    assert!(!domain.report.warnings.join(" ").contains("plug"));
}

#[test]
fn gaps_are_joined() {
    // Two halves whose rims miss each other by some ten-thousandths of the tube.
    let left = Mesh::tube(3.0, [0.0; 3], [1.0, 0.0, 0.0], 10.0, 32, 20);
    let right = Mesh::tube(3.0, [10.003, 0.002, 0.0], [1.0, 0.0, 0.0], 9.997, 32, 20);
    mends(&left.with(right), TUBE, &["32 points of open edges joined", "2 open rims"]);
}

#[test]
fn cracks_between_edges_that_do_not_match_are_closed() {
    let left = Mesh::tube(3.0, [0.0; 3], [1.0, 0.0, 0.0], 10.0, 32, 20);
    let right = Mesh::tube(3.0, [10.0, 0.0, 0.0], [1.0, 0.0, 0.0], 10.0, 64, 20);
    mends(&left.with(right), TUBE, &["closed", "2 open rims"]);
}

#[test]
fn triangles_without_area_are_dropped() {
    let mut mesh = tube().capped(32);
    mesh.triangles.extend([[3, 3, 3], [5, 6, 5]]);
    mends(&mesh, TUBE, &["2 triangles without area dropped"]);
    let point = Mesh { points: vec![[1.0; 3]], triangles: vec![[0, 0, 0]; 4] };
    refuses(&point, &["all of its 4 triangles are points or lines"]);
    let mut far = tube();
    far.points[7] = [1e30, 0.0, 2.0];
    refuses(&far, &["points or lines", "farthest from zero, (1.0000e30, 0, 2.0000)"]);
    let flat = Mesh { points: vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], triangles: vec![[0, 1, 2]] };
    refuses(&flat, &["open rim"]);
}

#[test]
fn units_of_any_size_are_well_but_must_be_given() {
    let small = tube().capped(32).scaled(1e-9);
    let made =
        |unit: &str, spacing: &str| made_of("a.stl", &small.binary_stl(), json!({"unit": unit}), spacing, json!([]));
    let domain = made("1 km", "0.25 um").expect("builds");
    assert!((domain.report.fluid as f64 * 0.25_f64.powi(3) / TUBE - 1.0).abs() < 0.02);
    let large = tube().capped(32).scaled(1e6).moved([3e6, -1e7, 2e7]);
    let domain = made_of("a.stl", &large.binary_stl(), json!({"unit": "1 nm"}), "0.25 mm", json!([])).expect("builds");
    assert!((volume(&domain) / TUBE - 1.0).abs() < 0.02);
    let message = made_of("a.stl", &tube().binary_stl(), json!({}), "1 mm", json!([])).expect_err("refused");
    assert!(message.contains("needs \"unit\"") && message.contains("20.000 mm by 6.0000 mm by"), "{message}");
    let message = made("1 nm", "0.25 mm").expect_err("refused");
    assert!(message.contains("narrower than a spacing") && message.contains("unit"), "{message}");
    let message =
        made_of("a.stl", &large.binary_stl(), json!({"unit": "1 m"}), "1 um", json!([])).expect_err("refused");
    assert!(message.contains("larger spacing, or check the unit"), "{message}");
}

#[test]
fn ends_that_are_not_there_are_refused() {
    let made = |openings: serde_json::Value, surface: serde_json::Value, mesh: &Mesh| {
        made_of("a.ply", &mesh.text_ply(), surface, "0.5 mm", openings).expect_err("refused")
    };
    let unit = json!({"unit": "1 mm"});
    let message = made(json!([{"name": "in", "kind": "velocity", "end": 2}]), unit.clone(), &tube());
    assert!(message.contains("end 2 is not there") && message.contains("0 to 1"), "{message}");
    let twice = json!([{"name": "in", "kind": "velocity", "end": 0}, {"name": "out", "kind": "pressure", "end": 0}]);
    let message = made(twice, unit, &tube());
    assert!(message.contains("end 0") && message.contains("too"), "{message}");
    let face = json!([{"name": "in", "kind": "velocity", "face": "x-"}]);
    let message = made(face, json!({"unit": "1 mm"}), &tube());
    assert!(message.contains("\"face\" is not for surfaces") && message.contains("\"end\""), "{message}");
    let all = json!({"unit": "1 mm", "ends": {"largest": "velocity", "others": "pressure"}});
    let message = made(json!([]), all.clone(), &ball(3.0, [0.0; 3]));
    assert!(message.contains("no flat ends"), "{message}");
    for (key, value, piece) in [
        ("narrower_than", json!("1 m"), "geometry.surface.ends: \"narrower_than\""),
        ("narrower_than", json!("-1 um"), "geometry.surface.ends.narrower_than: -1e-6 m is negative"),
        ("closed", json!([0, 1]), "\"closed\" leave no end open"),
        ("closed", json!([2]), "geometry.surface.ends.closed: end 2"),
    ] {
        let mut fewer = all.clone();
        fewer["ends"][key] = value;
        let message = made(json!([]), fewer, &tube());
        assert!(message.contains(piece), "{message}");
    }
}
