//! From a run's config and its case to lattice numbers: rates, openings, drive; what cannot work is refused.

use std::collections::BTreeMap;
use std::path::Path;

use hematite_case::{Case, Header, OpeningNode, OpeningSite, Part};
use hematite_cells::vector::length;
use hematite_config::{Fault, Result};
use hematite_engine::waveform::Waveform;
use hematite_engine::{DriveConfig, Medium, Precision, TimeConfig};
use hematite_geometry::OpeningKind;
use hematite_units::{LatticeUnits, groups};

use crate::conditions::{Condition, Value, conditions, inflow, largest_inflow};
use crate::config::{Collision, FluidConfig, OpeningCondition, WallMethod, three_sixteenths};
use crate::limits::MACH_LIMIT;
use crate::profile::Tabulated;
use crate::walls::cut_exactly;
use crate::{Outlets, Parameters, Prescribed, Row, Shape, Walls, cuts, profile};

/// What ledgers call the mass that walls give, and the force on all of them, beside the names of openings and parts.
pub const WALLS: &str = hematite_geometry::WHOLE_WALL;

/// A run's physics in lattice units.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Scales between SI and the lattice.
    pub units: LatticeUnits,
    /// Relaxation time of the even parts.
    pub tau: f64,
    /// Relaxation time of the odd parts.
    pub tau_minus: f64,
    /// Kinematic viscosity, m2/s.
    pub nu: f64,
    /// Number of time steps asked for.
    pub steps: u64,
    /// Mean pressure gradient a pressure drop stands for, Pa/m, positive along the flow.
    pub pressure_drop: [f64; 3],
    dimension: usize,
    fluid: FluidConfig,
    openings: Vec<Condition>,
    force: [f64; 3],
    drive: Waveform,
}

/// The relaxation time of the odd parts for that of the even parts, `tau`.
fn odd_relaxation(fluid: &FluidConfig, tau: f64) -> Result<f64> {
    if !(1e-6..=1e2).contains(&fluid.magic) {
        return Err(Fault::usage(format!(
            "fluid.lattice_boltzmann.magic {} must lie from 1e-6 to 100, best 3/16",
            fluid.magic
        )));
    }
    if fluid.collision == Collision::Bgk && fluid.magic != three_sixteenths() {
        return Err(Fault::usage(format!(
            "fluid.lattice_boltzmann.magic {} has no effect with \"collision\": \"bgk\", which has one relaxation time: leave it \
             out, or take \"collision\": \"trt\"",
            fluid.magic
        )));
    }
    Ok(match fluid.collision {
        Collision::Trt => 0.5 + fluid.magic / (tau - 0.5),
        Collision::Bgk => tau,
    })
}

impl Plan {
    /// Resolves the physics of a run on the case that `header` describes; `config` is the run config's path, to which paths in it are
    /// relative.
    ///
    /// # Errors
    /// A usage fault with key, value, limit and remedy for whatever cannot work.
    pub fn new(
        config: &Path,
        fluid: &FluidConfig,
        time: &TimeConfig,
        openings: &BTreeMap<String, OpeningCondition>,
        drive: &DriveConfig,
        header: &Header,
    ) -> Result<Self> {
        let (units, tau, nu) = scales(fluid, time, header.spacing)?;
        let steps = time.steps(units.dt)?;
        let tau_minus = odd_relaxation(fluid, tau)?;
        let (force, pressure_drop) = drive.force(header)?;
        let force = force.map(|f| f / units.force_density());
        let kick = groups::mach(force.iter().map(|f| f * f).sum::<f64>().sqrt());
        if kick > MACH_LIMIT {
            return Err(Fault::usage(format!(
                "drive: the body force changes the velocity by Mach {kick:.3e} in one step, the limit is {MACH_LIMIT}: \
                 take a weaker one or a shorter time step than {:.3e} s",
                units.dt
            )));
        }
        let in_drive = |fault: Fault| fault.within("drive");
        let wave = Waveform::new(config, &drive.waveform, drive.ramp).map_err(in_drive)?;
        wave.resolved(units.dt).map_err(in_drive)?;
        Ok(Self {
            units,
            tau,
            tau_minus,
            nu,
            steps,
            pressure_drop,
            dimension: header.set.dimension(),
            fluid: fluid.clone(),
            openings: conditions(config, openings, header, &units)?,
            force,
            drive: wave,
        })
    }

