//! Sites of the domain on the device: nodes at sites, and positions between them.

mod bounds;
mod coordinate;
mod map;
mod tiling;

use hematite_gpu::{Template, literal};
use minijinja::{Value, context};

pub use bounds::Bounds;
pub use coordinate::Coordinate;
pub use map::{FLUID, SOLID, SiteMap, SiteMapBuilder};
pub use tiling::Tiling;

/// WGSL that kernels on sites include: places of sites in a map and what it holds there, tiles and the tiles around them, fractions of
/// positions and distances, motion, the corners around a position, the distance from the wall.
pub const PIECES: [Template; 9] = [
    Template { name: "sites.wgsl", text: include_str!("sites.wgsl") },
    Template { name: "entry_of.wgsl", text: include_str!("entry_of.wgsl") },
    Template { name: "fraction.wgsl", text: include_str!("fraction.wgsl") },
    Template { name: "tiles.wgsl", text: include_str!("tiles.wgsl") },
    Template { name: "around.wgsl", text: include_str!("around.wgsl") },
    Template { name: "apart.wgsl", text: include_str!("apart.wgsl") },
    Template { name: "moved.wgsl", text: include_str!("moved.wgsl") },
    Template { name: "corners.wgsl", text: include_str!("corners.wgsl") },
    Template { name: "wall_at.wgsl", text: include_str!("wall_at.wgsl") },
];

/// Context of [`PIECES`] for fractions of positions: their unit, and the unit of their leading 24 bits, which fit into
/// f32.
pub fn fractions() -> Value {
    context! {
        fraction_24 => literal(256.0 / Coordinate::PER_UNIT),
        fraction_32 => literal(1.0 / Coordinate::PER_UNIT),
    }
}

const NAMES: [&str; 3] = ["x", "y", "z"];

/// Context of [`PIECES`] for axis `a` of a domain, with `extent` sites that wrap if `periodic`.
pub fn axis(a: usize, extent: i32, periodic: bool) -> Value {
    context! {
        name => NAMES[a],
        index => a,
        periodic,
        extent,
        inverse_extent => literal(1.0 / f64::from(extent)),
        // The product of the places along the axes before: the distance in the directory of neighbours along this axis.
        places_before => NAMES[..a].iter().map(|before| format!(" * span.places_{before}")).collect::<String>(),
    }
}
