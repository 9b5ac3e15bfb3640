//! Laws of rigid ellipsoids: on the device against energies in f64, formulas written down once more, and known numbers.

mod friction;
mod gay_berne;
mod lab;
mod rotation;
mod surface;
mod wall;
