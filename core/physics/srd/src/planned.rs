//! The fluid of a run: from its config and its case to numbers of the lattice, with what cannot work refused.

use std::path::Path;

use hematite_case::Header;
use hematite_comm::{Comm, agree};
use hematite_config::{Fault, Result, nearest};
use hematite_dump::{Column, Field, OpeningRecord, RunRecord};
use hematite_engine::waveform::Waveform;
use hematite_engine::{
    Bath, Figure, FluidNeeds, Ground, Method, Physics, Planned, Planning, Saved, SharedData, StateHeader, Table,
    TimeConfig, moves_along_itself,
};
use hematite_geometry::OpeningKind;
use hematite_gpu::Gpu;
use hematite_units::quantity::Velocity;
use hematite_units::{BOLTZMANN, LatticeUnits};
use schemars::{JsonSchema, Schema, SchemaGenerator};

use crate::cells::{Cells, MOST_WALLS};
use crate::config::{Collision, FluidChoice, SrdConfig, SrdSections, Walls};
use crate::expected;
use crate::fluid::{Fluid, NAME, TEMPERATURE};
use crate::parameters::Parameters;
use crate::particles;
use crate::physics::Srd;
use crate::shaders::rows;
use crate::solvent::Solvent;
use crate::state::{self, Note};
use crate::theory::Gas;

/// The mean free path below which cells must be shifted (Ihle and Kroll, Phys. Rev. E 67, 066705, 2003).
const SHIFTED_BELOW: f64 = 0.5;

/// The largest rotation in 2-D, degrees, after which particles forget their velocities as theory assumes: with 10 in a
/// cell and a mean free path of 0.1, viscosities by theory are right at 150, 6 % too high at 165 and 40 % at 172.
const MOST_FORGETFUL: f64 = 160.0;

/// The fluid of a run, and what a run tells of it before it starts.
#[derive(Clone)]
pub struct PlannedSrd {
    fluid: Fluid,
    /// Gradient in place of a pressure drop, Pa/m.
    pressure_drop: [f64; 3],
    header: Header,
    steps: u64,
    notes: Vec<String>,
}

fn refuse(key: &str, what: impl std::fmt::Display) -> Fault {
    Fault::usage(format!("fluid.srd.{key} {what}"))
}

/// The time step, s, and the mean free path in lattice spacings.
fn time_step(config: &SrdConfig, time: &TimeConfig, dx: f64, speed: f64) -> Result<[f64; 2]> {
    let path = match (config.mean_free_path, time.step) {
        (Some(path), None) => path,
        (None, Some(step)) => step.si() * speed / dx,
        _ => {
            return Err(Fault::usage(
                "fluid.srd.mean_free_path or time.step: give one of them, e.g. \"mean_free_path\": 0.1",
            ));
        }
    };
    if !(1e-3..=3.0).contains(&path) {
        return Err(refuse(
            "mean_free_path",
            format!("{path:.4e} must lie from 0.001 to 3 lattice spacings a step: 0.1 makes a liquid, 1 a gas"),
        ));
    }
    Ok([path * dx / speed, path])
}

/// A vector with as many components as the case has dimensions.
fn vector(key: &str, given: Option<&[Velocity]>, dimension: usize, unit: f64) -> Result<[f64; 3]> {
    let Some(given) = given else { return Ok([0.0; 3]) };
    if given.len() != dimension {
        return Err(Fault::usage(format!("{key} has {} components, the case {dimension} dimensions", given.len())));
    }
    Ok(std::array::from_fn(|axis| given.get(axis).map_or(0.0, |u| u.si() / unit)))
}

