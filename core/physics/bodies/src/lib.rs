//! Rigid ellipsoids in the fluid: their laws, one a file, their coupling to the fluid, and their time step.
//!
//! A law is the WGSL with the formula and the force, and the Rust with its parameters and its energy in f64.

pub mod config;
mod damage;
mod entry;
mod feeder;
pub mod friction;
mod gate;
pub mod gay_berne;
mod health;
mod inflow;
mod laws;
mod lists;
mod meeting;
mod members;
mod parameters;
mod passage;
mod planned;
pub mod region;
mod resolve;
mod rigid_bodies;
pub mod rotation;
mod shaders;
mod state;
pub mod surface;
mod time_step;
pub mod wall;
pub mod wca;

pub use damage::Damage;
pub use feeder::{Candidate, Feeder, Waiting};
pub use gate::Gate;
pub use inflow::Entrances;
pub use laws::LAWS;
pub use members::Bodies;
pub use parameters::{FASTEST, Kind, LOOK, Parameters};
pub use planned::{BodyMethod, PlannedBodies};
pub use resolve::Rigid;
pub use rigid_bodies::{RigidBodies, Surroundings};
pub use shaders::Shader;
pub use state::State;
