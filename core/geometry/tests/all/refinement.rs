//! Refinement against the true shapes: area, distance of the wall from the true line, walls that must not move.

use std::path::Path;

use hematite_config::from_value;
use hematite_geometry::{Domain, GeometryConfig, Site, build};

/// Writes a bitmap of `inside(x, y)` at pixel centres (y up) and builds it.
fn drawn(
    folder: &Path,
    n: [usize; 2],
    factor: usize,
    smooth: bool,
    periodic: &[&str],
    inside: impl Fn(f64, f64) -> bool,
) -> Domain {
    let mut image = format!("P5\n{} {}\n255\n", n[0], n[1]).into_bytes();
    for row in (0..n[1]).rev() {
        image.extend((0..n[0]).map(|x| if inside(x as f64 + 0.5, row as f64 + 0.5) { 255 } else { 0 }));
    }
    std::fs::write(folder.join("shape.pgm"), image).expect("writes");
    built(
        folder,
        serde_json::json!({
            "image": "shape.pgm", "spacing": "1 m", "periodic": periodic, "keep": "all",
            "refine": {"factor": factor, "smooth": smooth}
        }),
    )
}

fn built(folder: &Path, geometry: serde_json::Value) -> Domain {
    let geometry: GeometryConfig = from_value("test", geometry).expect("a config");
    build(&folder.join("CASE.json"), &geometry, &[]).expect("builds")
}

/// Fluid area in square pixels.
fn area(domain: &Domain) -> f64 {
    domain.report.fluid as f64 * domain.spacing.powi(2)
}

/// RMS of `distance` (signed, from the true wall) over the mid-points of links between fluid and wall sites.
fn rms(domain: &Domain, distance: impl Fn(f64, f64) -> f64, counts: impl Fn(f64, f64) -> bool) -> f64 {
    let (mut sum, mut number) = (0.0, 0);
    for y in 1..domain.extent[1] - 1 {
        for x in 1..domain.extent[0] - 1 {
            if domain.sites[domain.index([x, y, 0])] != Site::FLUID {
                continue;
            }
            for c in [[1, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1, 0]] {
                let there = domain.neighbour([x, y, 0], c).expect("padded");
                if domain.sites[domain.index(there)] == Site::WALL {
                    let place = |axis: usize, i: usize| {
                        domain.origin[axis] + (i as f64 + 0.5 + 0.5 * f64::from(c[axis])) * domain.spacing
                    };
                    let (px, py) = (place(0, x), place(1, y));
                    if counts(px, py) {
                        sum += distance(px, py).powi(2);
                        number += 1;
                    }
                }
            }
        }
    }
    (sum / f64::from(number)).sqrt()
}

#[test]
fn a_disc_keeps_its_area_and_loses_its_steps() {
    let folder = tempfile::tempdir().expect("a folder");
    for radius in [6.3, 12.0, 25.7] {
        let distance = |x: f64, y: f64| (x - 30.2).hypot(y - 29.9) - radius;
        let disc = |smooth| drawn(folder.path(), [60, 60], 8, smooth, &[], |x, y| distance(x, y) < 0.0);
        let (nearest, smooth) = (disc(false), disc(true));
        let exact = std::f64::consts::PI * radius * radius;
        let errors = [rms(&nearest, distance, |_, _| true), rms(&smooth, distance, |_, _| true)];
        println!(
            "radius {radius}: area nearest {:.4} smooth {:.4}, rms {errors:?}",
            area(&nearest) / exact,
            area(&smooth) / exact
        );
        assert!((area(&smooth) / area(&nearest) - 1.0).abs() < 0.01);
        assert!(errors[1] < 0.5 * errors[0], "{errors:?}");
    }
}

#[test]
fn a_tilted_channel_becomes_straight() {
    let folder = tempfile::tempdir().expect("a folder");
    for (slope, width, most) in [
        (0.1, 12.0, 0.1),
        (0.31, 12.0, 0.1),
        (0.62, 12.0, 0.07),
        (1.0, 12.0, 0.07),
        (0.31, 5.2, 0.1),
        (0.62, 3.3, 0.12),
    ] {
        let across = |x: f64, y: f64| (y - 20.0 - slope * (x - 60.0)) / f64::hypot(1.0, slope);
        let distance = |x: f64, y: f64| across(x, y).abs() - width / 2.0;
        let channel = |smooth| drawn(folder.path(), [120, 40], 8, smooth, &[], |x, y| distance(x, y) < 0.0);
        let (nearest, smooth) = (channel(false), channel(true));
        let inside = |x: f64, y: f64| (8.0..112.0).contains(&x) && (4.0..36.0).contains(&y);
        let errors = [rms(&nearest, distance, inside), rms(&smooth, distance, inside)];
        let ratio = area(&smooth) / area(&nearest);
        println!("slope {slope} width {width}: area {ratio:.4}, rms {errors:.3?}");
        assert!((ratio - 1.0).abs() < 0.01, "slope {slope} width {width}: {ratio}");
        assert!(errors[1] < most && errors[1] < 0.45 * errors[0], "slope {slope} width {width}: {errors:?}");
    }
}

#[test]
fn straight_walls_do_not_move() {
    let folder = tempfile::tempdir().expect("a folder");
    for width in [1, 2, 3, 7] {
        for periodic in [&[][..], &["x"][..]] {
            let wall = |_: f64, y: f64| (9.0..9.0 + f64::from(width)).contains(&y);
            let [nearest, smooth] =
                [false, true].map(|smooth| drawn(folder.path(), [20, 25], 22, smooth, periodic, wall));
            assert!(nearest.sites == smooth.sites, "width {width}, periodic {periodic:?}");
        }
    }
}