    /// What was read from the tables that the config names: where in the config each is named, and its numbers.
    pub fn tables(&self) -> Vec<(Vec<&str>, Vec<f64>)> {
        let mut tables: Vec<(Vec<&str>, Vec<f64>)> = Vec::new();
        for condition in &self.openings {
            let key = ["openings", &condition.name];
            if let Value::Tabulated(table) = &condition.value {
                tables.push(([&key[..], &["profile"]].concat(), table.numbers()));
            }
            if let Some(rows) = condition.waveform.table() {
                tables.push(([&key[..], &["waveform", "table"]].concat(), rows));
            }
        }
        tables.extend(self.drive.table().map(|rows| (vec!["drive", "waveform", "table"], rows)));
        tables
    }

    /// The outlets whose pressure follows the flow, at the start of the run.
    pub fn outlets(&self) -> Outlets {
        let outlets = self.openings.iter().enumerate().filter_map(|(k, condition)| condition.outlet(k));
        Outlets::new(outlets, self.terms(), self.units, self.dimension)
    }

    /// What is prescribed at each opening, in the case's order.
    pub(crate) fn conditions(&self) -> &[Condition] {
        &self.openings
    }

    /// How what drives the fluid goes with time.
    pub(crate) fn drive(&self) -> &Waveform {
        &self.drive
    }

    /// Factors of each opening in a row.
    fn terms(&self) -> usize {
        self.openings.iter().map(Condition::terms).fold(1, usize::max)
    }

    /// Finds the profiles of oscillating flow on the openings that ask for them, before [`Plan::parameters`], and compares
    /// profiles from files with where their openings are. Returns what to say of these.
    ///
    /// # Errors
    /// A usage fault where the case is damaged, or a file's profile is not on its opening; a numerical failure where a
    /// profile does not converge.
    pub fn find_profiles(&mut self, case: &Case) -> Result<Vec<String>> {
        let (dt, nu) = (self.units.dt, groups::viscosity(self.tau));
        let asks = |condition: &Condition| matches!(condition.value, Value::Womersley(_) | Value::Tabulated(_));
        let mut notes = Vec::new();
        if !self.openings.iter().any(asks) {
            return Ok(notes);
        }
        let openings = case.openings()?;
        let mut places: Vec<Vec<[i32; 3]>> = vec![Vec::new(); openings.len()];
        let mut first = 0;
        case.each_position(|positions| {
            for (places, opening) in places.iter_mut().zip(&openings) {
                let number = |site: &OpeningSite| (site.node.0 as usize).wrapping_sub(first);
                places.extend(opening.nodes.iter().filter_map(|site| positions.get(number(site))));
            }
            first += positions.len();
        })?;
        for ((condition, opening), places) in self.openings.iter_mut().zip(&openings).zip(&places) {
            let within = |fault: Fault| fault.within(format!("openings.{}", condition.name));
            match &mut condition.value {
                Value::Womersley(flow) => flow.solve(opening, places, case.header(), dt, nu).map_err(within)?,
                Value::Tabulated(table) => {
                    let said = covers(table, places, case.header()).map_err(within)?;
                    notes.extend(said.map(|said| format!("openings.{}: {said}", condition.name)));
                }
                _ => {}
            }
        }
        Ok(notes)
    }

    /// What is prescribed in time step `t`; 0 where the pressure of an outlet follows the flow, see [`crate::Outlets`].
    pub fn row(&self, t: u64) -> Row {
        let start = t as f64 * self.units.dt;
        let middle = start + 0.5 * self.units.dt;
        let factor = self.drive.at(start);
        let terms = self.terms();
        let mut openings = vec![0.0; terms * self.openings.len()];
        for (condition, factors) in self.openings.iter().zip(openings.chunks_mut(terms)) {
            factors[0] = match &condition.value {
                Value::Pressure(drho) => drho * condition.waveform.at(middle),
                Value::Split { share, .. } => share * inflow(&self.openings, middle),
                Value::Outlet(_) => 0.0,
                Value::Womersley(flow) => {
                    let found = flow.factors(&condition.waveform, middle);
                    factors[..found.len()].copy_from_slice(&found);
                    continue;
                }
                _ => condition.waveform.at(middle),
            };
        }
        Row { force: self.force.map(|f| f * factor), openings }
    }

