//! The kernels between cells and fluid against plain f64 code, on random sparse domains.

mod cap;
mod contact;
mod coupling;
mod inside;
mod kernels;
mod sample;
mod speed;
