//! What kernels note of particles that went wrong.

use hematite_config::{Fault, Result};

use crate::parameters::Parameters;

/// Words of the notes: the largest speed beyond the limit, as bits; particles that are nowhere; the largest mass beyond the
/// limit in a cell; how full messages were, in parts of 1024; slots that there were not; a point that no rank has, from 1.
pub const HEALTH: usize = 6;

/// Checks what the device noted in the steps up to `step`.
///
/// # Errors
/// A numerical failure where a particle was too fast, cells too full, or particles or points are lost.
pub fn check(parameters: &Parameters, health: &[u32], step: u64) -> Result<()> {
    let speed = parameters.speed;
    let before = format!("before step {step}");
    if health[0] > 0 {
        let found = f64::from(f32::from_bits(health[0])) / speed;
        return Err(Fault::numerical(format!(
            "some steps {before} a particle was {found:.1} times as fast as the thermal speed, the limit is {:.0}: take a weaker \
             force or slower walls, or a higher temperature",
            parameters.fastest() / speed
        )));
    }
    if health[1] > 0 {
        return Err(Fault::numerical(format!("some steps {before}, {} particles went where no fluid is", health[1])));
    }
    if health[2] > 0 {
        let remedy = match parameters.points {
            Some(_) => {
                "beads of polymers crowd in it, or the fluid is compressed; take lighter or fewer beads, or beads with a \
                        diameter, or a weaker force"
            }
            None => "the fluid is compressed; take a weaker force or a higher temperature",
        };
        return Err(Fault::numerical(format!(
            "some steps {before} a cell held the mass of {} particles, the limit is {}: {remedy}",
            health[2],
            parameters.most_in_cell()
        )));
    }
    if health[5] > 0 {
        return Err(Fault::numerical(format!(
            "some steps {before} the point with number {} was where no fluid is: the time steps of its motion are too long",
            health[5] - 1
        )));
    }
    if health[3] > 1024 || health[4] > 0 {
        return Err(Fault::numerical(format!(
            "some steps {before} more particles came from another rank than there is room for: the fluid moves as a whole; start \
             again from the last checkpoint with another number of ranks"
        )));
    }
    Ok(())
}
