//! The solvent of a run: from its config and its case to numbers of the lattice, with what cannot work refused.

use hematite_case::Header;
use hematite_comm::{Comm, agree};
use hematite_config::{Fault, Result};
use hematite_dump::RunRecord;
use hematite_engine::{
    Bath, Figure, FluidNeeds, Ground, Method, Physics, Planned, Planning, PointNeeds, Saved, SharedData, StateHeader,
    TimeConfig, bits_of_fraction,
};
use hematite_gpu::Gpu;
use hematite_units::quantity::Mass;
use hematite_units::{BOLTZMANN, LatticeUnits};
use schemars::{JsonSchema, Schema, SchemaGenerator};

use crate::config::{LangevinConfig, LangevinSections};
use crate::physics::{Langevin, NAME, Note};
use crate::solvent::{Parameters, Solvent};

/// How much of its velocity a bead loses in a time step by friction, at least and at most: beyond, the noise is lost in rounding,
/// and beads diffuse faster than by theory, see [`PlannedLangevin::excess`].
const LOST: [f64; 2] = [1e-4, 0.5];

/// The same with the default mass.
const USUAL: f64 = 0.1;

/// Distance that a bead goes in a time step with the thermal speed, at least and at most, lattice spacings.
const PATH: [f64; 2] = [1e-3, 1.0];

/// Distance that a bead goes in a time step at most, in that of the thermal speed.
const FASTEST: f64 = 8.0;

/// Fewest bits of the fraction of a position.
const FEWEST_BITS: u32 = 12;

/// The solvent of a run, and what a run tells of it before it starts.
pub struct PlannedLangevin {
    parameters: Parameters,
    units: LatticeUnits,
    /// kT, J.
    thermal: f64,
    /// Mass of a usual bead, kg.
    mass: f64,
    bits: u32,
    header: Header,
    steps: u64,
    points: Option<PointNeeds>,
}

fn refuse(key: &str, what: impl std::fmt::Display) -> Fault {
    Fault::usage(format!("fluid.langevin.{key} {what}"))
}

/// Whether a number lies between limits, up to the rounding of the product that it is.
fn is_within(number: f64, [low, high]: [f64; 2]) -> bool {
    number >= low * (1.0 - 1e-12) && number <= high * (1.0 + 1e-12)
}

/// Which time steps can be computed, s.
struct Steps {
    /// With the default mass of beads.
    usual: [f64; 2],
    /// With the mass that the config gives, if it does; none where the first is above the second.
    given: Option<[f64; 2]>,
}

impl Steps {
    /// From kT, J, friction, kg/s, and lattice spacing, m; and the mass of beads, kg, if it is given.
    fn new([thermal, friction, dx]: [f64; 3], mass: Option<f64>) -> Self {
        let given = |mass: f64| {
            let [by_friction, by_path] =
                [LOST.map(|lost| lost * mass / friction), PATH.map(|path| path * dx / (thermal / mass).sqrt())];
            [by_friction[0].max(by_path[0]), by_friction[1].min(by_path[1])]
        };
        // The default mass grows with the step.
        let usual = PATH.map(|path| (path * dx).powi(2) * friction / (USUAL * thermal));
        Self { usual, given: mass.map(given) }
    }

    /// What to do where `step` cannot be computed.
    fn remedy(&self, step: f64) -> String {
        // Rounded inwards.
        let range = |[least, most]: [f64; 2]| format!("{:.2e} to {:.2e} s", 1.006 * least, 0.994 * most);
        let usual = range(self.usual);
        match self.given {
            None => format!("take {usual}"),
            Some([least, most]) if least >= most => {
                format!("no step goes with this \"bead_mass\": leave it out, with {usual}")
            }
            Some(given) if (self.usual[0]..=self.usual[1]).contains(&step) => {
                format!("take {}, or leave \"bead_mass\" out, which then fits", range(given))
            }
            Some(given) => format!("take {}, or leave \"bead_mass\" out, with {usual}", range(given)),
        }
    }
}

