//! Compares the loop over pairs with a toy law to sums over all pairs in f64, on any number of ranks.

mod between;
mod lab;
mod within;
