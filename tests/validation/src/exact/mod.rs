//! Exact solutions of laminar flow along a straight channel, duct or pipe, driven by a body force `G cos(omega t)`; fits to
//! measurements of blood in tubes.
//!
//! Each solution gives the complex amplitude of the velocity for unit `G`: `u = Re(amplitude exp(i omega t))`; `omega = 0` is
//! steady flow. Lengths are measured as the caller likes, `nu` accordingly.

mod channel;
mod duct;
mod harmonics;
mod pipe;
mod pries;

pub use channel::{channel, channel_mean, plate};
pub use duct::{duct, duct_friction, duct_mean};
pub use harmonics::{harmonic, harmonics_of};
pub use pipe::{pipe, pipe_mean};
pub use pries::{fahraeus, relative_viscosity};