impl PlannedLangevin {
    /// Resolves `config` for a case.
    ///
    /// # Errors
    /// A usage fault with key, value, limit and remedy for whatever cannot work.
    pub fn new(config: &LangevinConfig, time: &TimeConfig, header: &Header) -> Result<Self> {
        let mass = config.bead_mass.map(Mass::si);
        let [temperature, friction] = [config.temperature.si(), config.friction.si()];
        for (key, value) in
            [("temperature", temperature), ("friction", friction), ("bead_mass", mass.unwrap_or(f64::INFINITY))]
        {
            if value <= 0.0 {
                return Err(refuse(key, "must be above 0"));
            }
        }
        if let Some(opening) = header.openings.first() {
            return Err(Fault::usage(format!(
                "openings.{}: the solvent of \"langevin\" is at rest, and its walls too: take the opening out of the CASE.json, \
                 or take \"srd\" for a fluid that walls move",
                opening.name
            )));
        }
        if header.polymers.is_empty() {
            return Err(Fault::usage(
                "fluid.langevin: the case holds no polymers, so that nothing moves: give \"polymers\" in the CASE.json, or take \
                 another fluid",
            ));
        }
        let Some(step) = time.step else {
            return Err(Fault::usage("time.step: \"langevin\" needs it, e.g. \"step\": \"1 ms\""));
        };
        let (dt, dx) = (step.si(), header.spacing);
        let thermal = BOLTZMANN * temperature;
        let steps = Steps::new([thermal, friction, dx], mass);
        let mass = mass.unwrap_or(friction * dt / USUAL);
        let lost = friction * dt / mass;
        if !is_within(lost, LOST) {
            return Err(Fault::usage(format!(
                "time.step {step}: friction takes {lost:.3e} of a bead's velocity in it, {} to {} can be computed: {}",
                LOST[0],
                LOST[1],
                steps.remedy(dt)
            )));
        }
        let speed = (thermal / mass).sqrt() * dt / dx;
        if !is_within(speed, PATH) {
            return Err(Fault::usage(format!(
                "time.step {step}: a bead goes {speed:.3e} lattice spacings in it with its thermal speed, {} to {} can be computed: \
                 {}, or take another spacing of the case",
                PATH[0],
                PATH[1],
                steps.remedy(dt)
            )));
        }
        let bits = bits_of_fraction(header.extent, (FASTEST * speed).ceil() as u32);
        if bits < FEWEST_BITS {
            return Err(Fault::usage(format!(
                "the case is {} sites long: positions in it would be coarser than 1/4096 of a spacing, 2^18 is the limit",
                header.extent.iter().max().copied().unwrap_or(0)
            )));
        }
        let seed = [config.seed as u32, (config.seed >> 32) as u32];
        Ok(Self {
            parameters: Parameters { dimension: header.set.dimension(), speed, friction: lost, seed },
            units: LatticeUnits { dx, dt, rho0: mass / dx.powi(3) },
            thermal,
            mass,
            bits,
            header: header.clone(),
            steps: time.steps(dt)?,
            points: None,
        })
    }

    /// What beads that the solvent carries need to know.
    fn bath(&self) -> Bath {
        Bath {
            units: self.units,
            thermal: self.thermal,
            mass: self.mass,
            speed: self.parameters.speed,
            bits: self.bits,
            usual_mass: 1,
            flows: false,
            no_slip: false,
            wall_velocities: vec![[0.0; 3]],
            initial: [0.0; 3],
            seed: self.parameters.seed,
        }
    }

    /// kT/xi, m2/s.
    fn diffusion(&self) -> f64 {
        self.parameters.speed.powi(2) / self.parameters.friction * self.units.dx.powi(2) / self.units.dt
    }

    /// How much faster a single usual bead diffuses than kT/xi, as its velocity is constant in a time step:
    /// (x / 2) coth(x / 2) with the share x that friction takes of a velocity.
    fn excess(&self) -> f64 {
        let half = 0.5 * self.parameters.friction;
        half / half.tanh() - 1.0
    }

    fn note(&self) -> Note {
        Note { bits: self.bits, time_step_s: self.units.dt, speed: self.parameters.speed }
    }
}

