use std::path::Path;

use serde_json::{Value, json};

use super::*;
use crate::vector::{length, minus};

fn shape(json: Value) -> ShapeConfig {
    hematite_config::from_value("case.json", json).expect("a shape")
}

fn surface(json: Value, dimension: usize) -> Surface {
    shape(json).surface(Path::new("case.json"), dimension, 1e-6).expect("a surface")
}

fn refusal(json: Value, dimension: usize) -> String {
    shape(json).surface(Path::new("case.json"), dimension, 1e-6).expect_err("refused").message
}

/// Shortest and longest edge.
fn edge_lengths(surface: &Surface) -> (f64, f64) {
    let lengths = surface
        .edges()
        .into_iter()
        .map(|[a, b]| length(minus(surface.vertices[a as usize], surface.vertices[b as usize])));
    lengths.fold((f64::INFINITY, 0.0), |(least, most), l| (f64::min(least, l), f64::max(most, l)))
}

#[test]
fn the_red_cell_converges_to_its_area_and_volume() {
    let (area, volume) = (134.090e-12, 94.091e-18);
    let errors: Vec<[f64; 2]> = [642, 2562, 10242]
        .into_iter()
        .map(|vertices| {
            let cell = surface(json!({"kind": "red_cell", "vertices": vertices}), 3);
            [1.0 - cell.area() / area, 1.0 - cell.volume() / volume]
        })
        .collect();
    for quantity in 0..2 {
        let [coarse, middle, fine] = [errors[0][quantity], errors[1][quantity], errors[2][quantity]];
        assert!(fine.abs() < 1.5e-3, "error {fine}");
        for ratio in [coarse / middle, middle / fine] {
            assert!((3.5..4.5).contains(&ratio), "ratio {ratio} of {errors:?}");
        }
    }
}

#[test]
fn the_section_converges_to_its_perimeter_and_area() {
    let radius = 3.91e-6;
    let errors = [100, 200, 400].map(|vertices| {
        let cell = surface(json!({"kind": "red_cell", "vertices": vertices}), 2);
        [1.0 - cell.area() / radius / 4.92871, 1.0 - cell.volume() / radius / radius / 0.89136]
    });
    for quantity in 0..2 {
        let [coarse, middle, fine] = errors.map(|error| error[quantity]);
        assert!(fine.abs() < 1e-4, "{errors:?}");
        assert!((3.7..4.3).contains(&((coarse - middle) / (middle - fine))), "{errors:?}");
    }
}

#[test]
fn the_section_is_biconcave_and_even() {
    let cell = surface(json!({"kind": "red_cell"}), 2);
    assert_eq!(cell.vertices.len(), 32, "sides of 0.6 um");
    assert!((length(cell.vertices[0]) - 3.91e-6).abs() < 1e-12, "the first vertex is on the rim");
    assert!((cell.vertices[8][1] - 0.405e-6).abs() < 2e-9, "half the thickness at the centre");
    let highest = cell.vertices.iter().map(|v| v[1]).fold(0.0, f64::max);
    assert!((1.2e-6..1.283e-6).contains(&highest), "half the largest thickness: {highest:e}");
    let (least, most) = edge_lengths(&cell);
    assert!(least > 0.9 * most, "chords of equal arcs: {least:e} {most:e}");
    let fine = surface(json!({"kind": "red_cell", "vertices": 2000}), 2);
    let (least, most) = edge_lengths(&fine);
    assert!(least > 0.9999 * most, "{least:e} {most:e}");
}

#[test]
fn meshes_are_even_closed_spheres_that_look_outwards() {
    let kinds = [
        (json!({"kind": "red_cell"}), 642, 1.6),
        (json!({"kind": "red_cell", "vertices": 162}), 162, 1.6),
        (json!({"kind": "sphere", "radius": "6 um"}), 642, 1.3),
        (json!({"kind": "sphere", "radius": "6 um", "vertices": 42}), 42, 1.3),
        (json!({"kind": "platelet"}), 162, 2.1),
        (json!({"kind": "ellipsoid", "axes": ["8 um", "4 um", "4 um"]}), 642, 2.1),
    ];
    for (json, vertices, uneven) in kinds {
        let cell = surface(json.clone(), 3);
        let edges = cell.edges();
        assert_eq!(cell.vertices.len(), vertices, "{json}");
        assert_eq!(cell.vertices.len() + cell.triangles.len(), edges.len() + 2, "{json}: Euler");
        let centre = length(cell.clone().centred().vertices[0]) - length(cell.vertices[0]);
        assert!(centre.abs() < 1e-18 && cell.volume() > 0.0, "{json}");
        let (least, most) = edge_lengths(&cell);
        assert!(most < uneven * least, "{json}: edges {least:e} to {most:e}");
        for (v, ring) in cell.rings().iter().enumerate() {
            assert!(ring.len() == 5 || ring.len() == 6, "{json}: {ring:?}");
            for k in 0..ring.len() {
                let triangle = [v as u32, ring[k], ring[(k + 1) % ring.len()]];
                let turned = [0, 1, 2].map(|t| [triangle[t], triangle[(t + 1) % 3], triangle[(t + 2) % 3]]);
                assert_eq!(cell.triangles.iter().filter(|t| turned.contains(t)).count(), 1, "{json}: {triangle:?}");
            }
        }
    }
}

