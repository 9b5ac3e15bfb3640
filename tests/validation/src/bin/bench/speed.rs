//! Million lattice-node updates a second on sparse domains: of about a million nodes on software devices, of 26 million, and
//! of a tenth of a million, on others.

use std::time::Instant;

use hematite_case::{Lattice, Part, Partition, VelocitySet};
use hematite_comm::Solo;
use hematite_config::Result;
use hematite_engine::Precision;
use hematite_geometry::{Domain, Site};
use hematite_gpu::{Gpu, GpuInfo, Needs};
use physics_lattice_boltzmann::equilibrium::State;
use physics_lattice_boltzmann::{Fluid, Parameters, Row, Walls};
use validation::Inside;

use crate::geometry::{bands, curved_pipe, helix, listed, tree};
use crate::{Figure, Target};

/// Seconds that one measurement lasts.
const LASTS: f64 = 1.5;

/// Measures those speeds whose names hold one of `only`, or all, and hands each over as it is found.
pub fn measure(device: &GpuInfo, repeats: u32, only: &[String], take: &mut impl FnMut(Vec<Figure>)) -> Result<()> {
    let chosen = |name: &str| only.is_empty() || only.iter().any(|part| name.contains(part.as_str()));
    let software = device.software;
    let least =
        |on_software: f64, on_hardware: f64| Some(Target::Least(if software { on_software } else { on_hardware }));
    let large = if software { 1.0 } else { 2.95 };
    let mut solid = |names: [&'static str; 2], domain: fn(f64) -> (Inside, Vec<bool>)| -> Result<()> {
        let half = if software { None } else { least(0.0, 37_000.0) };
        let wanted = [(Precision::F32, least(18.0, 23_000.0)), (Precision::F16, half)];
        let wanted: Vec<_> = names
            .into_iter()
            .zip(wanted)
            .filter(|(name, (precision, _))| chosen(name) && (*precision == Precision::F32 || device.f16))
            .collect();
        if wanted.is_empty() {
            return Ok(());
        }
        let (inside, fluid) = domain(large);
        let (set, part) = whole(&listed(inside, &fluid).1)?;
        for (name, (precision, target)) in wanted {
            take(vec![speed(name, set, part.clone(), precision, repeats, target)?]);
        }
        Ok(())
    };
    solid(["D3Q19 f32, helical pipe", "D3Q19 f16, helical pipe"], helix)?;
    if !software {
        solid(["D3Q19 f32, curved pipe", "D3Q19 f16, curved pipe"], curved_pipe)?;
        solid(["D3Q19 f32, tree of pipes", "D3Q19 f16, tree of pipes"], tree)?;
        let name = "D3Q19 f32, a tenth of a million nodes";
        if chosen(name) {
            let (inside, fluid) = helix(0.466);
            let (set, part) = whole(&listed(inside, &fluid).1)?;
            take(vec![speed(name, set, part, Precision::F32, repeats, Some(Target::Least(10_000.0)))?]);
        }
    }
    let name = "D2Q9 f32, winding bands";
    if chosen(name) {
        let (inside, fluid) = bands(if software { 1500 } else { 7600 });
        let site = |[x, y, _]: [f64; 3]| if fluid(x as usize, y as usize) { Site::FLUID } else { Site::WALL };
        let (set, part) = whole(&validation::domain(inside, &[], site))?;
        take(vec![speed(name, set, part, Precision::F32, repeats, least(40.0, 45_000.0))?]);
    }
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
    // A card that has just woken up is slow for a second or two.
    seconds(steps)?;
    let mut rates = Vec::new();
    for _ in 0..repeats {
        rates.push(part.own as f64 * steps as f64 / seconds(steps)? / 1e6);
    }
    rates.sort_by(f64::total_cmp);
    let spread = [rates[0], rates[rates.len() - 1]];
    Ok(Figure { what, unit: "MLUPS", value: rates[rates.len() / 2], spread: Some(spread), target })
}
