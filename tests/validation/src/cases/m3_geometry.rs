//! M3: geometry and bending energy of red cells and spheres on meshes of 642, 2562 and 10242 vertices.

use std::f64::consts::PI;
use std::path::Path;

use hematite_cells::{Bending, Mechanics, Rest, ShapeConfig, Surface};
use hematite_config::Result;
use hematite_membrane::Model;
use hematite_units::quantity::Length;

use crate::order::order;
use crate::{Context, Table};

const VERTICES: [usize; 3] = [642, 2562, 10242];
/// Radius of the red cell in micrometres.
const RADIUS: f64 = 3.91;
/// Of Evans and Fung's discocyte of that radius, by quadrature: area, volume, bending energy over kappa.
const DISCOCYTE: [f64; 3] = [134.090, 94.091, 48.4745];
/// Its thickness in the middle.
const THICKNESS: f64 = 0.8100;

/// Runs the case.
///
/// # Errors
/// None that a sound build gives.
pub fn run(_: &Context) -> Result<Table> {
    let mut table = Table::new("M3");
    let radius = Length(RADIUS * 1e-6);
    let red_cell = |vertices| ShapeConfig::RedCell { diameter: Length(2e-6 * RADIUS), vertices: Some(vertices) };
    let sphere = |vertices| ShapeConfig::Sphere { radius, vertices: Some(vertices) };
    let of_sphere = [4.0 * PI * RADIUS.powi(2), 4.0 / 3.0 * PI * RADIUS.powi(3), 8.0 * PI];
    let shapes: [(&str, &dyn Fn(usize) -> ShapeConfig, _); 2] =
        [("red cell", &red_cell, DISCOCYTE), ("sphere", &sphere, of_sphere)];
    for (name, shape, exact) in shapes {
        let mut errors = [Vec::new(), Vec::new(), Vec::new()];
        for vertices in VERTICES {
            let surface = shape(vertices).surface(Path::new(""), 3, 1e-6)?.scaled(1e6);
            let energy = |bending| bending_energy(&surface, bending);
            let ours = [surface.area(), surface.volume(), energy(Bending::GompperKroll { kappa: 1.0 })?];
            let what = ["area, um2", "volume, um3", "bending energy / kappa, Gompper-Kroll"];
            for (k, tolerance) in [(0, 1e-2), (1, 2e-2), (2, 4e-2)] {
                // Meshes have their corners on the surface and lie within it; each finer one may be off a fourth as much.
                let tolerance = tolerance * 642.0 / vertices as f64;
                let quantity = format!("{name}, {vertices} vertices: {}", what[k]);
                table.relative(quantity, exact[k], ours[k], tolerance);
                errors[k].push(((vertices as f64).sqrt(), ours[k] - exact[k]));
            }
            let springs = energy(Bending::KantorNelson { kappa: 1.0, rest: Rest::Flat })?;
            // Kantor and Nelson's energy of equilateral triangles has a Gaussian modulus of -4/3 kappa.
            let quantity = format!("{name}, {vertices} vertices: bending energy / kappa, Kantor-Nelson, + 16 pi / 3");
            table.note(quantity, exact[2], springs + 16.0 * PI / 3.0);
        }
        for (errors, what) in errors.iter().zip(["area", "volume", "bending energy, Gompper-Kroll"]) {
            table.absolute(format!("{name}: order of the {what} in 1 / edge"), 2.0, order(errors), 0.3);
        }
    }
    let surface = red_cell(10242).surface(Path::new(""), 3, 1e-6)?.scaled(1e6);
    let middle = surface.vertices.iter().min_by(|a, b| a[0].hypot(a[1]).total_cmp(&b[0].hypot(b[1])));
    table.relative("red cell: thickness in the middle, um", THICKNESS, 2.0 * middle.map_or(0.0, |v| v[2].abs()), 1e-3);
    let reduced = surface.volume() / (4.0 / 3.0 * PI * (surface.area() / (4.0 * PI)).powf(1.5));
    table.relative("red cell: reduced volume", 0.64444, reduced, 1e-3);
    let section =
        ShapeConfig::RedCell { diameter: Length(2.0), vertices: Some(1000) }.surface(Path::new(""), 2, 1e-6)?;
    let reduced = 4.0 * PI * section.volume() / section.area().powi(2);
    table.relative("red cell's section: reduced area", 0.4611, reduced, 1e-3);
    Ok(table)
}

fn bending_energy(surface: &Surface, bending: Bending) -> Result<f64> {
    let mechanics = Mechanics { bending: Some(bending), volume_share: 1.0, contrast: 1.0, ..Mechanics::default() };
    Ok(Model::new(3, surface, &mechanics)?.energy(&surface.vertices, 1.0).bending)
}
