//! Physics against exact solutions and published numbers.
//!
//! [`cases::ALL`] lists the cases; each drives the solver's library on a small domain and gives a [`Table`] of checks.
//! References come from formulas, series and published tables, never from the code under test.

mod blood;
mod bodies;
pub mod cases;
mod cells;
mod centreline;
mod domain;
pub mod exact;
mod flow;
mod order;
mod planned;
mod table;
mod tool;
mod vessel;

pub use domain::{Inside, domain};
pub use flow::{Boundary, Context, Flow, FluidNumbers};
pub use table::{Check, Table};
pub use tool::beside;