impl PlannedSrd {
    /// Resolves `config` for a case; `path` is that of the run's config.
    ///
    /// # Errors
    /// A usage fault with key, value, limit and remedy for whatever cannot work.
    pub fn new(
        path: &Path,
        config: &SrdConfig,
        sections: &SrdSections,
        time: &TimeConfig,
        header: &Header,
    ) -> Result<Self> {
        let (dimension, dx) = (header.set.dimension(), header.spacing);
        check(config)?;
        let m = config.density.si() * dx.powi(3) / config.particles_per_cell;
        let thermal = BOLTZMANN * config.temperature.si();
        let [dt, speed] = time_step(config, time, dx, (thermal / m).sqrt())?;
        if !config.grid_shift && speed < SHIFTED_BELOW {
            return Err(refuse(
                "grid_shift",
                format!(
                    "false: with a mean free path of {speed:.3} particles meet the same ones again and again, and the \
                     fluid's viscosity depends on how fast it moves; leave it at true, or take a mean free path of \
                     {SHIFTED_BELOW} or more"
                ),
            ));
        }
        let units = LatticeUnits { dx, dt, rho0: config.density.si() };
        let nodes = header.nodes as f64 * config.particles_per_cell;
        if nodes >= f64::from(u32::MAX) {
            return Err(refuse(
                "particles_per_cell",
                format!(
                    "{} makes {nodes:.3e} particles, at most 4.2e9 have a number: take fewer",
                    config.particles_per_cell
                ),
            ));
        }
        let (force, pressure_drop) = sections.drive.force(header)?;
        let waveform = Waveform::new(path, &sections.drive.waveform, sections.drive.ramp)
            .and_then(|waveform| waveform.resolved(dt).map(|()| waveform))
            .map_err(|fault| fault.within("drive"))?;
        let acceleration = force.map(|f| f / units.force_density());
        let parameters = Parameters {
            dimension,
            extent: header.extent,
            periodic: header.periodic,
            particles: config.particles_per_cell,
            speed,
            angle: config.angle().to_radians(),
            collision: config.collision,
            angular_momentum: config.angular_momentum,
            thermostat: config.thermostat(),
            grid_shift: config.grid_shift,
            walls: config.walls,
            wall_velocities: wall_velocities(sections, header, &units, config.walls)?,
            seed: [config.seed as u32, (config.seed >> 32) as u32],
            acceleration,
            initial: sections.initial.velocity(dimension)?.map(|u| u / units.velocity()),
            sample_every: config.sample_every,
            points: None,
        };
        let planned = Self {
            fluid: Fluid { parameters, units, thermal, mass: m, waveform },
            pressure_drop,
            header: header.clone(),
            steps: time.steps(dt)?,
            notes: Vec::new(),
        };
        planned.checked()
    }

