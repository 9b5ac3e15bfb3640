//! Membranes: forces against the gradients of energies in f64, conservation, equality of bits, and moduli.

mod lab;
mod shapes;

mod bending_energy;
mod broken;
mod conservation;
mod gradient;
mod same_bits;
mod speed;
mod stability;
