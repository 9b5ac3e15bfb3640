//! Openings that do not fit their vessels are told of, and those that do are not.

use std::fs;
use std::process::Command;

use serde_json::{Value, json};

/// Pixels or voxels along each side, of 1 um.
const SIDE: usize = 120;

/// What `mkcase --check` prints of a picture or a volume, fluid where `is_fluid` of a place in um.
fn checked(dimension: usize, is_fluid: impl Fn([f64; 3]) -> bool, openings: Value) -> String {
    let folder = tempfile::tempdir().expect("a folder");
    let extent = if dimension == 2 { [SIDE, SIDE, 1] } else { [SIDE, 60, 40] };
    let place = |i: usize| [i % extent[0], i / extent[0] % extent[1], i / (extent[0] * extent[1])];
    let voxels: Vec<u8> =
        (0..extent.iter().product()).map(|i| u8::from(is_fluid(place(i).map(|i| i as f64 + 0.5)))).collect();
    let geometry = if dimension == 2 {
        let mut picture = format!("P5\n{SIDE} {SIDE}\n255\n").into_bytes();
        picture.extend(voxels.chunks(SIDE).rev().flatten().map(|fluid| 255 * fluid));
        fs::write(folder.path().join("a.pgm"), picture).expect("writes");
        json!({"image": "a.pgm", "spacing": "1 um"})
    } else {
        fs::write(folder.path().join("a.raw"), voxels).expect("writes");
        json!({"voxels": {"file": "a.raw", "shape": extent, "type": "u8"}, "spacing": "1 um"})
    };
    let config = json!({"geometry": geometry, "openings": openings});
    fs::write(folder.path().join("a.json"), config.to_string()).expect("writes");
    let output = Command::new(env!("CARGO_BIN_EXE_mkcase"))
        .args(["a.json", "--check", "--quiet"])
        .current_dir(folder.path())
        .output()
        .expect("runs");
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).expect("text")
}

/// Whether a place lies in a straight vessel of this width through the middle, in the plane of x and y.
fn is_in_vessel(dimension: usize, degrees: f64, width: f64) -> impl Fn([f64; 3]) -> bool {
    let (sine, cosine) = degrees.to_radians().sin_cos();
    let middle = if dimension == 2 { [60.0, 60.0, 0.5] } else { [60.0, 30.0, 20.0] };
    move |at| {
        let off = [0, 1, 2].map(|k| at[k] - middle[k]);
        (off[1] * cosine - off[0] * sine).hypot(off[2]) < 0.5 * width
    }
}

fn ends() -> Value {
    json!([
        {"name": "in", "kind": "velocity", "face": "x-"},
        {"name": "out", "kind": "pressure", "face": "x+"}
    ])
}

#[test]
fn openings_that_lie_obliquely_across_their_vessels_are_told() {
    for (dimension, widths, angles) in [
        (2, &[8.0, 14.0, 25.0][..], &[-35.0, -22.0, -8.0, 0.0, 5.0, 11.0, 20.0, 30.0, 34.0][..]),
        (3, &[12.0][..], &[0.0, 8.0, 20.0][..]),
    ] {
        for (&width, &degrees) in widths.iter().flat_map(|width| angles.iter().map(move |degrees| (width, degrees))) {
            let said = checked(dimension, is_in_vessel(dimension, degrees, width), ends());
            let told = said.lines().filter(|line| line.contains("lies obliquely")).count();
            assert_eq!(told, if degrees.abs() < 15.0 { 0 } else { 2 }, "{width} um at {degrees}: {said}");
            let advised = said.split("\"normal\": [").nth(1).and_then(|text| text.split(']').next());
            let normal: Vec<f64> =
                advised.into_iter().flat_map(|text| text.split(", ")).map(|n| n.parse().expect("a number")).collect();
            if told > 0 {
                let off = (normal[1].atan2(normal[0]).to_degrees() - degrees).abs();
                assert!(off < 3.0, "{width} um at {degrees}: {normal:?}");
            }
            assert!(!said.contains("behind it"), "{width} um at {degrees}: {said}");
        }
    }
}

#[test]
fn sections_are_across_or_told() {
    for (degrees, told) in [(30.0_f64, 0), (52.0, 1), (8.0, 1)] {
        let (sine, cosine) = degrees.to_radians().sin_cos();
        let through = [60.0 - 30.0, 60.0 - 30.0 * 30.0_f64.to_radians().tan()].map(|x| format!("{x:.2} um"));
        let openings = json!([
            {"name": "in", "kind": "velocity", "section": {"normal": [cosine, sine], "through": through}},
            {"name": "out", "kind": "pressure", "end": 1}
        ]);
        let said = checked(2, is_in_vessel(2, 30.0, 16.0), openings);
        assert_eq!(said.matches("lies obliquely").count(), told, "{degrees}: {said}");
    }
}