    /// Refuses velocities and accelerations beyond the method, and notes risks.
    fn checked(mut self) -> Result<Self> {
        let Parameters { speed, particles, acceleration, initial, periodic, extent, dimension, .. } =
            self.fluid.parameters;
        let thermal = speed * self.fluid.units.velocity();
        let length = |v: [f64; 3]| v.iter().map(|c| c * c).sum::<f64>().sqrt();
        let sound = self.sound();
        let fast = |key: &str, v: f64| {
            let (asked, limit) = (v * self.fluid.units.velocity(), sound * self.fluid.units.velocity());
            if v > sound {
                return Err(Fault::usage(format!(
                    "{key} {asked:.3e} m/s is above the speed of sound, {limit:.3e} m/s: take a lower one, or a higher \
                     temperature"
                )));
            }
            Ok(())
        };
        fast("initial.velocity", length(initial))?;
        for (opening, &u) in self.moving().zip(&self.fluid.parameters.wall_velocities[1..]) {
            fast(&format!("openings.{opening}.wall_velocity"), length(u))?;
        }
        let kick = length(acceleration) * self.fluid.waveform.largest() / speed;
        if kick > 0.1 {
            return Err(Fault::usage(format!(
                "drive: the body force changes velocities by {kick:.3e} thermal speeds ({thermal:.3e} m/s) in one step, the \
                 limit is 0.1: take a weaker one or a shorter time step than {:.3e} s",
                self.fluid.units.dt
            )));
        }
        for a in (0..dimension).filter(|&a| periodic[a]) {
            let least = 2 * self.fluid.parameters.reach() as usize + 2;
            if extent[a] < least {
                // Particles reach one site at least.
                let or = match extent[a] >= 4 {
                    true => format!(", or take a shorter mean free path than {speed:.3}"),
                    false => String::new(),
                };
                return Err(Fault::usage(format!(
                    "the case is {} sites long along a periodic direction, particles need {least}: make it longer{or}",
                    extent[a]
                )));
            }
        }
        if self.fluid.parameters.bits() < 12 {
            return Err(Fault::usage(format!(
                "the case is {} sites long: positions in it would be coarser than 1/4096 of a spacing, 2^18 is the limit",
                extent.iter().max().copied().unwrap_or(0)
            )));
        }
        // An ideal gas in a force a is denser by exp(a L / (kT/m)) at the far end of a length L.
        let along = (0..dimension).filter(|&a| !periodic[a]).map(|a| acceleration[a].abs() * extent[a] as f64);
        let squeezed = along.fold(0.0, f64::max) * self.fluid.waveform.largest() / speed.powi(2);
        if squeezed > 0.05 {
            self.notes.push(format!(
                "drive: the force towards walls compresses the fluid, which is {:.0} % denser at one of them than at the other: \
                 take a weaker one or a higher temperature",
                100.0 * squeezed.exp_m1()
            ));
        }
        if particles < 3.0 {
            self.notes.push(format!(
                "{particles} particles a cell are few: theory of the viscosity holds from 3 on, most people take 5 to 20"
            ));
        }
        let degrees = self.fluid.parameters.angle.to_degrees();
        if dimension == 2 && self.fluid.parameters.collision == Collision::Rotation && degrees > MOST_FORGETFUL {
            self.notes.push(format!(
                "angle {degrees} degrees: in 2-D beyond {MOST_FORGETFUL} collisions nearly reverse velocities and undo each other, \
                 so the viscosity and Reynolds number by theory are too high, at 180 without bound: measure the viscosity, or \
                 take a smaller angle"
            ));
        }
        if speed > 0.6 {
            self.notes.push(format!(
                "a mean free path of {speed:.2} spacings makes a gas: momentum diffuses no faster than particles; 0.1 makes a \
                 liquid"
            ));
        }
        if self.fluid.parameters.thermostat == 0.0
            && kick > 0.0
            && self.fluid.parameters.collision == Collision::Rotation
        {
            let walls = match self.fluid.parameters.walls {
                Walls::NoSlip => "the body force heats the fluid, which \"no_slip\" walls alone cool",
                Walls::BounceBack | Walls::Slip => "the body force heats the fluid for ever",
            };
            self.notes.push(format!("without \"thermostat\" {walls}"));
        }
        self.notes.extend(self.fluid.waveform.advice("drive", self.fluid.units.dt));
        if self.fluid.parameters.thermostat == 0.0 && self.fluid.parameters.angular_momentum {
            self.notes.push(
                "with \"angular_momentum\" and without \"thermostat\" rounding takes some 1e-6 of the energy in each step".to_owned(),
            );
        }
        Ok(self)
    }

    /// What points that the fluid carries need to know.
    fn bath(&self) -> Bath {
        let Fluid { parameters, units, thermal, mass, .. } = &self.fluid;
        Bath {
            units: *units,
            thermal: *thermal,
            mass: *mass,
            speed: parameters.speed,
            bits: parameters.bits(),
            usual_mass: (parameters.particles.round() as u32).max(1),
            flows: true,
            no_slip: parameters.walls != Walls::Slip,
            wall_velocities: parameters.wall_velocities.clone(),
            initial: parameters.initial,
            seed: parameters.seed,
        }
    }

    /// Names of the moving walls.
    fn moving(&self) -> impl Iterator<Item = &str> {
        self.header.openings.iter().map(|opening| opening.name.as_str())
    }

    fn gas(&self) -> Gas {
        let Parameters { dimension, particles, speed, angle, collision, angular_momentum, .. } = self.fluid.parameters;
        let angle = (collision == Collision::Rotation).then_some(angle);
        Gas { dimension, particles, mean_free_path: speed, angle, angular_momentum }
    }

    /// Speed of sound of an ideal gas, isothermal with a thermostat, lattice units.
    fn sound(&self) -> f64 {
        self.fluid.parameters.speed
    }

    /// Kinematic viscosity by theory, lattice units.
    fn viscosity(&self) -> f64 {
        self.gas().viscosity().iter().sum()
    }

