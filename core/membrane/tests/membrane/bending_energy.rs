//! Discrete bending energies approach those of smooth shapes.

use std::f64::consts::PI;

use hematite_cells::{Bending, Mechanics, Rest, Surface};
use hematite_membrane::Model;

use crate::shapes::{discocyte, icosphere};

/// Bending energy over kappa.
fn energy(surface: &Surface, bending: Bending) -> f64 {
    let mechanics = Mechanics { bending: Some(bending), ..Mechanics::default() };
    let model = Model::new(surface.dimension, surface, &mechanics).expect("sound");
    model.energy(&surface.vertices, 1.0).bending
}

/// Helfrich's energy of Evans and Fung's discocyte over kappa, by quadrature.
const DISCOCYTE: f64 = 48.4745;

#[test]
fn gompper_kroll_converges_to_helfrich() {
    let helfrich = |surface: Surface| energy(&surface, Bending::GompperKroll { kappa: 1.0 });
    for (name, exact, shape) in [
        ("sphere", 8.0 * PI, icosphere as fn(usize) -> Surface),
        ("discocyte", DISCOCYTE, |times| discocyte(times, 3.91)),
    ] {
        let errors: Vec<f64> = (2..5).map(|times| (helfrich(shape(times)) / exact - 1.0).abs()).collect();
        println!("{name}: {errors:.5?} at 162, 642 and 2562 vertices");
        assert!(errors.windows(2).all(|pair| pair[0] > 3.0 * pair[1]), "{name}: {errors:?}");
        assert!(errors[2] < 0.01, "{name}: {errors:?}");
    }
}

#[test]
fn a_circle_has_the_energy_of_a_circle() {
    let circle = |n: usize| Surface {
        dimension: 2,
        vertices: (0..n)
            .map(|k| 2.0 * PI * k as f64 / n as f64)
            .map(|angle| [3.0 * angle.cos(), 3.0 * angle.sin(), 0.0])
            .collect(),
        triangles: Vec::new(),
    };
    for n in [19, 100] {
        let surface = circle(n);
        let ring = energy(&surface, Bending::Ring { kappa: 1.0, rest: Rest::Flat });
        let exact = 2.0 * PI * PI / surface.area();
        println!("{n} vertices: {:.1e}", ring / exact - 1.0);
        assert!((ring / exact - 1.0).abs() < 1e-4, "{ring} {exact}");
        let relaxed = energy(&surface, Bending::Ring { kappa: 1.0, rest: Rest::Shape });
        assert!(relaxed < 1e-25, "{relaxed:e}");
    }
}
