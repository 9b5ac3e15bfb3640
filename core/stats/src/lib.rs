//! Reductions from dumps to tables and figures: arrays in, tables and figures out.
//!
//! Every statistic is a pure function of a [`hematite_dump::Grid`] and values in SI. [`table`] and [`figure`] write the
//! results as CSV, JSON, SVG and PNG.

pub mod bodies;
pub mod cells;
pub mod chart;
pub mod ensemble;
pub mod field;
pub mod figure;
pub mod flux;
pub mod forces;
pub mod layers;
pub mod lookup;
pub mod map;
pub mod plane;
pub mod polymers;
pub mod profile;
pub mod raster;
pub mod scaling;
pub mod summary;
pub mod suspension;
pub mod table;
pub mod terrain;
pub mod timeline;
pub mod title;
pub mod wall;
pub mod wall_pressure;
pub mod weights;
pub mod wss;
pub mod wss_map;

#[cfg(test)]
mod testing;
