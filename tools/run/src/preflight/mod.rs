//! What `run --check` tells in numbers: how the run will go, what it takes, how long it lasts. One table, for people or programs.

mod disk;
mod table;
mod timing;

use hematite_comm::Comm;
use hematite_config::{Result, print_line};
use hematite_engine::{End, Figure};
use hematite_gpu::Gpu;
use hematite_units::number::short;

use crate::cli::{Check, Cli};
use crate::room;
use crate::setup::Setup;

/// Finds the numbers and prints them; `gpu` is this rank's device, if there is one. Collective.
///
/// # Errors
/// When a rank is lost, or stdout.
pub fn tell(cli: &Cli, comm: &dyn Comm, setup: &mut Setup, gpu: Option<&Gpu>) -> Result<()> {
    if cli.quiet && !cli.json {
        return Ok(());
    }
    let mut figures: Vec<Figure> = setup.planned.iter().flat_map(|physics| physics.figures()).collect();
    let last = setup.end.expected(&setup.clock, 0, 1);
    let seconds = match setup.end {
        End::Time(time) => time,
        End::Step(_) => setup.clock.at(last),
    };
    figures.push(Figure::new("physical time", seconds, "s"));
    let about = if setup.longest.is_some() { "as long as steps keep their length" } else { "" };
    figures.push(Figure::new("time steps", last as f64, "").noted(about));
    if let Some(gpu) = gpu {
        figures.push(memory(comm, setup, gpu)?);
    }
    figures.extend(disk::figures(setup, last));
    if let (Some(gpu), Some(Check::Full)) = (gpu, cli.check) {
        figures.push(timing::expected(comm, setup, gpu, last)?);
    }
    if comm.rank() > 0 {
        return Ok(());
    }
    let text = if cli.json { table::json(&figures)? } else { table::text(&figures) };
    print_line(&text)
}

/// What a device has to hold at least, against what it has.
fn memory(comm: &dyn Comm, setup: &Setup, gpu: &Gpu) -> Result<Figure> {
    let info = gpu.info();
    let (sharing, bytes) = room::needed(setup, comm, info)?;
    let has = info.memory.map_or("is not known".to_owned(), |has| {
        format!("is {}, of which that is {} %", room::size(has), short(100.0 * bytes as f64 / has as f64))
    });
    let ranks = if sharing > 1 { format!(" of {sharing} ranks") } else { String::new() };
    let note = format!("for the fluid{ranks} at least; that of {} {has}", info.name);
    Ok(Figure::new("memory on the device", bytes as f64, "B").noted(note))
}