impl Planned for PlannedLangevin {
    fn name(&self) -> &'static str {
        NAME
    }

    fn report(&self) -> Vec<(&'static str, String)> {
        let Parameters { speed, friction, .. } = self.parameters;
        vec![
            ("time", format!("{} steps of {:.4e} s, thermal path {speed:.4} spacings", self.steps, self.units.dt)),
            (
                "solvent",
                format!(
                    "at rest, without hydrodynamics; friction takes {:.3} % of velocities in a step",
                    100.0 * friction
                ),
            ),
        ]
    }

    fn advice(&self) -> Vec<String> {
        Vec::new()
    }

    fn figures(&self) -> Vec<Figure> {
        vec![
            Figure::new("time step", self.units.dt, "s"),
            Figure::new("thermal speed", self.parameters.speed * self.units.velocity(), "m/s").noted("sqrt(kT/m)"),
            Figure::new("time of friction", self.units.dt / self.parameters.friction, "s")
                .noted("m / friction: a bead forgets its velocity in it"),
            Figure::new("diffusion of a bead", self.diffusion(), "m2/s").noted(format!(
                "kT / friction: a single bead goes {:.2} % faster in these steps",
                100.0 * self.excess()
            )),
        ]
    }

    fn write_down(&self, record: &mut RunRecord) {
        record.velocity_set = format!("{:?}", self.header.set);
        (record.dx, record.dt, record.rho0) = (self.units.dx, self.units.dt, self.units.rho0);
        record.steps = Some(self.steps);
        "f32".clone_into(&mut record.precision);
    }

    fn least_bytes(&self, _: &Ground) -> [u64; 2] {
        let (count, d) = (self.points.map_or(0, |points| u64::from(points.count)), self.parameters.dimension as u64);
        [4 * (2 * d + 1) * count, 4 * d * count]
    }

    fn provide(&mut self, needs: &FluidNeeds) {
        self.points = needs.points;
    }

    fn bears(&self, saved: &StateHeader) -> Result<()> {
        let (before, now) = (saved.note::<Note>(NAME)?, self.note());
        let same = |a: f64, b: f64| (a - b).abs() <= 1e-12 * b.abs();
        if before.bits == now.bits && same(before.time_step_s, now.time_step_s) && same(before.speed, now.speed) {
            return Ok(());
        }
        Err(Fault::usage(format!(
            "{} holds a state of another solvent or time step (time step {:e} s, thermal path {}; now {:e} s, {}): go on with the \
             same \"fluid.langevin\" and \"time\", or start anew into another folder with -o",
            saved.source, before.time_step_s, before.speed, now.time_step_s, now.speed
        )))
    }

    fn build(
        &self,
        gpu: &Gpu,
        comm: &dyn Comm,
        _: &mut Ground,
        shared: &mut SharedData,
        _: Option<&dyn Saved>,
    ) -> Result<Box<dyn Physics>> {
        let nothing =
            || Fault::usage("fluid.langevin: nothing in this run moves in it: give \"polymers\" in the CASE.json");
        let points = agree(comm, self.points.ok_or_else(nothing))?;
        let solvent = agree(comm, Solvent::new(gpu, &self.parameters, points))?;
        shared.points = Some(solvent.points().clone());
        Ok(Box::new(Langevin::new(solvent, self.note())))
    }
}

/// A solvent at rest without hydrodynamics, as a choice of runs.
pub struct LangevinMethod;

impl Method for LangevinMethod {
    fn schema(&self, generator: &mut SchemaGenerator) -> Schema {
        LangevinSections::json_schema(generator)
    }

    fn plan(&self, planning: &mut Planning) -> Result<()> {
        let mut sections: LangevinSections = planning.document.sections()?;
        let Some(config) = &mut sections.fluid.langevin else { return Ok(()) };
        if planning.ground.is_some() {
            return Err(Fault::usage("fluid: \"langevin\" stands beside another method: give one"));
        }
        config.seed = planning.seed(config.seed);
        let planned = PlannedLangevin::new(config, &planning.time, planning.case.header());
        let planned = agree(planning.comm, planned)?;
        planning.write_down(&sections)?;
        planning.set_ground(planning.find_ground(None)?, planning.time.fixed(planned.units.dt)?)?;
        planning.bath = Some(planned.bath());
        planning.planned.push(Box::new(planned));
        Ok(())
    }
}
