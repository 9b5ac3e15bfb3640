//! Ends of vessels with sacs, bends and forks near them: the direction is right within 5 degrees and the area within
//! 10 %, or a warning names the end.

use std::f64::consts::{PI, TAU};
use std::fs;

use hematite_config::from_value;
use hematite_geometry::{Domain, GeometryConfig, build};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use serde_json::json;

type Vector = [f64; 3];

fn minus(a: Vector, b: Vector) -> Vector {
    [0, 1, 2].map(|k| a[k] - b[k])
}

fn plus(a: Vector, factor: f64, b: Vector) -> Vector {
    [0, 1, 2].map(|k| a[k] + factor * b[k])
}

fn dot(a: Vector, b: Vector) -> f64 {
    (0..3).map(|k| a[k] * b[k]).sum()
}

fn length(a: Vector) -> f64 {
    dot(a, a).sqrt()
}

/// The domain of what is `inside`, in voxels of 1 m, with all ends listed.
fn made(shape: [usize; 3], inside: impl Fn(Vector) -> bool) -> Domain {
    let folder = tempfile::tempdir().expect("a folder");
    let [nx, ny, nz] = shape;
    let at = |i: usize| [i % nx, i / nx % ny, i / (nx * ny)].map(|n| n as f64 + 0.5);
    let values: Vec<u8> = (0..nx * ny * nz).map(|i| u8::from(inside(at(i)))).collect();
    fs::write(folder.path().join("a.raw"), values).expect("writes");
    let geometry = json!({"voxels": {"file": "a.raw", "shape": shape, "type": "u8"}, "spacing": "1 m",
        "ends": {"largest": "velocity", "others": "pressure", "tips": true}});
    let geometry: GeometryConfig = from_value("geometry", geometry).expect("parses");
    build(&folder.path().join("CASE.json"), &geometry, &[]).expect("builds")
}

/// Place, direction and area of the ends, and whether a warning names them.
fn told(domain: &Domain) -> Vec<(Vector, Vector, f64, bool)> {
    let numbers = |text: &str| {
        let found: Vec<f64> = text.split(", ").map(|x| x.parse().expect("a number")).collect();
        [0, 1, 2].map(|k| found[k])
    };
    let between = |line: &str, from: &str, to: &str| {
        let after = line.split_once(from).unwrap_or_else(|| panic!("{from} in {line}")).1;
        after.split_once(to).expect("an end").0.to_owned()
    };
    let unsure: Vec<String> = domain
        .report
        .warnings
        .iter()
        .filter_map(|warning| warning.split_once("are unsure: "))
        .flat_map(|(_, after)| after.split(';').next().unwrap_or_default().split(", ").map(str::to_owned))
        .collect();
    let one = |(k, line): (usize, &String)| {
        let area = between(line, "area ", " m2").parse().expect("a number");
        let at = numbers(&between(line, " at (", ")"));
        (at, numbers(&between(line, "into the vessel (", ")")), area, unsure.contains(&k.to_string()))
    };
    domain.report.ends.iter().enumerate().map(one).collect()
}

/// Expects `number` ends and tips that a warning names, each end along `direction` of its place and of the radius there.
fn check(domain: &Domain, number: usize, radius: impl Fn(Vector) -> f64, direction: impl Fn(Vector) -> Vector) {
    let ends = told(domain);
    // Tips without a clear direction are told by their number.
    let behind =
        |warning: &String| warning.split_once("bends or splits behind ")?.1.split(' ').next()?.parse::<usize>().ok();
    let unclear: usize = domain.report.warnings.iter().filter_map(behind).sum();
    assert_eq!(ends.len() + unclear, number, "{:?} {:?}", domain.report.ends, domain.report.warnings);
    for (at, found, area, is_unsure) in ends {
        let off = dot(found, direction(at)).abs().min(1.0).acos().to_degrees();
        let ratio = area / (PI * radius(at).powi(2));
        let is_right = off < 5.0 && (ratio - 1.0).abs() < 0.1;
        let (ends, warnings) = (&domain.report.ends, &domain.report.warnings);
        assert!(is_right || is_unsure, "{off:.1} degrees off, area x {ratio:.2}: {ends:?} {warnings:?}");
    }
}

/// Unit vectors across each other from a height, an angle and another one.
fn frame(height: f64, angle: f64, turn: f64) -> [Vector; 2] {
    let flat = (1.0 - height * height).sqrt();
    let along = [flat * angle.cos(), flat * angle.sin(), height];
    let a = [-angle.sin(), angle.cos(), 0.0];
    let b = [-height * angle.cos(), -height * angle.sin(), flat];
    [along, plus(a.map(|x| x * turn.cos()), turn.sin(), b)]
}

