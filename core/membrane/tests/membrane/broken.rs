//! Broken cells are marked, and surfaces and mechanics that cannot be a membrane are refused.

use hematite_cells::{Bending, InPlane, Mechanics, Rest, Surface};
use hematite_engine::Precision;
use hematite_membrane::{Damage, FORCE_LIMIT, Model};

use crate::lab::{Cell, Lab, answers, representable, shared_device};
use crate::shapes::{icosphere, membranes, noise, perturbed, ring};

#[test]
fn broken_cells_are_marked_at_their_first_step() {
    for surface in [ring(19, 3.5), icosphere(1).scaled(2.2)] {
        let (_, mechanics) = membranes(surface.dimension).pop().expect("some");
        for precision in [Precision::F32, Precision::F64] {
            let mut lab = Lab::new(shared_device(), precision, &surface, &mechanics, 30, 5);
            let mut cells: Vec<Cell> =
                (0..30).map(|seed| Cell::still(perturbed(&surface, 1.0, 0.1, seed), 1.0)).collect();
            lab.put(&cells);
            assert!(lab.answer(4).iter().all(|answer| answer.broken == u32::MAX));
            // Two vertices at one place: their direction, and so the force, is NaN.
            cells[7].x[3] = cells[7].x[4];
            if surface.dimension == 3 {
                let corners = surface.triangles[0].map(|v| v as usize);
                cells[7].x[corners[1]] = cells[7].x[corners[0]];
            }
            // Far away.
            cells[21].x[2][0] += 300.0;
            lab.put(&cells);
            let at = |step| lab.answer(step).iter().map(|answer| Damage::read(answer.broken)).collect::<Vec<_>>();
            let marks = at(11);
            assert_eq!(marks, at(12), "the first step stays");
            let expected = Some((11, Damage::Membrane));
            let broken: Vec<usize> = (0..30).filter(|&k| marks[k] == expected).collect();
            assert_eq!(broken, [7, 21], "{precision:?}");
            assert!((0..30).all(|k| marks[k] == expected.filter(|_| broken.contains(&k))));
        }
    }
}

/// Crumpled rings, with hairpins and sides of any length, still bend with forces far below the limit of sums: red cells
/// at 1 um and 0.28 us.
#[test]
fn crumpled_rings_keep_their_bending_in_bounds() {
    let surface = ring(19, 3.5);
    let bending = Some(Bending::Ring { kappa: 1.6e-4, rest: Rest::Flat });
    let mechanics = Mechanics { bending, ..Mechanics::default() };
    let crumpled = |seed| {
        let mut random = noise(seed);
        let x = surface.vertices.iter().map(|_| representable([0.6 * random(), 0.6 * random(), 0.0]));
        Cell::still(x.collect(), 1.0)
    };
    let cells: Vec<Cell> = (0..200).map(crumpled).collect();
    let answers = answers(Precision::F32, &surface, &mechanics, &cells);
    let largest = answers.iter().flat_map(|answer| answer.force.iter().flatten()).fold(0.0_f64, |m, f| m.max(f.abs()));
    println!("largest force {largest:.3}");
    assert!(largest > 0.01 && largest < 0.3 * FORCE_LIMIT, "{largest}");
}

/// The message with which a membrane is refused.
fn refusal(surface: &Surface, mechanics: &Mechanics) -> String {
    Model::new(surface.dimension, surface, mechanics).expect_err("refused").message
}

#[test]
fn what_is_no_membrane_is_refused() {
    let sphere = icosphere(1);
    let none = Mechanics::default();
    let mut open = sphere.clone();
    open.triangles.pop();
    assert!(refusal(&open, &none).contains("open at the edge"));
    let mut turned = sphere.clone();
    turned.triangles[5].swap(0, 1);
    assert!(refusal(&turned, &none).contains("opposite ways"));
    let mut inside_out = sphere.clone();
    inside_out.triangles.iter_mut().for_each(|t| t.swap(0, 1));
    assert!(refusal(&inside_out, &none).contains("seen from outside"));
    let mut pinched = sphere.clone();
    let other = icosphere(1);
    let count = sphere.vertices.len() as u32;
    pinched.vertices.extend(other.vertices.iter().map(|v| [v[0] + 5.0, v[1], v[2]]));
    pinched.triangles.extend(other.triangles.iter().map(|t| t.map(|v| if v == 0 { 0 } else { v + count })));
    assert!(refusal(&pinched, &none).contains("no surface at vertex 0"));

    let ring_law = Mechanics { bending: Some(Bending::Ring { kappa: 1.0, rest: Rest::Flat }), ..none.clone() };
    assert!(refusal(&sphere, &ring_law).contains("no law of 3-D"));
    let skalak = Mechanics { in_plane: Some(InPlane::Skalak { g: 1.0, c: 1.0 }), ..none.clone() };
    assert!(refusal(&ring(19, 3.0), &skalak).contains("no law of 2-D"));
    let power = Mechanics { in_plane: Some(InPlane::WlcPower { mu: 1.0, x0: 0.5, power: 2.5 }), ..none.clone() };
    assert!(refusal(&sphere, &power).contains("2.5"));
    let limit = Mechanics { in_plane: Some(InPlane::Hardening { k: 1.0, limit: 1.0 }), ..none.clone() };
    assert!(refusal(&ring(19, 3.0), &limit).contains("above 1"));
    let negative = Mechanics { global_area: -1.0, ..none.clone() };
    assert!(refusal(&sphere, &negative).contains("at least 0"));
    let empty = Mechanics { volume: 1.0, volume_share: 0.0, ..none };
    assert!(refusal(&sphere, &empty).contains("above 0"));
}
