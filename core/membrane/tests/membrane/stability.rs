//! The estimate of the largest stable step.

use std::f64::consts::PI;

use hematite_cells::{Mechanics, Surface};
use hematite_engine::Precision;
use hematite_membrane::largest_step;

use crate::lab::{Cell, Lab, representable, shared_device};
use crate::shapes::{icosphere, membranes, noise, ring};

/// Largest displacement of a vertex after explicit steps in which each vertex moves by force times `mobility`.
fn wander(surface: &Surface, mechanics: &Mechanics, mobility: f64) -> f64 {
    let mut lab = Lab::new(shared_device(), Precision::F64, surface, mechanics, 1, 0);
    let mut random = noise(8);
    let axes = surface.dimension;
    let mut x: Vec<[f64; 3]> = surface
        .vertices
        .iter()
        .map(|v| [0, 1, 2].map(|k| if k < axes { v[k] + 1e-4 * random() } else { 0.0 }))
        .collect();
    for step in 0..60 {
        lab.put(&[Cell::still(x.iter().map(|&v| representable(v)).collect(), 1.0)]);
        let answer = &lab.answer(step)[0];
        if answer.broken != u32::MAX {
            return f64::INFINITY;
        }
        for (x, f) in x.iter_mut().zip(&answer.force) {
            *x = [0, 1, 2].map(|k| x[k] + mobility * f[k]);
        }
    }
    let moved = x.iter().zip(&surface.vertices).flat_map(|(x, v)| (0..3).map(move |k| (x[k] - v[k]).abs()));
    moved.fold(0.0, f64::max)
}

#[test]
fn steps_below_the_estimate_are_stable_and_far_above_are_not() {
    for surface in [ring(19, 3.5), icosphere(1).scaled(2.2)] {
        for (name, mechanics) in membranes(surface.dimension) {
            if !["linear", "hardening", "ring, shape", "springs, 2", "Skalak", "Kantor-Nelson, shape"].contains(&name) {
                continue;
            }
            let nu = 1.0 / 6.0;
            let mobility = if surface.dimension == 2 { 1.0 / (4.0 * PI * nu) } else { 1.0 / (6.0 * PI * nu) };
            let largest = largest_step(surface.dimension, &surface, &mechanics, nu);
            let [below, above] = [1.0, 4.0].map(|times| wander(&surface, &mechanics, times * largest * mobility));
            println!("{}-D {name}: largest step {largest:.2}, moved {below:.1e} and {above:.1e}", surface.dimension);
            assert!(below < 1e-3, "{name}: {below:e}");
            assert!(above > 1e-2, "{name}: {above:e}");
        }
    }
}

#[test]
fn stiffer_membranes_and_thinner_fluids_want_smaller_steps() {
    let surface = icosphere(1).scaled(2.2);
    let (_, soft) = membranes(3).remove(1);
    let stiff = Mechanics { local_area: 1.0, ..soft.clone() };
    let largest = largest_step(3, &surface, &soft, 0.1);
    assert!(largest_step(3, &surface, &stiff, 0.1) < 0.1 * largest);
    assert!((largest_step(3, &surface, &soft, 0.2) / largest - 2.0).abs() < 1e-9);
    let viscous = Mechanics { viscosity: 0.5, ..soft };
    assert!(largest_step(3, &surface, &viscous, 0.1) < largest);
}
