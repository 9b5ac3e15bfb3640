//! The loop over pairs by a toy law, against all pairs in f64, on any number of ranks.

mod between;
mod lab;
mod within;