#[test]
fn a_channel_across_the_periodic_seam_is_smoothed_like_any_other() {
    let folder = tempfile::tempdir().expect("a folder");
    // Slope 1/4 closes on itself after 80 pixels; shifting the picture along x must shift the lattice along x.
    let channel = |shift: f64| {
        let inside = move |x: f64, y: f64| (y - 0.25 * (x + shift)).rem_euclid(20.0) < 9.0;
        drawn(folder.path(), [80, 20], 4, true, &["x", "y"], inside)
    };
    let (still, moved) = (channel(0.0), channel(12.0));
    assert_eq!(still.extent, [320, 80, 1]);
    for y in 0..80 {
        for x in 0..320 {
            assert_eq!(
                still.sites[still.index([(x + 48) % 320, y, 0])],
                moved.sites[moved.index([x, y, 0])],
                "{x} {y}"
            );
        }
    }
}

#[test]
fn a_ball_keeps_its_volume_and_loses_its_steps() {
    let folder = tempfile::tempdir().expect("a folder");
    let (n, radius) = (28usize, 9.4);
    let away = |x: f64, y: f64, z: f64| ((x - 14.1).powi(2) + (y - 13.8).powi(2) + (z - 14.3).powi(2)).sqrt() - radius;
    let voxels: Vec<u8> = (0..n * n * n)
        .map(|i| [i % n, i / n % n, i / n / n].map(|k| k as f64 + 0.5))
        .map(|[x, y, z]| u8::from(away(x, y, z) < 0.0))
        .collect();
    std::fs::write(folder.path().join("ball.raw"), voxels).expect("writes");
    let ball = |smooth: bool| {
        built(
            folder.path(),
            serde_json::json!({
                "voxels": {"file": "ball.raw", "shape": [n, n, n], "type": "u8"}, "spacing": "1 m",
                "refine": {"factor": 4, "smooth": smooth}
            }),
        )
    };
    let [nearest, smooth] = [ball(false), ball(true)];
    let ratio = smooth.report.fluid as f64 / nearest.report.fluid as f64;
    // Distance from the sphere of every site on the wrong side of it.
    let wrong = |domain: &Domain| -> f64 {
        let centre = |axis: usize, i: usize| domain.origin[axis] + (i as f64 + 0.5) * domain.spacing;
        let each = domain.sites.iter().enumerate().map(|(i, &site)| {
            let [nx, ny, _] = domain.extent;
            let d = away(centre(0, i % nx), centre(1, i / nx % ny), centre(2, i / (nx * ny)));
            if (d < 0.0) == (site == Site::FLUID) { 0.0 } else { d.abs() }
        });
        each.sum()
    };
    println!("ball: volume {ratio:.4}, wrong {:.1} -> {:.1}", wrong(&nearest), wrong(&smooth));
    assert!((ratio - 1.0).abs() < 0.015, "{ratio}");
    assert!(wrong(&smooth) < 0.4 * wrong(&nearest));
}

#[test]
fn thin_tubes_and_small_balls_keep_their_size() {
    let folder = tempfile::tempdir().expect("a folder");
    let n = 40_usize;
    let centre = |k: usize| k as f64 + 0.5;
    for radius in [1.6, 2.0, 3.0, 4.0, 6.0] {
        for direction in
            [None, Some([1.0, 0.0, 0.0]), Some([1.0, 0.23, 0.1]), Some([1.0, 0.9, -0.7]), Some([0.5, 0.5, 0.5])]
        {
            // A ball, or a tube along a line through its centre.
            let within = |at: [f64; 3]| {
                let r = [at[0] - 20.1, at[1] - 19.7, at[2] - 20.4];
                let square = r.iter().map(|x| x * x).sum::<f64>();
                let along = direction.map_or(0.0, |d: [f64; 3]| {
                    let length = d.iter().map(|x| x * x).sum::<f64>().sqrt();
                    (0..3).map(|i| r[i] * d[i] / length).sum()
                });
                square - along * along < radius * radius
            };
            let voxels: Vec<u8> =
                (0..n * n * n).map(|i| u8::from(within([i % n, i / n % n, i / n / n].map(centre)))).collect();
            let bitmap = voxels.iter().filter(|&&voxel| voxel > 0).count() * 64;
            std::fs::write(folder.path().join("tube.raw"), voxels).expect("writes");
            let domain = built(
                folder.path(),
                serde_json::json!({
                    "voxels": {"file": "tube.raw", "shape": [n, n, n], "type": "u8"}, "spacing": "1 m",
                    "refine": {"factor": 4, "smooth": true}
                }),
            );
            let fine = 4 * n;
            let exact = (0..fine * fine * fine)
                .filter(|&i| within([i % fine, i / fine % fine, i / fine / fine].map(|k| centre(k) / 4.0)))
                .count();
            let [of_exact, of_bitmap] = [exact, bitmap].map(|sites| domain.report.fluid as f64 / sites as f64);
            let name = format!("radius {radius}, along {direction:?}: volume {of_exact:.4}, of bitmap {of_bitmap:.4}");
            let told = domain.report.resampled.expect("smoothed").growth();
            assert!((told - (of_bitmap - 1.0)).abs() < 1e-12, "{name}: {told}");
            assert!((of_bitmap - 1.0).abs() < 0.04, "{name}");
            // Where a tube meets voxels in many ways, its bitmap is as large as the tube.
            let is_oblique = direction.is_some_and(|[x, y, _]| y != 0.0 && x != y);
            assert!(!is_oblique || (of_exact - 1.0).abs() < 0.02, "{name}");
        }
    }
}