#[test]
fn openings_that_leave_part_of_their_vessel_closed_are_told() {
    for (to, told) in [(70.0, 0), (65.0, 1), (55.0, 1)] {
        let mut openings = ends();
        openings[0]["within"] = json!({"min": ["0 um", "0 um"], "max": ["1 um", format!("{to} um")]});
        let said = checked(2, is_in_vessel(2, 0.0, 20.0), openings);
        assert_eq!(said.matches("but the fluid is wider 1 spacing behind it").count(), told, "{to}: {said}");
    }
}

/// Lines that call an opening unfit.
fn told(said: &str) -> Vec<&str> {
    let unfit = ["lies obliquely", "but the fluid", "vessels, and a velocity", "a fork, a bend or a sac"];
    said.lines().filter(|line| unfit.iter().any(|piece| line.contains(piece))).collect()
}

#[test]
fn mouths_wider_or_narrower_than_their_vessels_are_told() {
    for dimension in [2, 3] {
        let vessel = is_in_vessel(dimension, 0.0, 16.0);
        let middle = if dimension == 2 { [60.0, 0.5] } else { [30.0, 20.0] };
        let off = |at: [f64; 3]| (at[1] - middle[0]).hypot(at[2] - middle[1]);
        for depth in [1.0, 2.0, 3.0, 5.0] {
            let flare = checked(dimension, |at| vessel(at) || (at[0] < depth && off(at) < 19.0), ends());
            assert!(told(&flare).len() == 1 && flare.contains("is narrower"), "{depth}: {flare}");
            let stub = checked(dimension, |at| vessel(at) && (at[0] > depth || off(at) < 4.0), ends());
            assert!(told(&stub).len() == 1 && stub.contains("is wider"), "{depth}: {stub}");
        }
        let whole = checked(dimension, |at| vessel(at) || at[0] < 3.0, ends());
        assert!(told(&whole).len() == 1 && whole.contains("is narrower"), "{whole}");
    }
}

#[test]
fn openings_along_their_vessels_are_told() {
    for (degrees, width) in [(78.0_f64, 8.0), (82.0, 10.0), (84.0, 10.0)] {
        let (sine, cosine) = degrees.to_radians().sin_cos();
        let section = json!({"normal": [cosine, sine], "through": ["50 um", "60 um"]});
        let openings = json!([
            {"name": "in", "kind": "velocity", "section": section}, {"name": "out", "kind": "pressure", "face": "x+"}
        ]);
        let said = checked(2, is_in_vessel(2, 0.0, width), openings);
        assert!(!told(&said).is_empty(), "{degrees}: {said}");
    }
}

#[test]
fn sections_along_planes_of_the_lattice_are_told_where_they_are_oblique() {
    for normal in [[1.0, 1.0], [2.0, 1.0], [3.0, 1.0], [3.0, 2.0], [1.0, 2.0], [4.0, 3.0], [5.0, 2.0], [1.0, -1.0]] {
        for width in [14.0, 20.0, 40.0] {
            let section = json!({"normal": normal, "through": ["50 um", "60 um"]});
            let openings = json!([
                {"name": "in", "kind": "velocity", "section": section}, {"name": "out", "kind": "pressure", "face": "x+"}
            ]);
            let said = checked(2, is_in_vessel(2, 0.0, width), openings.clone());
            assert!(said.contains("\"in\" lies obliquely"), "{normal:?}, {width} um: {said}");
            // Across a vessel of this direction, at several places between the sites.
            for shift in [0.0, 0.3, 0.5] {
                let turned = is_in_vessel(2, f64::atan2(normal[1], normal[0]).to_degrees(), width);
                let place = |at: [f64; 3]| [at[0] - shift, at[1], at[2]];
                let end = json!([openings[0], {"name": "out", "kind": "pressure", "end": 1}]);
                let across = checked(2, |at| turned(place(at)), end);
                assert!(told(&across).is_empty(), "{normal:?}, {width} um, {shift}: {across}");
            }
        }
    }
}

#[test]
fn a_section_close_before_a_fork_is_told() {
    let trunk = is_in_vessel(2, 0.0, 20.0);
    let branch = |degrees: f64| {
        let arm = is_in_vessel(2, degrees, 16.0);
        move |at: [f64; 3]| at[0] > 60.0 && arm(at)
    };
    let (up, down) = (branch(35.0), branch(-35.0));
    let fluid = |at: [f64; 3]| (at[0] < 60.0 && trunk(at)) || up(at) || down(at);
    for (x, is_close) in [(20.0, false), (35.0, false), (66.0, true), (70.0, true)] {
        let section = json!({"normal": [1, 0], "through": [format!("{x} um"), "60 um"]});
        let openings = json!([
            {"name": "in", "kind": "velocity", "section": section}, {"name": "out", "kind": "pressure", "face": "x+"}
        ]);
        let said = checked(2, fluid, openings);
        let told = told(&said).iter().any(|line| line.contains("opening \"in\""));
        assert_eq!(told, is_close, "{x}: {said}");
    }
}