    /// What the fluid needs to know, with the shapes of the openings at the nodes of `part`.
    ///
    /// # Errors
    /// A usage fault where an opening's velocity is beyond the method.
    pub fn parameters(&self, header: &Header, part: &Part) -> Result<Parameters> {
        let mut openings = Vec::with_capacity(self.openings.len());
        for ((condition, opening), nodes) in self.openings.iter().zip(&header.openings).zip(&part.openings) {
            let prescribed = match &condition.value {
                Value::Pressure(_) | Value::Outlet(_) => Prescribed::Pressure,
                Value::Womersley(flow) => Prescribed::Terms(flow.shapes(condition.normal, nodes, part)?),
                value => {
                    let shape = self.shape(value, condition.normal, nodes, header, part);
                    if opening.kind == OpeningKind::Wall {
                        Prescribed::Wall(shape)
                    } else {
                        Prescribed::Velocity(shape)
                    }
                }
            };
            self.check_mach(&format!("openings.{}", condition.name), self.peak(condition, &prescribed))?;
            openings.push(prescribed);
        }
        Ok(Parameters {
            set: header.set,
            precision: self.fluid.precision,
            omega_plus: 1.0 / self.tau,
            omega_minus: 1.0 / self.tau_minus,
            force: self.force != [0.0; 3],
            immersed: None,
            walls: Walls::HalfWay,
            openings,
        })
    }

    /// The velocity that a value means at `nodes` of the part.
    fn shape(&self, value: &Value, normal: [f64; 3], nodes: &[OpeningNode], header: &Header, part: &Part) -> Shape {
        match value {
            Value::Developed(speed) => profile::developed(nodes, normal, *speed),
            Value::Uniform(velocity) => vec![*velocity; nodes.len()],
            Value::Tabulated(table) => nodes
                .iter()
                .map(|node| {
                    let at = part.position[node.node as usize];
                    let point = std::array::from_fn(|k| header.origin[k] + (f64::from(at[k]) + 0.5) * header.spacing);
                    table.at(point).map(|u| u / self.units.velocity())
                })
                .collect(),
            Value::Split { of, .. } => self.shape(of, normal, nodes, header, part),
            Value::Womersley(_) | Value::Pressure(_) | Value::Outlet(_) => Vec::new(),
        }
    }

    /// Where walls stop the fluid.
    pub fn wall_method(&self) -> WallMethod {
        self.fluid.walls
    }

    /// Whether walls give or take mass, which the ledger counts.
    pub fn walls_give_mass(&self) -> bool {
        self.fluid.walls != WallMethod::HalfWay
    }

    /// The magic number of the collision.
    pub fn magic(&self) -> f64 {
        (self.tau - 0.5) * (self.tau_minus - 0.5)
    }

    /// How walls send populations back at the nodes of `part`, for [`Parameters::walls`]; half-way behind immersed
    /// ones.
    ///
    /// # Errors
    /// A usage fault where the case is damaged, or one of its openings has the name that ledgers give to walls.
    pub fn walls(&self, case: &Case, part: &Part) -> Result<Walls> {
        if !self.walls_give_mass() {
            return Ok(Walls::HalfWay);
        }
        if self.openings.iter().any(|opening| opening.name == WALLS) {
            return Err(Fault::usage(format!(
                "fluid.lattice_boltzmann.walls \"{}\": the ledger calls the mass that they give \"{WALLS}\", which is the name of \
                 an opening: give the opening another name, or take \"half_way\"",
                self.fluid.walls.name()
            )));
        }
        if self.fluid.walls == WallMethod::Immersed {
            return Ok(Walls::HalfWay);
        }
        let walls = case.walls()?;
        let mut cuts = cuts(case.header().set, part, &walls);
        if let Some(exact) = case.wall_cuts()? {
            cut_exactly(&mut cuts, part, &walls, &exact);
        }
        Ok(Walls::Interpolated(cuts))
    }

    /// Refuses a velocity, lattice units, that is beyond the method; `key` says whose it is.
    ///
    /// # Errors
    /// A usage fault with the largest time step that would do.
    pub fn check_mach(&self, key: &str, peak: f64) -> Result<()> {
        let mach = groups::mach(peak);
        if mach <= MACH_LIMIT {
            return Ok(());
        }
        Err(Fault::usage(format!(
            "{key}: its peak velocity {:.4e} m/s is Mach {mach:.3} on the lattice, the limit is {MACH_LIMIT}: \
             take a time step of at most {:.3e} s (now {:.3e} s), i.e. tau {:.4} or less, or a finer lattice",
            peak * self.units.velocity(),
            self.units.dt * 0.5 * MACH_LIMIT / mach,
            self.units.dt,
            groups::relaxation_time(groups::viscosity(self.tau) * 0.5 * MACH_LIMIT / mach),
        )))
    }

