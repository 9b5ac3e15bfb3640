//! M11: moduli of membranes from their energies, and forces on the device against differences of energies.

use std::f64::consts::PI;
use std::path::Path;

use hematite_cells::{Bending, InPlane, Mechanics, Preset, Rest, ShapeConfig, Surface};
use hematite_config::Result;
use hematite_engine::Precision;
use hematite_membrane::Model;
use hematite_units::LatticeUnits;
use hematite_units::quantity::Length;

use crate::cells::{Basin, Bath, Cell, Content, placed};
use crate::{Context, FluidNumbers, Table};

/// Triangles along each side of the flat patch.
const SIDE: i32 = 12;

/// Runs the case.
///
/// # Errors
/// When the device is lost.
pub fn run(context: &Context) -> Result<Table> {
    let mut table = Table::new("M11");
    let mu = 5.0;
    let springs = |power| InPlane::WlcPower { mu, x0: 1.0 / 2.2, power };
    // Shear and area modulus of the flat sheet at small strain. Springs that are each at rest have K = 2 mu.
    let laws = [
        ("worm-like chains, m = 2", springs(2.0), mu, 2.0 * mu),
        ("worm-like chains, m = 1", springs(1.0), mu, 2.0 * mu),
        ("Skalak, C = 1", InPlane::Skalak { g: mu, c: 1.0 }, mu, 3.0 * mu),
        ("Skalak, C = 10", InPlane::Skalak { g: mu, c: 10.0 }, mu, 21.0 * mu),
        ("neo-Hookean", InPlane::NeoHookean { g: mu }, mu, 3.0 * mu),
    ];
    let flat = patch();
    for (name, law, shear, dilation) in laws {
        let energy = |stretch: [f64; 2]| sheet_energy(&flat, law, stretch);
        let h: f64 = 1e-3;
        let second = |a: [f64; 2], b: [f64; 2]| -> Result<f64> {
            Ok((energy(a)? - 2.0 * energy([1.0; 2])? + energy(b)?) / (h * h))
        };
        // With logarithmic strains, W = 2 mu e^2 under pure shear (e, -e), 2 K e^2 under dilation (e, e).
        let ours = second([h.exp(), (-h).exp()], [(-h).exp(), h.exp()])? / 4.0;
        table.relative(format!("flat sheet, {name}: shear modulus"), shear, ours, 1e-4);
        let ours = second([h.exp(); 2], [(-h).exp(); 2])? / 4.0;
        table.relative(format!("flat sheet, {name}: area modulus"), dilation, ours, 1e-4);
    }
    for [l1, l2] in [[1.3, 0.9], [0.8, 1.1], [1.6, 1.2]] {
        let j: f64 = l1 * l2;
        let neo_hookean = mu / j * (l1 * l1 - 1.0 / (j * j));
        let skalak = |c: f64| mu * (l1 / l2) * ((l1 * l1 - 1.0) + c * l2 * l2 * (j * j - 1.0));
        let laws = [
            ("neo-Hookean", InPlane::NeoHookean { g: mu }, neo_hookean),
            ("Skalak, C = 1", InPlane::Skalak { g: mu, c: 1.0 }, skalak(1.0)),
        ];
        for (name, law, exact) in laws {
            let h = 1e-4;
            let [up, down] = [l1 + h, l1 - h].map(|l| sheet_energy(&flat, law, [l, l2]));
            let ours = (up? - down?) / (2.0 * h) / l2;
            table.relative(format!("flat sheet, {name}: tension at stretches {l1}, {l2}"), exact, ours, 1e-6);
        }
    }
    let ring = ShapeConfig::Disc { radius: Length(7.0), vertices: Some(200) }.surface(Path::new(""), 2, 1e-6)?;
    let bending = Some(Bending::Ring { kappa: 3.0, rest: Rest::Flat });
    let model = Model::new(2, &ring, &Mechanics { bending, ..bare() })?;
    let ours = model.energy(&ring.vertices, 1.0).bending;
    table.relative("circle of 200 vertices: bending energy, pi kappa / R", PI * 3.0 / 7.0, ours, 1e-3);
    table.below("red cell in 3-D, f64: largest force + dE/dr over the largest force", worst_force(context, 3)?, 1e-6);
    table.below("red cell in 2-D, f64: largest force + dE/dr over the largest force", worst_force(context, 2)?, 1e-6);
    Ok(table)
}

