//! From a run's config to the physics of its rigid bodies in lattice units.

use hematite_case::{Header, Population};
use hematite_config::{Fault, Result, nearest};
use hematite_engine::sites::Coordinate;
use hematite_engine::{Medium, SurfaceContact};

use super::Gate;
use super::friction::{coupling, inertia, jeffery, mass, rotational, translational};
use super::gay_berne::{GayBerne, Shape};
use super::parameters::{FASTEST, Kind, Parameters};
use super::region::{half_widths, lattice_mobility};
use super::state::State;
use super::surface;
use super::wall::Wall;
use crate::config::{BodiesConfig, BodyConfig};

/// Default energy of contact over the largest the time step bears: over `m sigma^2`, where contacts that turn bodies are five times
/// as stiff to them as those that push them, and stiffness is 456 epsilon / sigma^2.
const CONTACT_SHARE: f64 = 0.4 / (5.0 * 456.0);

/// The largest force of a contact changes a velocity by so much in a step.
const LARGEST_KICK: f64 = 0.04;

/// The rigid bodies of a run in lattice units.
#[derive(Clone, Debug)]
pub struct Rigid {
    /// For [`RigidBodies`](super::RigidBodies).
    pub parameters: Parameters,
    /// What was chosen by default, one sentence each.
    pub notes: Vec<String>,
    /// Openings through which bodies go: see [`Rigid::open`].
    pub gates: Vec<Gate>,
}

impl Rigid {
    /// Resolves `config` for the rigid `populations` of a case, among cells that have this `surface`; none where there are none.
    ///
    /// # Errors
    /// A usage fault with key, value, limit and remedy for whatever cannot work: unknown populations, regions too narrow for a
    /// body's friction or the lattice, drag too strong for the time step, contact too stiff for it.
    pub fn new(
        config: &BodiesConfig,
        medium: &Medium,
        surface: Option<SurfaceContact>,
        header: &Header,
        populations: &[Population],
    ) -> Result<Option<Self>> {
        known(config, populations)?;
        if populations.is_empty() {
            if let Some(name) = config.inflow.keys().next() {
                return Err(Fault::usage(format!(
                    "bodies.inflow.{name}: the case has no rigid bodies to take after: seed it with some"
                )));
            }
            return Ok(None);
        }
        let mut kinds = Vec::with_capacity(populations.len());
        for population in populations {
            let given = config.populations.get(&population.name).cloned().unwrap_or_default();
            let key = format!("bodies.populations.{}", population.name);
            kinds.push(kind(&given, medium, population).map_err(|fault| fault.within(key))?);
        }
        let mut notes = Vec::new();
        notes.extend(kinds.iter().filter_map(|kind| driven_fast(kind, medium)));
        let (pairs, wall) = contact(config, medium, &kinds, &mut notes)?;
        for (contact, kind) in surface.iter().flat_map(|contact| kinds.iter().map(move |kind| (contact, kind))) {
            let pressure = surface::pressure(contact, kind);
            if pressure < contact.pressure {
                notes.push(format!(
                    "bodies of \"{}\" push cells with {:.3e} Pa in place of {:.3e} Pa, which the time step bears of bodies so light",
                    kind.name,
                    pressure * medium.units.stress(),
                    contact.pressure * medium.units.stress()
                ));
            }
        }
        let parameters = Parameters {
            precision: medium.precision,
            in_fluid: true,
            sharing: None,
            kinds,
            pairs,
            wall: Some(wall),
            surface,
            extent: header.extent,
            periodic: header.periodic,
            spacing: header.spacing,
            origin: header.origin,
        };
        parameters.check()?;
        Ok(Some(Self { parameters, notes, gates: Vec::new() }))
    }

    /// Where the bodies of the same populations are at the start.
    pub fn at_start<'a>(&'a self, populations: &'a [Population]) -> impl Iterator<Item = State> + 'a {
        let Parameters { spacing, origin, .. } = self.parameters;
        populations.iter().zip(0..).flat_map(move |(population, kind)| {
            population.cells.iter().zip(population.first..).map(move |(cell, id)| {
                let position = [0, 1, 2].map(|a| Coordinate::of((cell.centre[a] - origin[a]) / spacing - 0.5));
                State::at_rest(id as u32, kind, position, cell.orientation)
            })
        })
    }
}

/// Checks that the names in `bodies.populations` are rigid populations of the case.
fn known(config: &BodiesConfig, rigid: &[Population]) -> Result<()> {
    let names: Vec<&str> = rigid.iter().map(|population| population.name.as_str()).collect();
    let Some(unknown) = config.populations.keys().find(|name| !names.contains(&name.as_str())) else { return Ok(()) };
    let hint =
        nearest(unknown, names.iter().copied()).map(|near| format!("; did you mean \"{near}\"?")).unwrap_or_default();
    let known = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
    Err(Fault::usage(format!("bodies.populations.{unknown}: the case has no such rigid population, but {known}{hint}")))
}