    /// The largest speed prescribed at each opening's nodes of a part, at the peak of the waveform, lattice units; zero for
    /// pressures. `prescribed` is what [`Plan::parameters`] made for the part.
    pub fn peaks(&self, prescribed: &[Prescribed]) -> Vec<f64> {
        self.openings.iter().zip(prescribed).map(|(condition, prescribed)| self.peak(condition, prescribed)).collect()
    }

    fn peak(&self, condition: &Condition, prescribed: &Prescribed) -> f64 {
        let fastest = |shape: &Shape| shape.iter().copied().map(length).fold(0.0, f64::max);
        match (&condition.value, prescribed) {
            (Value::Womersley(flow), Prescribed::Terms(shapes)) => flow.peak(&condition.waveform, shapes),
            (Value::Split { share, .. }, Prescribed::Velocity(shape)) => {
                fastest(shape) * share * largest_inflow(&self.openings)
            }
            (_, Prescribed::Velocity(shape) | Prescribed::Wall(shape)) => fastest(shape) * condition.waveform.largest(),
            _ => 0.0,
        }
    }

    /// The largest magnitude of the body force, lattice units.
    pub(crate) fn largest_force(&self) -> f64 {
        length(self.force) * self.drive.largest()
    }

    /// The largest difference between the density deviations at pressure openings, at any times.
    pub(crate) fn pressure_difference(&self) -> f64 {
        let range = |condition: &Condition| match condition.value {
            Value::Pressure(drho) if condition.waveform.is_constant() => Some([drho, drho]),
            Value::Pressure(drho) => Some([-1.0, 1.0].map(|sign| sign * drho.abs() * condition.waveform.largest())),
            _ => None,
        };
        let ranges: Vec<[f64; 2]> = self.openings.iter().filter_map(range).collect();
        let highest = ranges.iter().map(|range| range[1]).reduce(f64::max);
        let lowest = ranges.iter().map(|range| range[0]).reduce(f64::min);
        if ranges.len() < 2 { 0.0 } else { highest.zip(lowest).map_or(0.0, |(high, low)| high - low) }
    }

    /// Whether what is prescribed at an opening stays as it is, but for a ramp.
    pub fn is_steady(&self, opening: usize) -> bool {
        self.openings[opening].waveform.is_constant()
    }

    /// Whether what is prescribed at openings and drives the fluid stays as it is, but for ramps.
    pub fn is_steady_throughout(&self) -> bool {
        self.drive.is_constant() && self.openings.iter().all(|condition| condition.waveform.is_constant())
    }

    /// The fluid as what is suspended in it has to know it.
    pub fn medium(&self) -> Medium {
        let (units, precision, rises_until) = (self.units, self.precision(), self.ramped_until());
        Medium { units, nu: self.nu, precision, magic: self.magic(), rises_until }
    }

    /// Relaxation rates of the even and of the odd parts where the viscosity is `contrast` times that of the fluid.
    pub fn rates(&self, contrast: f64) -> [f64; 2] {
        let tau = 0.5 + contrast * (self.tau - 0.5);
        [1.0 / tau, 1.0 / (0.5 + self.magic() / (tau - 0.5))]
    }

    /// What is said of cells in which the viscosity is `contrast` times that outside, marked every `mark_every` steps, where the odd parts inside cells keep what a node is disturbed by as it comes in from one mark to the
    /// next. A step takes them to `-(1 - 2 d / (d + 1/2))` of what they were, `d = magic / (tau - 1/2)` their relaxation time
    /// above 1/2; in the time between marks they decay by a factor e where `d = 1 / (4 mark_every)`.
    pub fn contrast_advice(&self, contrast: f64, mark_every: u64) -> Option<String> {
        let tau = 0.5 + contrast * (self.tau - 0.5);
        let (above, least) = (self.magic() / (tau - 0.5), 0.25 / mark_every as f64);
        // With one rate for all parts there is no magic number to choose.
        (above < least && self.tau_minus != self.tau).then(|| {
            format!(
                "contrast {contrast} with fluid.lattice_boltzmann.magic {:.4} and tau {:.3} makes tau {tau:.3} inside cells and {:.5} for the odd \
                 parts there, which should be at least {:.5} for disturbances to decay between marks: take a magic number of \
                 at least {:.3}, a time step of at most {:.3e} s, or cells.mark_every {} or more",
                self.magic(),
                self.tau,
                0.5 + above,
                0.5 + least,
                least * (tau - 0.5),
                self.units.dt * above / least,
                (0.25 / above).ceil()
            )
        })
    }