fn bare() -> Mechanics {
    Mechanics { volume_share: 1.0, contrast: 1.0, ..Mechanics::default() }
}

/// Energy an area at rest of the flat sheet that is stretched along x and y.
fn sheet_energy(flat: &Surface, law: InPlane, [l1, l2]: [f64; 2]) -> Result<f64> {
    let model = Model::new(3, flat, &Mechanics { in_plane: Some(law), ..bare() })?;
    let stretched: Vec<[f64; 3]> = flat.vertices.iter().map(|v| [l1 * v[0], l2 * v[1], v[2]]).collect();
    Ok(model.energy(&stretched, 1.0).in_plane / flat.area())
}

/// Two hexagons of equilateral triangles that share their rim: a closed surface of bonds as in a sheet without end, one
/// and a half for each triangle and as many along each of the three directions. They are a hair apart, so that the
/// surface encloses a volume.
fn patch() -> Surface {
    let at = |a: i32, b: i32| [f64::from(a) + 0.5 * f64::from(b), 0.75_f64.sqrt() * f64::from(b)];
    let distance = |a: i32, b: i32| a.abs().max(b.abs()).max((a + b).abs());
    let mut numbers = std::collections::HashMap::new();
    let mut vertices = Vec::new();
    let mut number = |a: i32, b: i32, up: bool| {
        let rim = distance(a, b) == SIDE;
        *numbers.entry((a, b, up || rim)).or_insert_with(|| {
            let [x, y] = at(a, b);
            let z = if rim { 0.0 } else { 1e-9 };
            vertices.push([x, y, if up { z } else { -z }]);
            vertices.len() as u32 - 1
        })
    };
    let mut triangles = Vec::new();
    for a in -SIDE..=SIDE {
        for b in -SIDE..=SIDE {
            let cells = [[(a, b), (a + 1, b), (a, b + 1)], [(a + 1, b), (a + 1, b + 1), (a, b + 1)]];
            for corners in cells.iter().filter(|corners| corners.iter().all(|&(a, b)| distance(a, b) <= SIDE)) {
                let [p, q, r] = corners.map(|(a, b)| number(a, b, true));
                triangles.push([p, q, r]);
                let [p, q, r] = corners.map(|(a, b)| number(a, b, false));
                triangles.push([p, r, q]);
            }
        }
    }
    Surface { dimension: 3, vertices, triangles }
}

/// Largest deviation of the device's forces from the slope of the energy, over the largest force, for a red cell that is
/// sheared.
fn worst_force(context: &Context, dimension: usize) -> Result<f64> {
    let units = LatticeUnits { dx: 0.5e-6, dt: 0.1e-6, rho0: 1025.0 };
    let shape =
        ShapeConfig::RedCell { diameter: Length(7.82e-6), vertices: Some(if dimension == 2 { 60 } else { 642 }) };
    let surface = shape.surface(Path::new(""), dimension, 1e-6)?.scaled(1.0 / units.dx);
    let mechanics = Preset::RedCell.mechanics(dimension).in_lattice(&units);
    let basin = Basin::periodic(if dimension == 2 { [32, 24, 1] } else { [28, 28, 16] });
    let mut at = placed(&surface, basin.middle(), 0.3);
    for x in &mut at {
        x[0] += 0.05 * x[1];
    }
    let content =
        Content { kinds: vec![(surface.clone(), mechanics.clone())], cells: vec![(0, at)], ..Content::default() };
    let numbers = FluidNumbers { precision: Precision::F64, ..FluidNumbers::trt(1.0) };
    let bath = Bath::new(context, &basin, &numbers, content, [0.0; 3])?;
    let Cell { mut at, force } = bath.cells()?.swap_remove(0);
    let model = Model::new(dimension, &surface, &mechanics)?;
    let h = 1e-5;
    let (mut worst, mut largest) = (0.0_f64, 0.0_f64);
    for v in (0..at.len()).step_by(if dimension == 2 { 1 } else { 5 }) {
        for a in 0..dimension {
            let still = at[v][a];
            let mut energy = |x: f64| {
                at[v][a] = x;
                model.energy(&at, 1.0).total()
            };
            let slope = (energy(still + h) - energy(still - h)) / (2.0 * h);
            energy(still);
            worst = worst.max((force[v][a] + slope).abs());
            largest = largest.max(force[v][a].abs());
        }
    }
    Ok(worst / largest)
}
