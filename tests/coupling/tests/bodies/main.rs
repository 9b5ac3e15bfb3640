//! Rigid bodies and the particle engine, with the fluid and without.

mod equality;
mod lab;