#[test]
fn one_opening_of_two_vessels_is_told() {
    let [one, other] = [is_in_vessel(2, 0.0, 10.0), is_in_vessel(2, 0.0, 20.0)];
    let joined = |at: [f64; 3]| at[0] > 90.0 && (at[1] - 60.0).abs() < 40.0;
    let fluid = |at: [f64; 3]| one([at[0], at[1] - 25.0, at[2]]) || other([at[0], at[1] + 20.0, at[2]]) || joined(at);
    let said = checked(2, fluid, ends());
    assert!(said.contains("opening \"in\" opens 2 vessels"), "{said}");
}

#[test]
fn openings_that_fit_are_not_told() {
    // Short and wide between two openings.
    for length in [6.0, 15.0, 40.0] {
        let within = json!({"min": ["0 um", "0 um"], "max": ["120 um", "120 um"]});
        let plane = |normal: &str, at: f64| json!({"normal": normal, "at": format!("{at} um"), "within": within});
        let openings = json!([
            {"name": "in", "kind": "velocity", "plane": plane("x+", 60.0 - 0.5 * length)},
            {"name": "out", "kind": "pressure", "plane": plane("x-", 60.0 + 0.5 * length)}
        ]);
        let said = checked(2, is_in_vessel(2, 0.0, 30.0), openings);
        assert!(told(&said).is_empty(), "{length}: {said}");
    }
    // Between two exact sections close to each other, at any angle.
    for degrees in [5.0_f64, 20.0, 45.0, 70.0] {
        let (sine, cosine) = degrees.to_radians().sin_cos();
        let section = |sign: f64| {
            let through = [60.0 - sign * 8.0 * cosine, 60.0 - sign * 8.0 * sine].map(|x| format!("{x:.3} um"));
            json!({"normal": [sign * cosine, sign * sine], "through": through})
        };
        let openings = json!([
            {"name": "in", "kind": "velocity", "section": section(1.0)},
            {"name": "out", "kind": "pressure", "section": section(-1.0)}
        ]);
        let said = checked(2, is_in_vessel(2, degrees, 40.0), openings);
        assert!(told(&said).is_empty(), "{degrees}: {said}");
    }
    // Thin, at small angles.
    for (dimension, widths) in [(2, [4.0, 6.0, 9.0]), (3, [5.0, 7.0, 9.0])] {
        for (width, degrees) in widths.iter().flat_map(|&width| (-3..=3).map(move |k| (width, 3.0 * f64::from(k)))) {
            let said = checked(dimension, is_in_vessel(dimension, degrees, width), ends());
            assert!(told(&said).is_empty(), "{width} at {degrees}: {said}");
        }
    }
    // Across a bend whose axis has a radius of two and a half widths and more.
    for (width, radius) in [(12.0, 30.0), (16.0, 40.0), (10.0, 50.0)] {
        for degrees in [20.0_f64, 45.0, 60.0] {
            let (sine, cosine) = degrees.to_radians().sin_cos();
            let through = [20.0 + radius * cosine, 20.0 + radius * sine].map(|x| format!("{x:.3} um"));
            let section = json!({"normal": [sine, -cosine], "through": through});
            let openings = json!([
                {"name": "in", "kind": "velocity", "section": section}, {"name": "out", "kind": "pressure", "face": "y-"}
            ]);
            let is_fluid = |at: [f64; 3]| {
                let off = (at[0] - 20.0).hypot(at[1] - 20.0) - radius;
                let bend = at[0] > 20.0 && at[1] > 20.0 && off.abs() < 0.5 * width;
                bend || (at[1] <= 20.0 && (at[0] - 20.0 - radius).abs() < 0.5 * width)
            };
            let said = checked(2, is_fluid, openings);
            assert!(told(&said).is_empty(), "{width} around {radius} at {degrees}: {said}");
        }
    }
}

#[test]
fn a_few_sites_beside_a_vessel_keep_no_opening_from_it() {
    let vessel = is_in_vessel(2, 0.0, 20.0);
    let said = checked(2, |at| vessel(at) || (at[0] < 2.0 && (72.0..74.0).contains(&at[1])), ends());
    assert!(said.contains("removed    1 piece, 4 sites") && said.contains("20 nodes"), "{said}");
}
