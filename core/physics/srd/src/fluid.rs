//! What the fluid is made of, in SI and in units of the lattice.

use hematite_dump::Field;
use hematite_engine::waveform::Waveform;
use hematite_units::LatticeUnits;

use crate::parameters::Parameters;
use crate::state::Note;

/// Name in checkpoints, dumps and messages.
pub const NAME: &str = "srd";

/// Temperature of the fluid: of the motion about its mean velocity.
pub const TEMPERATURE: Field = Field::new("temperature", "K", 1);

/// The fluid of a run.
#[derive(Clone)]
pub struct Fluid {
    /// Its numbers in units of the lattice.
    pub parameters: Parameters,
    /// Scales between SI and the lattice.
    pub units: LatticeUnits,
    /// kT, J.
    pub thermal: f64,
    /// Mass of a particle, kg.
    pub mass: f64,
    /// How the body force goes with time.
    pub waveform: Waveform,
}

impl Fluid {
    /// What the body force adds to velocities in half of step `step`: whole units of [`Parameters::kick_unit`], which
    /// no addition rounds. Smaller shares of a unit come as units in some of the steps.
    pub fn kick(&self, step: u64) -> [f64; 3] {
        let factor = 0.5 * self.waveform.at((step as f64 + 0.5) * self.units.dt);
        let unit = self.parameters.kick_unit();
        self.parameters.acceleration.map(|a| unit * (factor * a / unit + turn(step)).floor())
    }

    /// What a saved state tells of the fluid. `samples`: number of samples in the fields; `dumped`: whether a dump has them.
    pub fn note(&self, samples: u64, dumped: bool) -> Note {
        Note {
            bits: self.parameters.bits(),
            time_step_s: self.units.dt,
            speed: self.parameters.speed,
            particles_per_cell: self.parameters.particles,
            mass: Some(self.mass),
            samples,
            dumped,
        }
    }
}

/// The step times the golden ratio, modulo 1: evenly spread over any stretch of steps (Weyl, Math. Ann. 77, 313, 1916).
fn turn(step: u64) -> f64 {
    (step.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 11) as f64 / (1_u64 << 53) as f64
}
