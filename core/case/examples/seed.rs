//! Times the seeding of red cells in a winding vessel: `seed [DIMENSION LENGTH WIDTH SPACING_NM HEMATOCRIT]`.

use std::error::Error;
use std::path::Path;
use std::time::Instant;

use hematite_case::{Lattice, PopulationConfig, SeedingConfig, seed};
use hematite_geometry::{Domain, Report, Site};

/// A vessel along x, `width` sites wide in the mean, that winds and swells.
fn vessel(dimension: usize, length: usize, width: usize, spacing: f64) -> Domain {
    let (l, w) = (length as f64, width as f64);
    let across = (1.6 * w) as usize + 4;
    let extent = [length + 2, across, if dimension == 3 { across } else { 1 }];
    let mut sites = vec![Site::WALL; extent.iter().product()];
    for z in 0..extent[2] {
        for y in 0..across {
            for x in 1..=length {
                let phase = x as f64 / (4.0 * w).min(l) * std::f64::consts::TAU;
                let middle = 0.5 * across as f64 + 0.2 * w * phase.sin();
                let radius = 0.5 * w * (1.0 + 0.15 * (1.7 * phase).cos());
                let up = if dimension == 3 { z as f64 - 0.5 * across as f64 } else { 0.0 };
                if (y as f64 - middle).hypot(up) < radius {
                    sites[(z * across + y) * extent[0] + x] = Site::FLUID;
                }
            }
        }
    }
    Domain {
        dimension,
        extent,
        spacing,
        origin: [0.0; 3],
        periodic: [false; 3],
        sites,
        openings: Vec::new(),
        wall_parts: Vec::new(),
        surface: None,
        report: Report::default(),
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments = std::env::args().skip(1).map(|text| text.parse()).collect::<Result<Vec<f64>, _>>()?;
    let [dimension, length, width, spacing, hematocrit] =
        arguments.try_into().unwrap_or([2.0, 13_000.0, 1_000.0, 1_000.0, 0.45]);
    let lattice = Lattice::build(&vessel(dimension as usize, length as usize, width as usize, 1e-9 * spacing))?;
    println!("{} nodes", lattice.nodes());
    let population = serde_json::json!({"name": "red", "shape": {"kind": "red_cell"}, "hematocrit": hematocrit});
    let population: PopulationConfig = serde_json::from_value(population)?;
    let begun = Instant::now();
    let progress = |message: String| println!("{:8.2} s  {message}", begun.elapsed().as_secs_f64());
    let populations = seed(&lattice, Path::new("."), &[population], &SeedingConfig::default(), &progress)?;
    println!("{:.2} s\n{:#}", begun.elapsed().as_secs_f64(), populations[0].report);
    Ok(())
}
