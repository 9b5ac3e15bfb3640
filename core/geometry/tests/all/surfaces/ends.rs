//! Which pieces of a surface are ends: flat side walls, shoulders and caps within other shells are none; neither the
//! order of triangles nor the unit changes the ends or their numbers.

use serde_json::json;

use super::meshes::Mesh;
use super::{filled, made_of, told};

const ALONG: [f64; 3] = [0.0, 0.0, 1.0];

/// The lines of ends, and all that is told.
fn ends(mesh: &Mesh) -> (Vec<String>, String) {
    let domain = filled(mesh, "0.2 mm").expect("builds");
    (domain.report.ends.clone(), told(&domain))
}

fn expect(mesh: &Mesh, number: usize, words: &[&str]) {
    let (ends, text) = ends(mesh);
    assert_eq!(ends.len(), number, "{text}");
    words.iter().for_each(|word| assert!(text.contains(word), "no \"{word}\" in {text}"));
}

#[test]
fn flat_side_walls_are_no_ends() {
    for corners in [3, 4, 6, 7] {
        let tube = Mesh::tube(1.0, [0.0; 3], ALONG, 6.0, corners, 3);
        let sides =
            format!("{corners} flat pieces across which no vessel ends: {corners} where the surface has open rims");
        expect(
            &tube,
            2,
            &["ends at 2 open rims", &sides, "into the vessel (0.000, 0.000, 1.000)", "(0.000, 0.000, -1.000)"],
        );
        let sides = format!("{corners} with less than 0.75 of their length");
        expect(&tube.capped(corners), 2, &["ends at 2 flat caps", &sides, "(0.000, 0.000, -1.000)"]);
    }
    let open_box = Mesh::tube(1.0, [0.0; 3], ALONG, 1.414, 4, 1);
    expect(&open_box, 2, &["ends at 2 open rims"]);
}

#[test]
fn boxes_about_as_long_as_wide_are_told_of() {
    expect(
        &Mesh::cuboid([0.0; 3], [3.0; 3]),
        0,
        &["6 flat pieces are about as long as the vessel behind is deep", "section"],
    );
    let (_, text) = ends(&Mesh::cuboid([0.0; 3], [2.0, 2.0, 6.0]));
    assert!(!text.contains("about as long"), "{text}");
}

#[test]
fn shoulders_are_no_ends_whatever_the_order_of_triangles() {
    // A chamber between two tubes; its shoulders are flat, or lean by half a degree.
    for lean in [0.0, 0.01] {
        let profile = [[0.5, 0.0], [0.5, 3.0], [1.5, 3.0 + lean], [1.5, 6.0 - lean], [0.5, 6.0], [0.5, 9.0]];
        let open = Mesh::lathe(&profile, 48);
        for (mesh, number) in [(open.clone(), 2), (open.capped(48), 2)] {
            let (first, text) = ends(&mesh);
            assert_eq!(first.len(), number, "{text}");
            assert!(first.iter().all(|end| end.contains("area 7.8")), "{text}");
            for seed in 1..5 {
                let mut mixed = mesh.clone();
                let n = mixed.triangles.len();
                mixed.triangles.sort_by_key(|corners| (corners[0] * 7919 + corners[1] * 104_729 * seed) % n);
                mixed.triangles.iter_mut().step_by(3).for_each(|corners| corners.rotate_left(1));
                assert_eq!(ends(&mixed).0, first, "{seed}");
            }
        }
    }
}

#[test]
fn caps_within_another_shell_are_no_ends() {
    let parent = Mesh::tube(1.5, [0.0; 3], ALONG, 8.0, 24, 8);
    let branch = Mesh::tube(0.8, [0.0, 0.1, 4.0], [1.0, 0.0, 0.0], 6.0, 24, 8);
    for (mesh, kind) in
        [(parent.clone().capped(24).with(branch.clone().capped(24)), "flat cap"), (parent.with(branch), "open rim")]
    {
        expect(
            &mesh,
            3,
            &[&format!("ends at 3 {kind}s"), "1 within another shell", "at (6.0000e-3, 1.0000e-4, 4.0000e-3)"],
        );
    }
}

#[test]
fn a_cap_beside_open_rims_is_told_of() {
    let tube = Mesh::tube(1.0, [0.0; 3], ALONG, 6.0, 24, 6).capped(24);
    let last = tube.triangles.len() - 24;
    expect(&tube.without(|t| t >= last), 1, &["1 flat cap looks like the end of a vessel", "section"]);
}

