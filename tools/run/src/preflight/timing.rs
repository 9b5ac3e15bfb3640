//! How long a run will take, from a few of its first time steps.

use std::time::Instant;

use hematite_comm::Comm;
use hematite_config::{Exit, Result};
use hematite_engine::Figure;
use hematite_gpu::Gpu;

use crate::setup::Setup;
use crate::system::System;

/// Steps before the first measurement: kernels are compiled meanwhile.
const WARM_UP: u64 = 2;
/// Seconds that are measured, about.
const LENGTH: f64 = 0.5;
/// The most steps that are measured.
const MOST: u64 = 512;

/// The time that `last` steps will take here, without what is written. Collective.
///
/// # Errors
/// When the device lacks room or is lost, or a rank is.
pub fn expected(comm: &dyn Comm, setup: &mut Setup, gpu: &Gpu, last: u64) -> Result<Figure> {
    let name = "expected time";
    match measured(comm, setup, gpu) {
        Ok((steps, seconds)) => {
            let nodes = setup.ground.header.nodes as f64;
            let note = format!(
                "without what is written, by {steps} steps of {:.3e} s, {:.3} MLUPS",
                seconds,
                1e-6 * nodes / seconds
            );
            Ok(Figure::new(name, last as f64 * seconds, "s").noted(note))
        }
        // That the flow breaks at once is worth knowing, and no reason to tell nothing else.
        Err(fault) if fault.exit == Exit::Numerical => Ok(Figure {
            name,
            note: "not known".to_owned(),
            advice: Some(format!("the first steps fail: {}", fault.message)),
            ..Figure::default()
        }),
        Err(fault) => Err(fault),
    }
}

/// Steps, and the seconds of one.
fn measured(comm: &dyn Comm, setup: &mut Setup, gpu: &Gpu) -> Result<(u64, f64)> {
    let mut system = System::build(gpu, comm, setup, None)?;
    let longest = setup.longest;
    let mut advance = |steps: u64| -> Result<f64> {
        let (start, end) = (Instant::now(), system.step() + steps);
        while system.step() < end {
            let holds = system.renew(comm, longest)?;
            system.advance(comm, holds.min(end - system.step()))?;
        }
        system.finish(comm)?;
        let mut slowest = [start.elapsed().as_secs_f64()];
        comm.max(&mut slowest)?;
        Ok(slowest[0])
    };
    advance(WARM_UP)?;
    let (mut steps, mut taken) = (WARM_UP, advance(WARM_UP)?);
    while taken < LENGTH && steps < MOST {
        steps = (steps * 4).min(MOST);
        taken = advance(steps)?;
    }
    Ok((steps, taken / steps as f64))
}
