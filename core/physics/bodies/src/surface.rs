//! Contact of ellipsoids with points of soft surfaces.

use hematite_cells::RigidShape;
use hematite_engine::particles::Fixed;
use hematite_engine::{SurfaceContact, surface_push};
use hematite_gpu::literal;
use minijinja::{Value, context};

use super::Kind;

/// The largest stiffness of contact with points all over half of a body, over its mass: as motions that turn a body see it. Leapfrog
/// bears 4.
const STIFFEST: f64 = 2.0;

/// How much stiffer contacts are to what turns a body, roughly: the moment of inertia of a ball is 2/5 m r^2, and half of it touches.
const TURNING: f64 = 5.0;

/// The slope of `a^2 + 2 a^4` where surfaces touch.
const STEEPEST: f64 = 10.0;

/// What templates with `surface.wgsl` call `surface`.
pub fn context(contact: &SurfaceContact) -> Value {
    context! { per_range => literal(1.0 / contact.range), largest => literal(surface_push().largest) }
}

/// The force on a point, as a share of the pressure on its area, at distance `d` from a body.
pub fn share(contact: &SurfaceContact, d: f64) -> f64 {
    let a = (1.0 - d / contact.range).max(0.0);
    a.powi(2) + 2.0 * a.powi(4)
}

/// Torques on bodies as integers: at most the largest force at the farthest that a point can be.
pub(crate) fn torques(reach: f64) -> Fixed {
    let force = surface_push();
    let lever = reach.max(1.0).log2().ceil().exp2();
    Fixed { largest: force.largest * lever, scale: force.scale / lever }
}

/// The pressure with which bodies of a kind push points: that of the surface, or the most that the time step bears of bodies so light.
pub fn pressure(contact: &SurfaceContact, kind: &Kind) -> f64 {
    let half = 0.5 * RigidShape { semi_axes: kind.shape.axes }.area();
    contact.pressure.min(STIFFEST * kind.mass * contact.range / (TURNING * STEEPEST * half))
}