#[test]
fn the_unit_changes_no_number() {
    let listed = |mesh: &Mesh, unit: &str, spacing: &str| {
        let made = made_of("a.stl", &mesh.binary_stl(), json!({"unit": unit}), spacing, json!([])).expect("builds");
        made.report
            .ends
            .iter()
            .map(|end| end.split_once("into the vessel ").expect("a direction").1)
            .map(|end| end.split_once(')').expect("its end").0.to_owned())
            .collect::<Vec<_>>()
    };
    for corners in [16, 23, 40] {
        let tube = Mesh::tube(1.0, [0.0; 3], ALONG, 6.0, corners, 10);
        let first = listed(&tube, "1 mm", "0.2 mm");
        for (unit, spacing) in [("1 nm", "0.2 nm"), ("1 um", "0.2 um"), ("1 m", "0.2 m")] {
            assert_eq!(listed(&tube, unit, spacing), first, "{unit}");
        }
        assert_eq!(first, ["(0.000, 0.000, 1.000", "(0.000, 0.000, -1.000"]);
    }
}

/// A tube from z = 0, open or rounded, to a rounded end at z = 8.
fn rounded(is_open: bool) -> Mesh {
    let ball = |k: i32| (f64::from(k) * std::f64::consts::PI / 16.0).sin_cos();
    let low = (0..8).map(|k| [ball(k).0, 1.0 - ball(k).1]).filter(|_| !is_open);
    let low = low.chain(is_open.then_some([1.0, 0.0]));
    let middle = (1..8).map(|k| [1.0, f64::from(k)]);
    let high = (1..9).map(|k| [ball(8 - k).0, 7.0 + ball(8 - k).1]);
    Mesh::lathe(&low.chain(middle).chain(high).collect::<Vec<_>>(), 32)
}

#[test]
fn the_kind_of_ends_is_told() {
    expect(
        &rounded(false),
        0,
        &["no ends are listed; with \"ends\" in \"surface\" the tips of its vessels are sought"],
    );
    let surface =
        |tips: bool| json!({"unit": "1 mm", "ends": {"largest": "velocity", "others": "pressure", "tips": tips}});
    let made = |mesh: &Mesh| made_of("a.stl", &mesh.binary_stl(), surface(true), "0.2 mm", json!([])).expect("builds");
    let tips = made(&rounded(false));
    assert_eq!(tips.report.ends.len(), 2, "{}", told(&tips));
    assert!(told(&tips).contains("its ends are tips, read from the voxels"), "{}", told(&tips));
    assert!(told(&tips).contains("the openings cut off"), "{}", told(&tips));
    // The open rim is no tip, too.
    let half = made(&rounded(true));
    assert_eq!(half.report.ends.len(), 2, "{}", told(&half));
    assert!(
        told(&half).contains("1 tip read from the voxels") && told(&half).contains("ends at 1 open rim"),
        "{}",
        told(&half)
    );
}

#[test]
fn caps_may_have_a_bevel() {
    let profile = [[0.0, 0.0], [0.9, 0.0], [1.0, 0.1], [1.0, 6.0], [0.95, 6.05], [0.0, 6.05]];
    expect(&Mesh::lathe(&profile, 64), 2, &["ends at 2 flat caps", "(0.0000e0, 0.0000e0, 0.0000e0) m", "area 3.136"]);
    // A cone is no bevel.
    let profile = [[0.0, 0.0], [0.4, 0.0], [1.0, 0.6], [1.0, 6.0], [0.0, 6.0]];
    expect(&Mesh::lathe(&profile, 64), 1, &["ends at 1 flat cap"]);
}

/// What is told of a mesh all of whose ends are to be opened.
fn told_of_all(mesh: &Mesh) -> String {
    let surface = json!({"unit": "1 mm", "ends": {"largest": "velocity", "others": "pressure"}});
    told(&made_of("a.stl", &mesh.binary_stl(), surface, "0.1 mm", json!([])).expect("builds"))
}

#[test]
fn vessels_that_end_without_rim_or_cap_are_told() {
    let text = told_of_all(&rounded(true));
    assert!(text.contains("the vessel also ends at (") && text.contains("\"tips\": true"), "{text}");
    let text = told_of_all(&Mesh::tube(1.0, [0.0; 3], [0.3, 0.5, 0.8], 8.0, 48, 10));
    assert!(!text.contains("also ends") && !text.contains("obliquely"), "{text}");
}

#[test]
fn rims_and_caps_oblique_to_their_vessel_are_told() {
    for (degrees, is_told) in [(0.0, false), (8.0, false), (30.0, true), (45.0, true)] {
        let mut tube = Mesh::tube(1.0, [0.0; 3], ALONG, 10.0, 48, 10);
        let slope = f64::to_radians(degrees).tan();
        for point in tube.points.iter_mut().filter(|point| point[2] < 0.5) {
            point[2] += slope * point[0];
        }
        let text = told_of_all(&tube);
        assert_eq!(text.contains("cut their vessels obliquely"), is_told, "{degrees}: {text}");
        let told = text.split("than across the vessel: ").nth(1).and_then(|text| text.split(' ').nth(2)?.parse().ok());
        assert!(told.is_none_or(|told: f64| (told - degrees).abs() < 4.0), "{degrees}: {text}");
    }
}