#[test]
fn successive_vertices_lie_in_patches() {
    let surface = surface(json!({"kind": "red_cell", "diameter": "8 um"}), 3);
    let before = icosphere::mesh(642, crate::discocyte::point).scaled(4e-6);
    let by_place = |surface: &Surface| {
        let mut places = surface.vertices.clone();
        places.sort_by(|a, b| a.partial_cmp(b).expect("numbers"));
        places
    };
    assert_eq!(by_place(&surface), by_place(&before), "the same vertices");
    let sizes = [surface.area() / before.area(), surface.volume() / before.volume()];
    assert!(sizes.iter().all(|size| (size - 1.0).abs() < 1e-12), "the same triangles: {sizes:?}");
    // A patch covers 6.7 um2 of the 134 um2 of the cell.
    for patch in surface.vertices.chunks(32) {
        for axis in 0..3 {
            let along = patch.iter().map(|v| v[axis]);
            let extent = along.clone().fold(f64::MIN, f64::max) - along.fold(f64::MAX, f64::min);
            assert!(extent < 3.6e-6, "{extent:e}");
        }
    }
}

#[test]
fn round_shapes_have_their_size() {
    use std::f64::consts::PI;
    let near = |value: f64, wanted: f64, tolerance: f64| {
        assert!((value / wanted - 1.0).abs() < tolerance, "{value:e} {wanted:e}")
    };
    let disc = surface(json!({"kind": "disc", "radius": "4 um", "vertices": 1000}), 2);
    near(disc.area(), 2.0 * PI * 4e-6, 1e-5);
    near(disc.volume(), PI * 16e-12, 1e-5);
    let sphere = surface(json!({"kind": "sphere", "radius": "4 um", "vertices": 10242}), 3);
    near(sphere.volume(), 4.0 / 3.0 * PI * 64e-18, 2e-3);
    near(surface(json!({"kind": "sphere", "radius": "4 um"}), 2).radius(), 4e-6, 1e-9);
    let platelet = surface(json!({"kind": "platelet", "vertices": 10242}), 3);
    near(platelet.volume(), PI / 6.0 * 2.5e-6 * 2.5e-6 * 0.9e-6, 2e-3);
    let ellipse = surface(json!({"kind": "ellipsoid", "axes": ["6 um", "2 um"], "vertices": 1000}), 2);
    near(ellipse.volume(), PI * 3e-12, 1e-4);
}

#[test]
fn what_cannot_be_is_refused() {
    let cases = [
        (
            json!({"kind": "red_cell", "vertices": 500}),
            3,
            "\"vertices\" is 500; the possible numbers are 162, 642, 2562, 10242",
        ),
        (json!({"kind": "red_cell", "vertices": 42}), 3, "the nearest is 162"),
        (json!({"kind": "red_cell", "vertices": 3}), 2, "a ring has 6 to 65536"),
        (json!({"kind": "sphere", "radius": "0 um"}), 3, "\"radius\" is \"0 m\"; it must be above 0"),
        (json!({"kind": "disc", "radius": "4 um"}), 3, "use \"sphere\""),
        (json!({"kind": "ellipsoid", "axes": ["4 um", "4 um"]}), 3, "has 2 lengths, this case is 3-D"),
        (json!({"kind": "mesh", "file": "a.stl", "unit": "1 um"}), 2, "is for 3-D cases"),
        (json!({"kind": "mesh", "file": "a.obj", "unit": "1 um"}), 3, ".stl, .off and .ply"),
        (json!({"kind": "mesh", "file": "no/such.stl", "unit": "1 um"}), 3, "cannot read no/such.stl"),
    ];
    for (json, dimension, piece) in cases {
        let message = refusal(json, dimension);
        assert!(message.contains(piece), "{message}");
    }
}

#[test]
fn a_slip_of_the_keyboard_is_named() {
    for (json, piece) in [
        (json!({"kind": "redcell"}), "did you mean \"red_cell\"?"),
        (json!({"kind": "disc", "raduis": "4 um"}), "did you mean \"radius\"?"),
        (json!({"kind": "disc", "radius": "4 Pa"}), "is not a length"),
        (json!({"kind": "sphere"}), "missing field `radius`"),
    ] {
        let message = hematite_config::from_value::<ShapeConfig>("case.json", json).expect_err("refused").message;
        assert!(message.contains(piece), "{message}");
    }
}

#[test]
fn shapes_stand_the_checks_of_meshes() {
    for vertices in [162, 642, 2562, 10242] {
        for json in
            [json!({"kind": "red_cell", "vertices": vertices}), json!({"kind": "platelet", "vertices": vertices})]
        {
            let cell = surface(json.clone(), 3);
            let mesh = read::Mesh { points: cell.vertices.clone(), triangles: cell.triangles.clone() };
            let checked = check::closed(mesh).expect("a cell");
            assert!((checked.volume() / cell.volume() - 1.0).abs() < 1e-12, "{json}");
        }
    }
}
