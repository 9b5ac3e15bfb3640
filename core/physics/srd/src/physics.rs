//! The fluid as a physics of a run.

use hematite_comm::{Comm, agree};
use hematite_config::Result;
use hematite_dump::Field;
use hematite_engine::{Alarm, Ground, Keep, Mass, Measured, Phases, Physics};
use hematite_gpu::Recorder;
use hematite_units::BOLTZMANN;
use serde_json::Value;

use crate::fluid::{Fluid, NAME, TEMPERATURE};
use crate::parameters::Parameters;
use crate::solvent::{LOOK, Solvent};
use crate::state;

/// The fluid of a run.
pub struct Srd {
    fluid: Fluid,
    solvent: Solvent,
    step: u64,
    /// Whether a dump has taken the samples: they begin anew with the next step.
    dumped: bool,
    /// Warnings that nobody has asked for yet.
    alarms: Vec<(u64, Alarm)>,
}

/// Mean speed of the fluid over the thermal speed, above which it is no liquid any more: the square of it is the share by which
/// densities change.
const FAST: f64 = 0.3;

impl Srd {
    /// The fluid after `step` steps.
    pub(crate) fn new(fluid: Fluid, solvent: Solvent, step: u64, dumped: bool) -> Self {
        Self { fluid, solvent, step, dumped, alarms: Vec::new() }
    }

    /// The numbers of `field` at a node with so many `samples` that add up to `sums`, in SI.
    fn at_node(&self, field: Field, samples: f64, sums: &[i64]) -> Vec<f64> {
        let Fluid { units, thermal, mass, .. } = &self.fluid;
        let Parameters { dimension, .. } = self.fluid.parameters;
        let count = sums[0] as f64;
        let velocity: [f64; 3] = std::array::from_fn(|a| match (a < dimension, sums[0]) {
            (true, 1..) => sums[1 + a] as f64 / self.fluid.parameters.momentum_scale() / count,
            _ => 0.0,
        });
        if field == Field::VELOCITY {
            return velocity.map(|u| u * units.velocity()).to_vec();
        }
        let density = count / samples * mass / units.dx.powi(3);
        if field == Field::DENSITY {
            return vec![density];
        }
        let squares = sums[1 + dimension] as f64 / self.fluid.parameters.energy_scale();
        let relative = squares - count * velocity.iter().map(|u| u * u).sum::<f64>();
        // The mean velocity of the samples takes one particle's freedom.
        let freedom = dimension as f64 * (count - 1.0);
        let squared = if freedom > 0.0 { relative / freedom } else { 0.0 };
        // kT at the node.
        let energy = squared * units.velocity().powi(2) * mass;
        if field == TEMPERATURE {
            return vec![energy / BOLTZMANN];
        }
        // That of an ideal gas, n kT, less that of the fluid at rest. One particle alone tells no temperature.
        let energy = if freedom > 0.0 { energy } else { *thermal };
        vec![(density * energy - units.rho0 * thermal) / mass]
    }
}

impl Physics for Srd {
    fn name(&self) -> &'static str {
        NAME
    }

    fn start(&mut self, comm: &dyn Comm) -> Result<()> {
        self.solvent.count(comm, self.step)
    }

    fn until_look(&self, step: u64) -> u64 {
        LOOK - step % LOOK
    }

    fn step<'g>(&mut self, comm: &'g dyn Comm, recorder: &mut Recorder<'g>, step: u64) -> Result<()> {
        if std::mem::take(&mut self.dumped) {
            self.solvent.forget_samples(recorder);
        }
        self.solvent.record_step(comm, recorder, step, self.fluid.kick(step))
    }

    fn complete<'g>(&mut self, comm: &'g dyn Comm, recorder: &mut Recorder<'g>, step: u64) -> Result<()> {
        self.solvent.record_sums(comm, recorder, step, self.fluid.kick(step))?;
        self.step = step + 1;
        Ok(())
    }

    fn look(&mut self, comm: &dyn Comm, step: u64) -> Result<()> {
        if step.is_multiple_of(LOOK) { self.solvent.look(comm, step) } else { Ok(()) }
    }

    fn save(&self, ground: &Ground, keep: &mut dyn Keep) -> Result<()> {
        state::save(&self.solvent, ground, keep)
    }

    fn note(&self) -> Value {
        serde_json::to_value(self.fluid.note(self.solvent.samples(), self.dumped)).unwrap_or_default()
    }

    fn field(&mut self, field: Field, take: &mut dyn FnMut(usize, &[f64]) -> Result<()>) -> Result<()> {
        let (samples, sums) = self.solvent.averages()?;
        self.dumped = true;
        let values: Vec<f64> = sums.iter().flat_map(|sums| self.at_node(field, samples as f64, sums)).collect();
        take(0, &values)
    }

    fn inspect(&mut self, comm: &dyn Comm, _: &Ground) -> Result<()> {
        agree(comm, self.solvent.check_health(self.step))
    }

    fn measure(&mut self, comm: &dyn Comm, _: f64) -> Result<Measured> {
        let Fluid { units, mass, parameters, .. } = &self.fluid;
        let totals = self.solvent.totals(comm)?;
        let (momentum, energy) = (mass * units.velocity(), mass * units.velocity().powi(2));
        let mean = totals.momentum.iter().map(|p| p * p).sum::<f64>().sqrt() / totals.mass.max(1) as f64;
        if mean > FAST * parameters.speed {
            let text = format!(
                "at step {} the fluid moves at {:.3e} m/s in the mean, {:.1} of the thermal speed: above {FAST} its density and \
                 viscosity change with the flow; take a weaker force, or a higher temperature",
                self.step,
                mean * units.velocity(),
                mean / parameters.speed
            );
            self.alarms.push((self.step, Alarm { kind: "mach".to_owned(), text }));
        }
        let mut values: Vec<f64> = totals.momentum[..parameters.dimension].iter().map(|p| p * momentum).collect();
        values.extend([totals.energy * energy, totals.temperature * energy / BOLTZMANN]);
        let inside = Mass { inside: totals.mass as f64 * mass, through: Vec::new() };
        Ok(Measured { mass: Some(inside), values, ..Measured::default() })
    }

    fn take_alarms(&mut self) -> Vec<(u64, Alarm)> {
        std::mem::take(&mut self.alarms)
    }

    fn updated(&self) -> Result<Option<(&'static str, u64)>> {
        Ok(Some(("particles", u64::from(self.solvent.used()))))
    }

    fn bytes_per_step(&self) -> f64 {
        let Parameters { dimension, particles, .. } = self.fluid.parameters;
        // Position, velocity and cell of each particle, read and written.
        f64::from(self.solvent.cells().of_node.len() as u32) * particles * (16 * dimension + 8) as f64
    }

    fn phases(&self) -> Phases {
        self.solvent.phases()
    }
}
