//! Sites of the domain on the device: which node is where, and positions between them.

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

/// The pieces of WGSL that kernels on sites include: places of sites in a map, tiles and those around, fractions of
/// positions and distances, motion, the corners around a position, the wall's distance.
pub const PIECES: [Template; 8] = [
    Template { name: "sites.wgsl", text: include_str!("sites.wgsl") },
    Template { name: "fraction.wgsl", text: include_str!("fraction.wgsl") },
    Template { name: "tiles.wgsl", text: include_str!("tiles.wgsl") },
    Template { name: "around.wgsl", text: include_str!("around.wgsl") },
    Template { name: "apart.wgsl", text: include_str!("apart.wgsl") },
    Template { name: "moved.wgsl", text: include_str!("moved.wgsl") },
    Template { name: "corners.wgsl", text: include_str!("corners.wgsl") },
    Template { name: "wall_at.wgsl", text: include_str!("wall_at.wgsl") },
];

/// What [`PIECES`] know of fractions of positions: their unit, and the unit of the leading 24 bits, all that f32 holds.
pub fn fractions() -> Value {
    context! {
        fraction_24 => literal(256.0 / Coordinate::PER_UNIT),
        fraction_32 => literal(1.0 / Coordinate::PER_UNIT),
    }
}

const NAMES: [&str; 3] = ["x", "y", "z"];

/// What [`PIECES`] know of the axes of a domain, here the one with number `a`: `extent` sites that wrap where
/// `periodic`.
pub fn axis(a: usize, extent: i32, periodic: bool) -> Value {
    context! {
        name => NAMES[a],
        index => a,
        periodic,
        extent,
        inverse_extent => literal(1.0 / f64::from(extent)),
        // The places of the axes before, which separate neighbours along this one in the directory.
        places_before => NAMES[..a].iter().map(|before| format!(" * span.places_{before}")).collect::<String>(),
    }
}