    /// The step at which the last ramp is over; 0 without ramps.
    pub fn ramped_until(&self) -> u64 {
        let rises = self.openings.iter().map(|condition| condition.waveform.rise()).chain([self.drive.rise()]);
        (rises.fold(0.0, f64::max) / self.units.dt).ceil() as u64
    }

    /// Storage and arithmetic.
    pub fn precision(&self) -> Precision {
        self.fluid.precision
    }

    /// What may go wrong though it is allowed, one sentence each.
    pub fn advice(&self) -> Vec<String> {
        let mut advice = Vec::new();
        if self.tau < 0.51 {
            advice.push(format!(
                "tau {:.4} is close to 0.5: expect instability; a finer lattice or smaller velocity raises it",
                self.tau
            ));
        }
        if self.tau > 2.0 {
            advice.push(format!(
                "tau {:.3} is large: errors at walls grow with it; a shorter time step lowers it",
                self.tau
            ));
        }
        if self.ramped_until() > self.steps {
            advice.push(format!(
                "a \"ramp\" ends at step {}, beyond the run's {}: the flow never reaches what is prescribed",
                self.ramped_until(),
                self.steps
            ));
        }
        advice
    }
}

/// Nodes beyond the coordinates of a file's profile are told of from this share on.
const UNCOVERED: f64 = 0.05;

/// What to say of a profile from a file that does not cover all nodes of its opening, which are at `places`.
///
/// # Errors
/// A usage fault where it covers none.
fn covers(table: &Tabulated, places: &[[i32; 3]], header: &Header) -> Result<Option<String>> {
    let metres = |at: &[i32; 3]| std::array::from_fn(|k| header.origin[k] + (f64::from(at[k]) + 0.5) * header.spacing);
    let points: Vec<[f64; 3]> = places.iter().map(metres).collect();
    let is_coarse = table.is_coarse(&points, header.spacing);
    let coarse = is_coarse
        .then(|| "no row of the profile's file lies within the opening: check its coordinates' unit".to_owned());
    let Some((share, axis, [low, high], [first, last])) = table.uncovered(&points, header.spacing) else {
        return Ok(coarse);
    };
    let axis = ["x", "y", "z"][axis];
    let text = format!(
        "the profile's file has {axis} from {low:.3e} to {high:.3e} m, and the opening {axis} from {first:.3e} to {last:.3e} m: \
         {:.0} % of its nodes are beyond the file, and take the nearest value; check the column's unit, and count from the picture's \
         lower-left corner",
        100.0 * share
    );
    match share >= 1.0 {
        true => Err(Fault::usage(text)),
        false => Ok(coarse.or((share > UNCOVERED).then_some(text))),
    }
}

/// Scales, tau and kinematic viscosity.
fn scales(fluid: &FluidConfig, time: &TimeConfig, dx: f64) -> Result<(LatticeUnits, f64, f64)> {
    let rho0 = fluid.density.si();
    if rho0 <= 0.0 {
        return Err(Fault::usage(format!("fluid.lattice_boltzmann.density {} must be positive", fluid.density)));
    }
    let nu = fluid.viscosity.si() / rho0;
    if nu <= 0.0 {
        return Err(Fault::usage(format!("fluid.lattice_boltzmann.viscosity {} must be positive", fluid.viscosity)));
    }
    let (dt, tau) = match (time.step, fluid.tau) {
        (Some(step), None) => (step.si(), groups::relaxation_time(nu * step.si() / (dx * dx))),
        (None, Some(tau)) => (groups::viscosity(tau) * dx * dx / nu, tau),
        _ => return Err(Fault::usage("give one of \"fluid.lattice_boltzmann.tau\" and \"time.step\"")),
    };
    if tau <= 0.5 {
        return Err(Fault::usage(format!(
            "fluid.lattice_boltzmann: tau {tau} must be above 0.5 (best 0.6 to 1.2); a step of {:.3e} s would make it 0.8",
            groups::viscosity(0.8) * dx * dx / nu
        )));
    }
    Ok((LatticeUnits { dx, dt, rho0 }, tau, nu))
}