    /// Particles in all.
    fn count(&self) -> u64 {
        particles::count(&self.fluid.parameters, self.header.nodes as u64)
    }
}

/// Refuses numbers that cannot work in any case.
fn check(config: &SrdConfig) -> Result<()> {
    let SrdConfig { density, temperature, particles_per_cell: m, sample_every, .. } = config;
    let (angle, thermostat) = (config.angle(), config.thermostat());
    if density.si() <= 0.0 {
        return Err(refuse("density", format!("{density} must be above 0")));
    }
    if temperature.si() <= 0.0 {
        return Err(refuse("temperature", format!("{temperature} must be above 0: it makes particles move")));
    }
    if !(2.0..=200.0).contains(m) {
        return Err(refuse(
            "particles_per_cell",
            format!("{m} must lie from 2 to 200: with fewer, most particles meet nobody; 10 is usual"),
        ));
    }
    if config.collision == Collision::Andersen {
        let given = [("angle", config.angle), ("thermostat", config.thermostat)];
        if let Some((key, Some(value))) = given.into_iter().find(|(_, given)| given.is_some()) {
            return Err(refuse(
                key,
                format!(
                    "{value} has no effect with \"collision\": \"andersen\", which draws velocities anew: leave it out"
                ),
            ));
        }
    }
    if !(angle > 0.0 && angle <= 180.0) {
        return Err(refuse(
            "angle",
            format!("{angle} must be above 0 and at most 180 degrees: without a turn nothing collides; 130 is usual"),
        ));
    }
    if !(0.0..=1.0).contains(&thermostat) {
        return Err(refuse("thermostat", format!("{thermostat} must lie from 0 to 1: the share of cells in a step")));
    }
    if *sample_every == 0 {
        return Err(refuse("sample_every", "0: fields are means over samples; give 1 or more"));
    }
    Ok(())
}

/// Velocities of walls in lattice units: of the wall at rest, then of the moving walls of the case in its order.
fn wall_velocities(
    sections: &SrdSections,
    header: &Header,
    units: &LatticeUnits,
    walls: Walls,
) -> Result<Vec<[f64; 3]>> {
    let slips = walls == Walls::Slip;
    let names = || header.openings.iter().map(|opening| opening.name.as_str());
    if let Some(unknown) = sections.openings.keys().find(|name| !names().any(|known| known == *name)) {
        let hint = nearest(unknown, names()).map(|near| format!("; did you mean \"{near}\"?")).unwrap_or_default();
        return Err(Fault::usage(format!("openings.{unknown}: the case has no such opening{hint}")));
    }
    if let Some(open) = header.openings.iter().find(|opening| opening.kind != OpeningKind::Wall) {
        return Err(Fault::usage(format!(
            "openings.{}: particles of \"srd\" neither come in nor leave: make the direction periodic in the CASE.json and \
             give a body force or a pressure drop in \"drive\", or take \"lattice_boltzmann\"",
            open.name
        )));
    }
    if header.openings.len() > MOST_WALLS {
        return Err(Fault::usage(format!(
            "the case has {} moving walls, the limit is {MOST_WALLS}",
            header.openings.len()
        )));
    }
    let velocity = |opening: &hematite_case::OpeningHeader| {
        let given = sections.openings.get(&opening.name).and_then(|wall| wall.wall_velocity.as_deref());
        let key = format!("openings.{}.wall_velocity", opening.name);
        let u = vector(&key, given, header.set.dimension(), units.velocity())?;
        if slips && u != [0.0; 3] {
            return Err(Fault::usage(format!(
                "{key} has no effect with fluid.srd.walls \"slip\": particles keep their velocity along the wall. Leave it \
                 out, or take \"no_slip\" or \"bounce_back\""
            )));
        }
        moves_along_itself(u, opening.normal).map_err(|fault| fault.within(&key))?;
        Ok(u)
    };
    std::iter::once(Ok([0.0; 3])).chain(header.openings.iter().map(velocity)).collect()
}

