//! Draws the shipped geometries.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, ValueEnum};
use hematite_config::{Exit, Fault, Result, guarded};
use hematite_geometry::models::{Model, aneurysm, bifurcation, channel, porous};
use hematite_geometry::volcano::volcano;
use hematite_geometry::{write_ascii_grid, write_meta_image, write_png};

#[derive(Clone, Copy, ValueEnum)]
enum Shape {
    /// A vessel with a round sac on its upper side.
    Aneurysm,
    /// A straight channel that fills the picture (always a picture).
    Channel,
    /// A vessel that splits into two.
    Bifurcation,
    /// A periodic block of overlapping spheres (always voxels).
    Porous,
    /// A volcano on a plain (always terrain, to an .asc).
    Volcano,
}

/// Draws a shipped geometry: white is fluid in a .png, 1 is fluid in a .mha, heights in an .asc are metres.
#[derive(Parser)]
struct Arguments {
    /// What to draw.
    shape: Shape,
    /// Width of the vessel in pixels; edge of the porous block in voxels, of the volcano's land in cells.
    #[arg(long, default_value_t = 64, value_parser = clap::value_parser!(u32).range(4..=2048))]
    size: u32,
    /// Aneurysm and channel: length of the vessel in pixels; four widths by default.
    #[arg(long, value_parser = clap::value_parser!(u32).range(16..=65_536))]
    length: Option<u32>,
    /// Draw in 3-D, to a .mha.
    #[arg(long)]
    voxels: bool,
    /// Porous: radius of the grains in voxels; a tenth of the size by default.
    #[arg(long)]
    radius: Option<f64>,
    /// Porous: share of fluid.
    #[arg(long, default_value_t = 0.5)]
    porosity: f64,
    /// Porous: seed of the grains' places. Volcano: that of its noise.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// The file to write.
    #[arg(short, long)]
    output: PathBuf,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    guarded("draw", || draw(&arguments))
}

fn draw(arguments: &Arguments) -> Result<Exit> {
    let size = arguments.size as usize;
    let model: Model = match arguments.shape {
        Shape::Aneurysm => {
            let length = arguments.length.map_or(4 * size, |length| length as usize);
            if length < 2 * size {
                return Err(Fault::usage(format!("--length {length} is below {}, the width of the sac", 2 * size)));
            }
            aneurysm(size, length, arguments.voxels)
        }
        Shape::Channel => channel(size, arguments.length.map_or(4 * size, |length| length as usize)),
        Shape::Bifurcation => bifurcation(size, arguments.voxels),
        Shape::Porous => {
            let radius = arguments.radius.unwrap_or(size as f64 / 10.0);
            if !(radius >= 1.0 && radius < size as f64 / 2.0) {
                return Err(Fault::usage(format!("--radius {radius} is outside 1 to {} (half the size)", size / 2)));
            }
            if !(0.01..1.0).contains(&arguments.porosity) {
                return Err(Fault::usage(format!("--porosity {} is outside 0.01 to 1", arguments.porosity)));
            }
            porous(size, radius, arguments.porosity, arguments.seed)
        }
        Shape::Volcano => {
            write_ascii_grid(&arguments.output, &volcano(size, arguments.seed))?;
            return Ok(Exit::Done);
        }
    };
    if model.shape[2] == 1 {
        write_png(&arguments.output, &model)?
    } else {
        write_meta_image(&arguments.output, &model)?
    }
    Ok(Exit::Done)
}