/// The same 12 cases each time, or 200 others with `HEMATITE_FULL`.
fn cases() -> ProptestConfig {
    let is_full = std::env::var_os("HEMATITE_FULL").is_some();
    let rng_seed = if is_full { RngSeed::Random } else { RngSeed::Fixed(1) };
    let cases = if is_full { 200 } else { 12 };
    ProptestConfig { failure_persistence: None, rng_seed, ..ProptestConfig::with_cases(cases) }
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn sacs_beside_tubes(
        (height, angle, turn) in (-1.0..1.0f64, 0.0..TAU, 0.0..TAU),
        (radius, sac, gap) in (5.0..8.0f64, 0.8..1.4f64, 0.5..3.0f64),
        is_cut in proptest::bool::ANY,
    ) {
        let [along, aside] = frame(height, angle, turn);
        // From the middle of the volume to the flat tip, or to a border.
        let half = if is_cut { 200.0 } else { 40.0 };
        let inner = if is_cut { 48.0 } else { 40.0 };
        let sac = sac * radius;
        let middle = [48.0; 3];
        let centre = plus(plus(middle, inner - 2.0 * radius * gap - sac, along), radius + 0.5 * sac, aside);
        let domain = made([96; 3], |at| {
            let off = minus(at, middle);
            let rise = dot(off, along);
            let is_tube = rise.abs() < half && length(plus(off, -rise, along)) < radius;
            is_tube || (length(minus(at, centre)) < sac && rise.abs() < 40.0)
        });
        check(&domain, 2, |_| radius, |_| along);
    }

    /// A tip counts where its branch is 1.5 times longer than wide, beyond the far wall of the vessel that it leaves: the
    /// middle of the fork is then 2.5 widths from it. Shorter stubs have no tip. Sharp bends shorten a branch, as fronts
    /// run along their inner wall: here the vessel's axis has a radius of at least 6 radii of the vessel.
    #[test]
    fn bends_and_forks(
        (angle, radius, bend) in (0.0..TAU, 4.0..6.0f64, 6.0..10.0f64),
        (fork, gap) in (-1.0..1.0f64, 3.0..4.0f64),
    ) {
        // An arc about z of 10 widths, with tips, and a branch off it.
        let bend = bend * radius;
        let centre = [100.0, 100.0, 20.0];
        let span = f64::min(2.0 * PI - 1.5, 20.0 * radius / bend);
        let at_arc = |turn: f64| plus(centre, bend, [(angle + turn).cos(), (angle + turn).sin(), 0.0]);
        let from = at_arc(2.0 * radius * gap / bend);
        let out = [fork * 0.6, 0.0, 1.0];
        let out = out.map(|x| x / length(out));
        let domain = made([200, 200, 80], |at| {
            let off = minus(at, centre);
            let turn = (off[1].atan2(off[0]) - angle).rem_euclid(TAU);
            let is_arc = turn < span && (off[0].hypot(off[1]) - bend).hypot(off[2]) < radius;
            let rise = dot(minus(at, from), out);
            is_arc || (rise > 0.0 && rise < 40.0 && length(plus(minus(at, from), -rise, out)) < radius)
        });
        check(&domain, 3, |_| radius, |at| {
            let off = minus(at, centre);
            if off[2] > 2.0 * radius { out } else { [-off[1], off[0], 0.0].map(|x| x / off[0].hypot(off[1])) }
        });
    }

    /// Straight tubes, bent ones, and ones that taper by up to 10 % of their width a width. All are sure but bent ones.
    #[test]
    fn plain_tubes_are_sure(
        (height, angle, turn) in (-1.0..1.0f64, 0.0..TAU, 0.0..TAU),
        (narrow, bend, taper) in (4.0..8.0f64, 5.0..20.0f64, -0.1..0.1f64),
        (kind, is_cut) in (0..3, proptest::bool::ANY),
    ) {
        let [along, aside] = frame(height, angle, turn);
        let across = [(1, 2), (2, 0), (0, 1)].map(|(i, j)| along[i] * aside[j] - along[j] * aside[i]);
        let middle = [48.0; 3];
        // A bent tube may run along the border, where there is no end.
        let is_cut = is_cut && kind != 1;
        let taper = if kind == 2 { taper } else { 0.0 };
        let half = if is_cut { 84.0 } else { 40.0 };
        let radius = narrow + 0.5 * half * taper.abs();
        let bend = bend * radius;
        let centre = plus(middle, bend, aside);
        // Way along the tube, way off its axis, and its direction.
        let at_tube = |at: Vector| {
            let off = minus(at, if kind == 1 { centre } else { middle });
            let (u, v) = (-dot(off, aside), dot(off, along));
            if kind == 1 {
                let (sin, cos) = v.atan2(u).sin_cos();
                let way = plus(along.map(|x| x * cos), sin, aside);
                (bend * v.atan2(u), (u.hypot(v) - bend).hypot(dot(off, across)), way)
            } else {
                (v, length(plus(off, -v, along)), along)
            }
        };
        let half = if kind == 1 { f64::min(half, 2.5 * bend) } else { half };
        let radius_at = |rise: f64| radius + 0.5 * taper * rise;
        let domain = made([96; 3], |at| {
            let (rise, off, _) = at_tube(at);
            rise.abs() < half && off < radius_at(rise)
        });
        check(&domain, 2, |at| radius_at(at_tube(at).0), |at| at_tube(at).2);
        let (ends, warnings) = (&domain.report.ends, &domain.report.warnings);
        prop_assert!(kind == 1 || told(&domain).iter().all(|end| !end.3), "{ends:?} {warnings:?}");
    }
}
