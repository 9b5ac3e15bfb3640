//! Forces are the gradients of energies.

use hematite_cells::{InPlane, Mechanics, Surface};
use hematite_engine::Precision;
use hematite_membrane::Model;

use crate::lab::{Answer, Cell, answers, representable};
use crate::shapes::{icosphere, membranes, noise, perturbed, ring};

/// Sizes of cells over their full size.
const SCALES: [f64; 2] = [1.0, 0.75];

/// The force on vertex `v` by central differences of fourth order.
fn by_differences(model: &Model, x: &[[f64; 3]], scale: f64, v: usize, h: f64) -> [f64; 3] {
    let mut moved = x.to_vec();
    let mut energy = |axis: usize, by: f64| {
        moved[v] = x[v];
        moved[v][axis] += by;
        model.energy(&moved, scale).total()
    };
    [0, 1, 2].map(|axis| match axis < model.dimension() {
        true => {
            let near = energy(axis, h) - energy(axis, -h);
            let far = energy(axis, 2.0 * h) - energy(axis, -2.0 * h);
            -(8.0 * near - far) / (12.0 * h)
        }
        false => 0.0,
    })
}

/// The largest difference between `answers` and the gradients for `cells`, over the largest force.
fn deviation(model: &Model, cells: &[Cell], answers: &[Answer], every: usize) -> f64 {
    let mut worst: f64 = 0.0;
    let mut largest: f64 = 0.0;
    for (cell, answer) in cells.iter().zip(answers) {
        assert_eq!(answer.broken, u32::MAX);
        for v in (0..cell.x.len()).step_by(every) {
            let theirs = by_differences(model, &cell.x, cell.scale, v, 1e-3);
            for (ours, theirs) in answer.force[v].iter().zip(theirs) {
                worst = worst.max((ours - theirs).abs());
                largest = largest.max(theirs.abs());
            }
        }
        let shape = model.shape(&cell.x);
        for (ours, theirs) in answer.shape.iter().zip(shape) {
            assert!((ours / theirs - 1.0).abs() < 1e-12, "shape {ours} {theirs}");
        }
    }
    assert!(largest > 1e-5, "forces are too small to tell");
    worst / largest
}

fn check(surface: &Surface, name: &str, mechanics: &Mechanics, every: usize) {
    let model = Model::new(surface.dimension, surface, mechanics).expect("sound");
    let cells: Vec<Cell> =
        SCALES.iter().zip(1..).map(|(&s, seed)| Cell::still(perturbed(surface, s, 0.12, seed), s)).collect();
    let worst = deviation(&model, &cells, &answers(Precision::F64, surface, mechanics, &cells), every);
    println!("{}-D, {} vertices, {name}: {worst:.1e}", surface.dimension, surface.vertices.len());
    assert!(worst < 1e-6, "{name}: {worst:e}");
}

#[test]
fn forces_of_rings_are_gradients() {
    for (name, mechanics) in membranes(2) {
        check(&ring(19, 3.5), name, &mechanics, 1);
    }
    for (name, mechanics) in membranes(2).into_iter().filter(|(name, _)| *name == "all") {
        check(&ring(300, 55.0), name, &mechanics, 17);
    }
}

#[test]
fn forces_of_meshes_are_gradients() {
    for (name, mechanics) in membranes(3) {
        check(&icosphere(1).scaled(2.2), name, &mechanics, 1);
    }
    for (name, mechanics) in membranes(3).into_iter().filter(|(name, _)| name.contains("and")) {
        check(&icosphere(3).scaled(8.0), name, &mechanics, 29);
    }
}

