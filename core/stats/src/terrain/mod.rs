//! Lava upon a terrain: maps over its relief, what it covers, how far it goes, and rasters for geographic software.

mod cover;
mod export;
mod relief;

pub use cover::{Cover, fit, reach};
pub use export::{Georeference, write_ascii, write_geotiff};
pub use relief::{Layer, map};
