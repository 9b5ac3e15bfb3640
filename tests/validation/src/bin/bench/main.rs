//! `bench`: how fast the first GPU runs the fluid, and what memory and time a case takes, beside the targets.

mod bodies;
mod cells;
mod geometry;
mod kernels;
mod memory;
mod partition;
mod speed;
mod tool;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use hematite_config::{Exit, Fault, Result, guarded};
use serde_json::{Value, json};

/// Speed on this machine's first GPU, memory a fluid node, and the time that dividing a large case takes.
#[derive(Parser)]
#[command(
    name = "bench",
    after_help = "HEMATITE_GPUS=1 in the environment measures another GPU than the first (see run --list-gpus)."
)]
struct Arguments {
    /// Also divide a 2-D case of 13 million nodes into 64 parts.
    #[arg(long)]
    large: bool,
    /// Also measure blood: seeding takes a minute or two.
    #[arg(long)]
    cells: bool,
    /// Also measure rigid bodies.
    #[arg(long)]
    bodies: bool,
    /// Instead of all else, measure rigid bodies alone.
    #[arg(long)]
    only_bodies: bool,
    /// Instead, time prototypes of the fluid's step on about so many million nodes.
    #[arg(long, value_name = "MILLIONS")]
    kernels: Option<f64>,
    /// Domains of prototypes.
    #[arg(
        long,
        value_name = "DOMAIN",
        requires = "kernels",
        value_delimiter = ',',
        default_value = "curved,helix,tree,bands"
    )]
    shapes: Vec<kernels::Shape>,
    /// Only those prototypes, or those speeds of the fluid and none of its memory, whose names hold one of these; several after
    /// each other with semicolons between.
    #[arg(long, value_name = "TEXT", value_delimiter = ';', conflicts_with = "only_bodies")]
    only: Vec<String>,
    /// Measurements of each speed.
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u32).range(3..=100))]
    repeats: u32,
    /// Write the figures here, too.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

/// One figure and what it should reach.
pub struct Figure {
    what: &'static str,
    unit: &'static str,
    value: f64,
    /// Smallest and largest of the repeats.
    spread: Option<[f64; 2]>,
    target: Option<Target>,
}

/// Where a figure should lie.
#[derive(Clone, Copy)]
pub enum Target {
    /// At least this.
    Least(f64),
    /// At most this.
    Most(f64),
}

impl Figure {
    fn met(&self) -> Option<bool> {
        self.target.map(|target| match target {
            Target::Least(least) => self.value >= least,
            Target::Most(most) => self.value <= most,
        })
    }

    fn line(&self) -> String {
        let target = match self.target {
            None => "-".to_owned(),
            Some(Target::Least(least)) => format!(">= {least}"),
            Some(Target::Most(most)) => format!("<= {most}"),
        };
        let spread = self.spread.map_or(String::new(), |[least, most]| format!("{least:.2} .. {most:.2}"));
        let met = self.met().map_or("", |met| if met { "met" } else { "missed" });
        let Self { what, value, unit, .. } = self;
        format!("{what:<48} | {value:>10.3} {unit:<12} | {spread:<18} | {target:>9} | {met}")
    }

    fn json(&self) -> Value {
        let target = self.target.map(|target| match target {
            Target::Least(limit) | Target::Most(limit) => limit,
        });
        json!({
            "what": self.what, "unit": self.unit, "value": self.value, "spread": self.spread, "target": target, "met": self.met(),
        })
    }
}

fn main() -> ExitCode {
    guarded("bench", || call(&Arguments::parse()).map(|()| Exit::Done))
}

fn call(arguments: &Arguments) -> Result<()> {
    let device = hematite_gpu::list()?.into_iter().next().ok_or_else(hematite_gpu::none_found)?;
    println!("device: {} ({}, {})", device.name, device.kind, device.driver);
    if let Some(millions) = arguments.kernels {
        return kernels::measure(millions, &arguments.shapes, &arguments.only);
    }
    println!("{:<48} | {:>23} | {:<18} | {:>9} |", "figure", "median", "min .. max", "target");
    println!("{}", "-".repeat(117));
    let mut figures: Vec<Figure> = Vec::new();
    let mut take = |found: Vec<Figure>| {
        found.iter().for_each(|figure| println!("{}", figure.line()));
        figures.extend(found);
    };
    let software = device.software;
    if !arguments.only_bodies {
        speed::measure(&device, arguments.repeats, &arguments.only, &mut take)?;
        if arguments.only.is_empty() {
            take(memory::measure()?);
        }
    }
    if arguments.cells {
        take(cells::measure(software)?);
    }
    if arguments.bodies || arguments.only_bodies {
        take(bodies::measure(software, arguments.repeats)?);
    }
    if arguments.large {
        take(partition::measure()?);
    }
    if let Some(file) = &arguments.json {
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        let report = json!({
            "device": { "name": device.name, "kind": device.kind, "driver": device.driver },
            "threads": threads,
            "figures": figures.iter().map(Figure::json).collect::<Vec<_>>(),
        });
        let write = |temporary: &std::path::Path| {
            std::fs::write(temporary, format!("{report:#}\n")).map_err(|error| Fault::io(error.to_string()))
        };
        hematite_config::publish(file, write)?;
    }
    Ok(())
}