fn kind(given: &BodyConfig, medium: &Medium, population: &Population) -> Result<Kind> {
    let units = &medium.units;
    let axes = population.rigid.map_or([1.0; 3], |body| body.semi_axes).map(|a| a / units.dx);
    let density = given.density.map_or(1.0, |density| density.si() / units.rho0);
    if !(0.1..=20.0).contains(&density) {
        return Err(Fault::usage(format!(
            "density {:.4e} kg/m3 is {density:.3} of the fluid's; it must be from 0.1 to 20 of it",
            density * units.rho0
        )));
    }
    for (key, value, least, most) in [
        ("region", given.region, 1.0, 8.0),
        ("friction", given.friction, 0.0, 10.0),
        ("rotational_friction", given.rotational_friction, 0.0, 10.0),
    ] {
        if !(least..=most).contains(&value) {
            return Err(Fault::usage(format!("{key} {value} must be from {least} to {most}")));
        }
    }
    if given.depths.iter().any(|depth| !(0.01..=100.0).contains(depth)) {
        return Err(Fault::usage(format!("depths {:?} must be from 0.01 to 100 each", given.depths)));
    }
    let half_widths = match given.half_widths {
        None => half_widths(axes, given.region),
        Some(lengths) => lengths.map(|length| length.si() / units.dx),
    };
    let eta = medium.nu / units.kinematic_viscosity();
    let through = lattice_mobility(half_widths, eta, medium.magic);
    let remedy = |fault: Fault| {
        Fault::usage(format!("{}: take \"region\" larger than {}, or less \"friction\"", fault.message, given.region))
    };
    let frictions = |stokes: [f64; 3], share: f64, mobility: [f64; 3]| {
        if share == 0.0 {
            return Ok([0.0; 3]);
        }
        coupling(stokes.map(|friction| share * friction), mobility).map_err(remedy)
    };
    Ok(Kind {
        name: population.name.clone(),
        shape: Shape { axes, depths: given.depths },
        half_widths,
        gamma_t: frictions(translational(axes, eta), given.friction, through.translation)?,
        gamma_r: frictions(rotational(axes, eta), given.rotational_friction, through.rotation)?,
        mass: mass(axes, density),
        inertia: inertia(axes, density),
        lambda: if given.strain_torque { jeffery(axes) } else { [0.0; 3] },
        force: given.force.map_or([0.0; 3], |force| force.map(|component| component.si() / units.force())),
        torque: [0.0; 3],
        seeded: population.cells.len() as u64,
    })
}

/// A note where the force on a body alone would drive it faster, in a wide creeping flow, than the lattice bears.
fn driven_fast(kind: &Kind, medium: &Medium) -> Option<String> {
    let units = &medium.units;
    let eta = medium.nu / units.kinematic_viscosity();
    let force = kind.force.iter().map(|f| f * f).sum::<f64>().sqrt();
    let speed = force / translational(kind.shape.axes, eta).into_iter().fold(f64::INFINITY, f64::min);
    (speed > FASTEST).then(|| {
        format!(
            "the force on bodies of \"{}\", {:.3e} N, drives them at up to {:.3e} m/s in a wide creeping flow; beyond {:.3e} m/s \
             a run ends: check the unit of bodies.populations.{}.force, or take a shorter step",
            kind.name,
            force * units.force(),
            speed * units.velocity(),
            FASTEST * units.velocity(),
            kind.name
        )
    })
}

fn contact(
    config: &BodiesConfig,
    medium: &Medium,
    kinds: &[Kind],
    notes: &mut Vec<String>,
) -> Result<(GayBerne, Wall)> {
    let (contact, units) = (&config.contact, &medium.units);
    let least = |of: &dyn Fn(&Kind) -> f64| kinds.iter().map(of).fold(f64::INFINITY, f64::min);
    let thinnest = 2.0 * least(&|kind| kind.shape.axes.into_iter().fold(f64::INFINITY, f64::min));
    let sigma = contact.softness.map_or(thinnest.min(1.0), |length| length.si() / units.dx);
    if !(0.05..=4.0).contains(&sigma) {
        return Err(Fault::usage(format!(
            "bodies.contact.softness is {sigma:.3} lattice spacings; it must be from 0.05 to 4, i.e. up to {:.3e} m here",
            4.0 * units.dx
        )));
    }
    let lightest = least(&|kind| kind.mass);
    let energy = units.force() * units.dx;
    let default = CONTACT_SHARE * lightest * sigma * sigma;
    let limit = 5.0 * default;
    let checked = |key: &str, given: Option<f64>| match given {
        Some(epsilon) if !(0.0..=limit).contains(&epsilon) || epsilon == 0.0 => Err(Fault::usage(format!(
            "bodies.contact.{key} {:.3e} J must be above 0 and at most {:.3e} J, which is what the time step {:.3e} s bears: take \
             less, a larger softness, or a shorter step",
            epsilon * energy,
            limit * energy,
            units.dt
        ))),
        Some(epsilon) => Ok(epsilon),
        None => Ok(default),
    };
    let given = contact.energy.map(|e| e.si() / energy);
    let epsilon = checked("energy", given)?;
    let wall = checked("wall_energy", contact.wall_energy.map(|e| e.si() / energy).or(given))?;
    if given.is_none() {
        notes.push(format!(
            "contact energy {:.3e} J over a soft layer of {:.3e} m",
            epsilon * energy,
            sigma * units.dx
        ));
    }
    let depths = kinds.iter().any(|kind| kind.shape.depths != [1.0; 3]);
    for (key, value) in [("nu", contact.nu), ("mu", contact.mu)] {
        if value > 4 {
            return Err(Fault::usage(format!("bodies.contact.{key} {value} must be from 0 to 4")));
        }
    }
    if depths && contact.mu == 0 {
        return Err(Fault::usage("bodies.contact.mu 0 takes no notice of \"depths\": take mu 1 or more"));
    }
    let largest = LARGEST_KICK * lightest;
    let mu = if depths { contact.mu } else { 0 };
    let pairs = GayBerne { epsilon, sigma, gamma: 1.0, mu, upsilon: contact.nu, largest };
    Ok((pairs, Wall { epsilon: wall, sigma, largest }))
}
