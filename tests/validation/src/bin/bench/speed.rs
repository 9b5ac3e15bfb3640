//! Million lattice-node updates a second on sparse domains: of about a million nodes on software devices, of 26 million, and
//! of a tenth of a million, on others.

use std::time::Instant;

use hematite_case::{Lattice, Part, Partition, VelocitySet};
use hematite_comm::Solo;
use hematite_config::Result;
use hematite_geometry::{Domain, Site};
use hematite_gpu::{Gpu, GpuInfo, Needs};
use hematite_solver::Precision;
use hematite_solver::lattice_boltzmann::equilibrium::State;
use hematite_solver::lattice_boltzmann::{Fluid, Parameters, Row, Walls};

use crate::geometry::{bands, curved_pipe, helix, listed, tree};
use crate::{Figure, Target};
use validation::Inside;

/// Seconds that one measurement lasts.
const LASTS: f64 = 1.5;

/// Measures the speeds and hands each over as it is found.
pub fn measure(device: &GpuInfo, repeats: u32, take: &mut impl FnMut(Vec<Figure>)) -> Result<()> {
    let software = device.software;
    let least =
        |on_software: f64, on_hardware: f64| Some(Target::Least(if software { on_software } else { on_hardware }));
    let large = if software { 1.0 } else { 2.95 };
    let mut solid = |name: &[&'static str; 2], (inside, fluid): (Inside, Vec<bool>)| -> Result<()> {
        let (set, part) = whole(&listed(inside, &fluid).1)?;
        take(vec![speed(name[0], set, part.clone(), Precision::F32, repeats, least(18.0, 23_000.0))?]);
        if device.f16 {
            let target = if software { None } else { least(0.0, 37_000.0) };
            take(vec![speed(name[1], set, part, Precision::F16, repeats, target)?]);
        }
        Ok(())
    };
    solid(&["D3Q19 f32, helical pipe", "D3Q19 f16, helical pipe"], helix(large))?;
    if !software {
        solid(&["D3Q19 f32, curved pipe", "D3Q19 f16, curved pipe"], curved_pipe(large))?;
        solid(&["D3Q19 f32, tree of pipes", "D3Q19 f16, tree of pipes"], tree(large))?;
        let (inside, fluid) = helix(0.466);
        let (set, part) = whole(&listed(inside, &fluid).1)?;
        let target = Some(Target::Least(10_000.0));
        take(vec![speed("D3Q19 f32, a tenth of a million nodes", set, part, Precision::F32, repeats, target)?]);
    }
    let (inside, fluid) = bands(if software { 1500 } else { 7600 });
    let made =
        validation::domain(
            inside,
            &[],
            |at| {
                if fluid(at[0] as usize, at[1] as usize) { Site::FLUID } else { Site::WALL }
            },
        );
    let (set, part) = whole(&made)?;
    take(vec![speed("D2Q9 f32, winding bands", set, part, Precision::F32, repeats, least(40.0, 45_000.0))?]);
    Ok(())
}

/// A domain as one part.
fn whole(domain: &Domain) -> Result<(VelocitySet, Part)> {
    let lattice = Lattice::build(domain)?;
    Ok((lattice.set, Part::of(&lattice, &Partition::make(&lattice, 1)?, 0)?))
}

fn speed(
    what: &'static str,
    set: VelocitySet,
    mut part: Part,
    precision: Precision,
    repeats: u32,
    target: Option<Target>,
) -> Result<Figure> {
    let gpu = Gpu::open(0, Needs { f16: precision == Precision::F16, ..Needs::default() })?;
    let parameters = Parameters {
        set,
        precision,
        omega_plus: 1.0 / 0.8,
        omega_minus: 1.0 / 1.125,
        force: true,
        immersed: None,
        walls: Walls::HalfWay,
        openings: Vec::new(),
    };
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
