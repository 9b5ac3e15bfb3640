//! Friction of ellipsoids against closed forms.

use std::f64::consts::PI;

use physics_bodies::friction::{coupling, inertia, jeffery, mass, rotational, translational};
use physics_bodies::region::mobility;

const ETA: f64 = 0.3;

fn close(ours: [f64; 3], theirs: [f64; 3], tolerance: f64) {
    for (ours, theirs) in ours.into_iter().zip(theirs) {
        assert!((ours / theirs - 1.0).abs() < tolerance, "{ours} {theirs}");
    }
}

#[test]
fn spheres_have_stokes_friction() {
    let a = 1.7;
    close(translational([a; 3], ETA), [6.0 * PI * ETA * a; 3], 1e-14);
    close(rotational([a; 3], ETA), [8.0 * PI * ETA * a.powi(3); 3], 1e-14);
}

#[test]
fn discs_have_their_limits() {
    let a: f64 = 1.7;
    let disc = [a, a, 1e-9 * a];
    let (edge, broad, turning) = (32.0 / 3.0 * ETA * a, 16.0 * ETA * a, 32.0 / 3.0 * ETA * a.powi(3));
    close(translational(disc, ETA), [edge, edge, broad], 1e-8);
    close(rotational(disc, ETA), [turning; 3], 1e-8);
}

/// Happel and Brenner's and Perrin's closed forms: axes (a, b, b), p = a / b.
#[test]
fn spheroids_have_their_closed_forms() {
    let b = 1.3;
    for p in [1.01, 2.0, 3.0, 10.0, 200.0] {
        let a: f64 = p * b;
        let e = (1.0 - 1.0 / (p * p)).sqrt();
        let log = ((1.0 + e) / (1.0 - e)).ln();
        let along = 6.0 * PI * ETA * a * 8.0 / 3.0 * e.powi(3) / ((1.0 + e * e) * log - 2.0 * e);
        let across = 6.0 * PI * ETA * a * 16.0 / 3.0 * e.powi(3) / (2.0 * e + (3.0 * e * e - 1.0) * log);
        close(translational([a, b, b], ETA), [along, across, across], 1e-9);
        let spin = 8.0 * PI * ETA * a.powi(3) * 4.0 / 3.0 * e.powi(3) * (1.0 - e * e) / (2.0 * e - (1.0 - e * e) * log);
        let tumble =
            8.0 * PI * ETA * a.powi(3) * 4.0 / 3.0 * e.powi(3) * (2.0 - e * e) / ((1.0 + e * e) * log - 2.0 * e);
        close(rotational([a, b, b], ETA), [spin, tumble, tumble], 1e-9);
    }
    // Perrin's factors of oblate spheroids, p = 4 / 1.3 the axes' ratio.
    let (a, c): (f64, f64) = (4.0, 1.3);
    let e = (1.0 - (c / a).powi(2)).sqrt();
    let (root, cot) = ((1.0 - e * e).sqrt(), e.asin());
    let broad = 6.0 * PI * ETA * a * 4.0 / 3.0 * e.powi(3) / (e * root - (1.0 - 2.0 * e * e) * cot);
    let edge = 6.0 * PI * ETA * a * 8.0 / 3.0 * e.powi(3) / ((2.0 * e * e + 1.0) * cot - e * root);
    close(translational([a, a, c], ETA), [edge, edge, broad], 1e-12);
    let spin = 8.0 * PI * ETA * a.powi(3) * 2.0 / 3.0 * e.powi(3) / (cot - e * root);
    let tumble =
        8.0 * PI * ETA * a.powi(3) * 2.0 / 3.0 * e.powi(3) * (2.0 - e * e) / (e * root - (1.0 - 2.0 * e * e) * cot);
    close(rotational([a, a, c], ETA), [tumble, tumble, spin], 1e-12);
}

#[test]
fn the_order_of_axes_does_not_matter() {
    let (axes, turned) = ([1.0, 2.0, 3.5], [2.0, 3.5, 1.0]);
    for law in [translational, rotational, inertia] {
        let [x, y, z] = law(axes, ETA);
        close(law(turned, ETA), [y, z, x], 1e-13);
    }
}

#[test]
fn homogeneous_bodies_have_their_inertia() {
    let m = mass([2.0, 2.0, 2.0], 1.1);
    assert!((m - 1.1 * 4.0 / 3.0 * PI * 8.0).abs() < 1e-12);
    close(inertia([2.0; 3], 1.1), [0.4 * m * 4.0; 3], 1e-14);
    let [x, y, z] = jeffery([1.0, 2.0, 3.0]);
    close([x, y, z], [-5.0 / 13.0, 8.0 / 10.0, -3.0 / 5.0], 1e-14);
    assert_eq!(jeffery([4.0, 4.0, 1.3])[2], 0.0);
}

#[test]
fn coupling_makes_up_for_the_region() {
    let axes = [4.0, 4.0, 1.3];
    let stokes = [translational(axes, ETA), rotational(axes, ETA)];
    let wide = mobility(axes.map(|a| 2.0 * a), ETA);
    for (stokes, mobility) in stokes.into_iter().zip([wide.translation, wide.rotation]) {
        let gamma = coupling(stokes, mobility).expect("a wide region");
        println!("Stokes {stokes:.4?}, region {:.4?}, coupling {gamma:.4?}", mobility.map(|m| 1.0 / m));
        close([0, 1, 2].map(|k| 1.0 / gamma[k] + mobility[k]), stokes.map(|s| 1.0 / s), 1e-12);
    }
    let fault = coupling(stokes[0], mobility([2.0, 2.0, 1.0], ETA).translation).expect_err("too narrow");
    println!("{fault}");
    assert!(fault.message.contains("wider"));
}

#[test]
fn regions_like_the_body_give_way_alike_along_all_axes() {
    for axes in [[1.0; 3], [4.0, 4.0, 1.3], [1.0, 1.0, 3.0], [1.0, 1.5, 2.5]] {
        let share = |law: [f64; 3], mobility: [f64; 3]| [0, 1, 2].map(|k| law[k] * mobility[k]);
        let translation = share(translational(axes, ETA), mobility(axes.map(|a| 1.52 * a), ETA).translation);
        let rotation = share(rotational(axes, ETA), mobility(axes.map(|a| 1.29 * a), ETA).rotation);
        println!("{axes:?}: {translation:.3?} {rotation:.3?}");
        close(translation, [1.0; 3], 0.01);
        close(rotation, [1.0; 3], 0.05);
    }
}