/// Beyond the limits where tangents continue the laws: a ring with a hairpin, chains near their largest length.
#[test]
fn forces_of_folds_and_of_stretched_chains_are_gradients() {
    let surface = ring(19, 3.5);
    for (name, mechanics) in membranes(2).into_iter().filter(|(_, mechanics)| mechanics.bending.is_some()) {
        let mut x = perturbed(&surface, 1.0, 0.02, 1);
        let (before, tip, after) = (x[4], x[5], x[6]);
        let middle = [0, 1, 2].map(|k| 0.5 * (before[k] + after[k]));
        x[4] = [0, 1, 2].map(|k| middle[k] + 0.04 * (before[k] - after[k]));
        x[6] = [0, 1, 2].map(|k| middle[k] - 0.04 * (before[k] - after[k]));
        x[5] = [0, 1, 2].map(|k| middle[k] + 4.0 * (tip[k] - middle[k]));
        folded(&surface, name, &mechanics, x.into_iter().map(representable).collect());
    }
    let surface = icosphere(1).scaled(2.2);
    let chains = Some(InPlane::WlcPower { mu: 1e-5, x0: 1.0 / 2.2, power: 2.0 });
    let mechanics = Mechanics { in_plane: chains, ..Mechanics::default() };
    let longer = |[x, y, z]: [f64; 3]| representable([2.2 * x, 0.8 * y, 0.8 * z]);
    let x = perturbed(&surface, 1.0, 0.05, 2).into_iter().map(longer).collect();
    folded(&surface, "chains", &mechanics, x);
}

fn folded(surface: &Surface, name: &str, mechanics: &Mechanics, x: Vec<[f64; 3]>) {
    let model = Model::new(surface.dimension, surface, mechanics).expect("sound");
    let cells = [Cell::still(x, 1.0)];
    let worst = deviation(&model, &cells, &answers(Precision::F64, surface, mechanics, &cells), 1);
    println!("{name}, folded or stretched: {worst:.1e}");
    assert!(worst < 1e-5, "{name}: {worst:e}");
}

/// Dashpots have no energy, so the test computes the force itself.
#[test]
fn dashpots_answer_to_velocities() {
    for surface in [ring(19, 3.5), icosphere(1).scaled(2.2)] {
        let eta = 0.05;
        let mechanics = Mechanics { viscosity: eta, ..Mechanics::default() };
        let mut cell = Cell::still(perturbed(&surface, 1.0, 0.12, 5), 1.0);
        let mut random = noise(6);
        cell.u = cell.x.iter().map(|_| [random(), random(), random()].map(|u| 0.01 * u)).collect();
        let count = cell.x.len();
        let edges: Vec<(usize, usize)> = match surface.dimension {
            2 => (0..count).flat_map(|k| [(k, (k + 1) % count), ((k + 1) % count, k)]).collect(),
            _ => {
                let sides = |t: &[u32; 3]| [(t[0], t[1]), (t[1], t[2]), (t[2], t[0])];
                surface.triangles.iter().flat_map(sides).map(|(a, b)| (a as usize, b as usize)).collect()
            }
        };
        let mut theirs = vec![[0.0; 3]; count];
        for (i, j) in edges {
            let axes = 0..surface.dimension;
            let l = axes.clone().map(|k| (cell.x[j][k] - cell.x[i][k]).powi(2)).sum::<f64>().sqrt();
            let e = [0, 1, 2].map(|k| if k < surface.dimension { (cell.x[j][k] - cell.x[i][k]) / l } else { 0.0 });
            let approach: f64 = axes.map(|k| (cell.u[i][k] - cell.u[j][k]) * e[k]).sum();
            let gamma = if surface.dimension == 2 { eta / l } else { 4.0 / 3f64.sqrt() * eta };
            for k in 0..3 {
                theirs[i][k] -= gamma * approach * e[k];
            }
        }
        let ours = &answers(Precision::F64, &surface, &mechanics, std::slice::from_ref(&cell))[0].force;
        let largest = theirs.iter().flatten().fold(0.0f64, |m, f| m.max(f.abs()));
        let worst = ours.iter().flatten().zip(theirs.iter().flatten()).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        println!("{}-D dashpots: {:.1e}", surface.dimension, worst / largest);
        // Velocities are rounded to 2^-31.
        assert!(worst / largest < 1e-6, "{worst:e} of {largest:e}");
    }
}