impl Planned for PlannedSrd {
    fn name(&self) -> &'static str {
        NAME
    }

    fn report(&self) -> Vec<(&'static str, String)> {
        let Parameters { particles, speed, .. } = self.fluid.parameters;
        vec![
            (
                "time",
                format!("{} steps of {:.4e} s, mean free path {speed:.4} spacings", self.steps, self.fluid.units.dt),
            ),
            ("particles", format!("{}, {particles} in a cell", self.count())),
            (
                "viscosity",
                format!(
                    "{:.4e} Pa s by theory",
                    self.viscosity() * self.fluid.units.kinematic_viscosity() * self.fluid.units.rho0
                ),
            ),
        ]
    }

    fn advice(&self) -> Vec<String> {
        self.notes.clone()
    }

    fn figures(&self) -> Vec<Figure> {
        let [kinetic, collisional] = self.gas().viscosity();
        let (nu, diffusion) = (kinetic + collisional, self.gas().self_diffusion());
        let unit = self.fluid.units.kinematic_viscosity();
        let own = [
            Figure::new("particles", self.count() as f64, ""),
            Figure::new("time step", self.fluid.units.dt, "s"),
            Figure::new("thermal speed", self.fluid.parameters.speed * self.fluid.units.velocity(), "m/s")
                .noted("sqrt(kT/m)"),
            Figure::new("viscosity", nu * unit * self.fluid.units.rho0, "Pa s").noted(format!(
                "theory: {:.4} in units of spacing and time step, {:.0} % of it by collisions",
                nu,
                100.0 * collisional / nu
            )),
            Figure::new("Schmidt number", nu / diffusion, "").noted("nu / D of a particle, by theory"),
        ];
        own.into_iter().chain(expected::figures(&self.fluid, &self.header, nu)).collect()
    }

    fn write_down(&self, record: &mut RunRecord) {
        record.velocity_set = format!("{:?}", self.header.set);
        (record.dx, record.dt, record.rho0) = (self.fluid.units.dx, self.fluid.units.dt, self.fluid.units.rho0);
        (record.nu, record.steps) = (self.viscosity() * self.fluid.units.kinematic_viscosity(), Some(self.steps));
        "f32".clone_into(&mut record.precision);
        record.pressure_drop = self.pressure_drop;
        let opening = |opening: &hematite_case::OpeningHeader| OpeningRecord {
            name: opening.name.clone(),
            kind: format!("{:?}", opening.kind).to_lowercase(),
        };
        record.openings = self.header.openings.iter().map(opening).collect();
    }

    fn tables(&self) -> Vec<Table<'_>> {
        self.fluid.waveform.table().map(|rows| (vec!["drive", "waveform", "table"], rows)).into_iter().collect()
    }

    fn least_bytes(&self, ground: &Ground) -> [u64; 2] {
        let d = self.fluid.parameters.dimension as u64;
        let particles = (ground.part.own as f64 * self.fluid.parameters.particles) as u64;
        // Two sets of arrays, keys and order of the sort; sums, samples and collisions of cells.
        let of_particles = 8 * (2 * d + 2) + 12;
        let of_cells = 4 * u64::from(self.fluid.parameters.width())
            + 12 * (2 + d)
            + 16 * u64::from(rows(&self.fluid.parameters))
            + 12;
        [particles * of_particles + ground.part.own as u64 * of_cells, 4 * d * particles]
    }

    fn state_bytes(&self, nodes: u64) -> f64 {
        state::bytes(self.fluid.parameters.dimension, nodes, self.count()) as f64
    }

    fn provide(&mut self, needs: &FluidNeeds) {
        self.fluid.parameters.points = needs.points;
    }

    fn fields(&self) -> Vec<Field> {
        vec![Field::DENSITY, Field::PRESSURE, Field::VELOCITY, TEMPERATURE]
    }

    fn columns(&self) -> Vec<Column> {
        let momentum = ["x", "y", "z"][..self.fluid.parameters.dimension].iter();
        let momentum = momentum.map(|axis| Column::new(format!("momentum_{axis}_kg_m_per_s")));
        momentum.chain([Column::new("kinetic_energy_J"), Column::new("temperature_K")]).collect()
    }

    fn fits(&self, saved: &StateHeader, _: u64) -> Result<()> {
        let (before, source) = (saved.note::<Note>(NAME)?, &saved.source);
        if before.bits == self.fluid.parameters.bits() {
            return Ok(());
        }
        Err(Fault::usage(format!(
            "{source} holds positions in units of 2^-{} spacings, this run has 2^-{}: go on with the same \"fluid.srd\"",
            before.bits,
            self.fluid.parameters.bits()
        )))
    }

    fn bears(&self, saved: &StateHeader) -> Result<()> {
        let (before, source) = (saved.note::<Note>(NAME)?, &saved.source);
        let now = self.fluid.note(before.samples, before.dumped);
        let same = |a: f64, b: f64| (a - b).abs() <= 1e-12 * b.abs();
        if same(before.time_step_s, now.time_step_s)
            && same(before.speed, now.speed)
            && same(before.particles_per_cell, now.particles_per_cell)
            && before.mass.zip(now.mass).is_none_or(|(before, now)| same(before, now))
        {
            return Ok(());
        }
        Err(Fault::usage(format!(
            "{source} holds a state of another fluid or time step (time step {:e} s, mean free path {}, {} particles a \
             cell, {:e} kg each; now {:e} s, {}, {}, {:e} kg): go on with the same \"fluid.srd\" and \"time\", or start anew \
             into another folder with -o",
            before.time_step_s,
            before.speed,
            before.particles_per_cell,
            before.mass.unwrap_or_default(),
            now.time_step_s,
            now.speed,
            now.particles_per_cell,
            now.mass.unwrap_or_default()
        )))
    }

    fn build(
        &self,
        gpu: &Gpu,
        comm: &dyn Comm,
        ground: &mut Ground,
        shared: &mut SharedData,
        saved: Option<&dyn Saved>,
    ) -> Result<Box<dyn Physics>> {
        let cells = Cells::new(gpu, comm, ground, &self.fluid.parameters)?;
        let particles = match saved {
            Some(saved) => state::particles(&self.fluid.parameters, saved)?,
            None => particles::at_start(comm, ground, &self.fluid.parameters)?,
        };
        let mut solvent = Solvent::new(gpu, comm, (&self.fluid.parameters, cells), &particles)?;
        shared.points = solvent.points().cloned();
        let (mut step, mut dumped) = (0, false);
        if let Some(saved) = saved {
            let note: Note = agree(comm, saved.header().note(NAME))?;
            let samples = state::samples(&self.fluid.parameters, ground, saved)?;
            agree(comm, solvent.restore_samples(note.samples, &samples))?;
            (step, dumped) = (saved.header().step, note.dumped);
        }
        Ok(Box::new(Srd::new(self.fluid.clone(), solvent, step, dumped)))
    }
}

