//! Million lattice-node updates a second, on about a million nodes of a sparse domain.

use std::time::Instant;

use hematite_case::{Lattice, Part, Partition};
use hematite_comm::Solo;
use hematite_config::Result;
use hematite_geometry::{Domain, Site};
use hematite_gpu::{Gpu, GpuInfo, Needs};
use hematite_solver::Precision;
use hematite_solver::lattice_boltzmann::equilibrium::State;
use hematite_solver::lattice_boltzmann::{Fluid, Parameters, Row, Walls};

use crate::geometry::{bands, helix, listed};
use crate::{Figure, Target};

/// Seconds that one measurement lasts.
const LASTS: f64 = 1.5;

/// Measures the speeds and hands each over as it is found.
pub fn measure(device: &GpuInfo, repeats: u32, take: &mut impl FnMut(Vec<Figure>)) -> Result<()> {
    let (inside, fluid) = helix(1.0);
    let (_, pipe) = listed(inside, &fluid);
    take(vec![speed("D3Q19 f32, helical pipe", &pipe, Precision::F32, repeats, Some(Target::Least(18.0)))?]);
    if device.f16 {
        take(vec![speed("D3Q19 f16, helical pipe", &pipe, Precision::F16, repeats, None)?]);
    }
    drop(pipe);
    let (inside, fluid) = bands(1500);
    let made =
        validation::domain(
            inside,
            &[],
            |at| {
                if fluid(at[0] as usize, at[1] as usize) { Site::FLUID } else { Site::WALL }
            },
        );
    take(vec![speed("D2Q9 f32, winding bands", &made, Precision::F32, repeats, Some(Target::Least(40.0)))?]);
    Ok(())
}

fn speed(
    what: &'static str,
    domain: &Domain,
    precision: Precision,
    repeats: u32,
    target: Option<Target>,
) -> Result<Figure> {
    let gpu = Gpu::open(0, Needs { f16: precision == Precision::F16, ..Needs::default() })?;
    let lattice = Lattice::build(domain)?;
    let mut part = Part::of(&lattice, &Partition::make(&lattice, 1)?, 0)?;
    let parameters = Parameters {
        set: lattice.set,
        precision,
        omega_plus: 1.0 / 0.8,
        omega_minus: 1.0 / 1.125,
        force: true,
        immersed: None,
        walls: Walls::HalfWay,
        openings: Vec::new(),
    };
    drop(lattice);
    let mut fluid = Fluid::new(&gpu, &mut part, &parameters)?;
    fluid.initialise(|_| State::default())?;
    let row = |_| Row { force: [1e-6, 0.0, 0.0], openings: Vec::new() };
    let mut seconds = |steps: u64| -> Result<f64> {
        let start = Instant::now();
        fluid.advance(&Solo, steps, row)?;
        Ok(start.elapsed().as_secs_f64())
    };
    seconds(4)?;
    let steps = ((LASTS / (seconds(8)? / 8.0)) as u64).clamp(8, 20_000) / 2 * 2;
    let mut rates = Vec::new();
    for _ in 0..repeats {
        rates.push(part.own as f64 * steps as f64 / seconds(steps)? / 1e6);
    }
    rates.sort_by(f64::total_cmp);
    let spread = [rates[0], rates[rates.len() - 1]];
    Ok(Figure { what, unit: "MLUPS", value: rates[rates.len() / 2], spread: Some(spread), target })
}
