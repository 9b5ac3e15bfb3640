//! Momentum is conserved, and forces in f32 are near those in f64.

use hematite_engine::Precision;

use crate::lab::{Answer, Cell, answers};
use crate::shapes::{icosphere, membranes, noise, perturbed, ring, viscous};

fn moving(x: Vec<[f64; 3]>, scale: f64, seed: u64) -> Cell {
    let mut random = noise(seed);
    let u = x.iter().map(|_| [random(), random(), random()].map(|u| 0.01 * u)).collect();
    Cell { u, ..Cell::still(x, scale) }
}

/// Total force over the sum of the forces' magnitudes, and total torque over the sum of arms times forces.
fn imbalance(x: &[[f64; 3]], answer: &Answer) -> [f64; 2] {
    let size = |v: [f64; 3]| v.iter().map(|x| x * x).sum::<f64>().sqrt();
    let (mut force, mut torque) = ([0.0; 3], [0.0; 3]);
    let (mut forces, mut torques) = (0.0, 0.0);
    for (x, f) in x.iter().zip(&answer.force) {
        let arm = [0, 1, 2].map(|k| x[k] - 10.0);
        for k in 0..3 {
            let (a, b) = ((k + 1) % 3, (k + 2) % 3);
            force[k] += f[k];
            torque[k] += arm[a] * f[b] - arm[b] * f[a];
        }
        forces += size(*f);
        torques += size(arm) * size(*f);
    }
    [size(force) / forces, size(torque) / torques]
}

#[test]
fn force_and_torque_vanish() {
    for surface in [ring(19, 3.5), icosphere(1).scaled(2.2), icosphere(3).scaled(8.0)] {
        for (name, mechanics) in membranes(surface.dimension) {
            let cell = moving(perturbed(&surface, 0.9, 0.12, 3), 0.9, 4);
            let answer = &answers(Precision::F64, &surface, &viscous(&mechanics), std::slice::from_ref(&cell))[0];
            let [force, torque] = imbalance(&cell.x, answer);
            println!("{}-D {name}: force {force:.1e}, torque {torque:.1e}", surface.dimension);
            assert!(force < 1e-14 && torque < 1e-13, "{name}: force {force:e}, torque {torque:e}");
        }
    }
}

#[test]
fn single_precision_is_near_double() {
    let mut surfaces = vec![ring(19, 3.5), icosphere(3).scaled(8.0)];
    if std::env::var_os("HEMATITE_FULL").is_some() {
        surfaces.extend([ring(27, 5.0), icosphere(1).scaled(2.2)]);
    }
    for surface in surfaces {
        for (name, mechanics) in membranes(surface.dimension) {
            let cells: Vec<Cell> =
                (1..3).map(|seed| moving(perturbed(&surface, 0.9, 0.1, seed), 0.9, seed + 9)).collect();
            let [single, double] = [Precision::F32, Precision::F64]
                .map(|precision| answers(precision, &surface, &viscous(&mechanics), &cells));
            let forces = |answers: &[Answer]| {
                answers.iter().flat_map(|answer| answer.force.iter().flatten().copied()).collect::<Vec<f64>>()
            };
            let (single, double) = (forces(&single), forces(&double));
            let largest = double.iter().fold(0.0f64, |m, f| m.max(f.abs()));
            let worst = single.iter().zip(&double).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max) / largest;
            println!("{}-D {name}: {worst:.1e}", surface.dimension);
            assert!(worst < 1e-4, "{name}: {worst:e}");
        }
    }
}