/// The fluid by stochastic rotation dynamics, as a choice of runs.
pub struct SrdMethod;

impl Method for SrdMethod {
    fn schema(&self, generator: &mut SchemaGenerator) -> Schema {
        SrdSections::json_schema(generator)
    }

    fn plan(&self, planning: &mut Planning) -> Result<()> {
        let chosen: FluidChoice = planning.document.sections()?;
        if chosen.fluid.srd.is_none() {
            return Ok(());
        }
        let mut sections: SrdSections = planning.document.sections()?;
        if let Some(config) = &mut sections.fluid.srd {
            config.seed = planning.seed(config.seed);
        }
        let Some(config) = &sections.fluid.srd else { return Ok(()) };
        if planning.ground.is_some() {
            return Err(Fault::usage("fluid: \"srd\" stands beside another method: give one"));
        }
        if config.angular_momentum && !planning.case.header().polymers.is_empty() {
            return Err(refuse(
                "angular_momentum",
                "true: collisions with the beads of polymers do not keep it; leave it at false",
            ));
        }
        planning.write_down(&sections)?;
        let planned = PlannedSrd::new(planning.path, config, &sections, &planning.time, planning.case.header());
        let planned = agree(planning.comm, planned)?;
        planning.set_ground(planning.find_ground(None)?, planning.time.fixed(planned.fluid.units.dt)?)?;
        planning.bath = Some(planned.bath());
        planning.planned.push(Box::new(planned));
        Ok(())
    }
}
