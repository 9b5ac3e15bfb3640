//! A run's cells in lattice units: from the case's populations and the run's config to what the solver steps.

use hematite_case::{Header, Placed, Population};
use hematite_cells::{Mechanics, MechanicsConfig, RING_SIDE, Surface};
use hematite_config::{Fault, Result, nearest};
use hematite_engine::sites::Coordinate;
use hematite_engine::{CONTRASTS, Ground, Medium, Support, SurfaceContact};
use hematite_membrane as membrane;
use hematite_membrane::FASTEST;

use crate::config::{AdhesionConfig, CellsConfig};
use crate::parameters::contrasts;
use crate::{ContactParameters, KindParameters, LARGEST_PUSH, LOOK, Morse, Parameters, Pull, Record};

/// Steps in which cells that were seeded small grow, unless the run says otherwise.
const GROWTH: u64 = 4000;
/// The largest cap on forces while cells grow, lattice units. The fluid then gains up to Mach 0.05 in one step.
const GROWTH_FORCE: f64 = 1.0 / 32.0;
/// The default is also at most what moves a vertex that is alone at this share of the speed at which a cell breaks. Much
/// lower caps let neighbours push cells into walls, which hold them by forces that are capped too.
const GROWTH_SPEED: f64 = 0.25;
/// A run tells of rings whose sides are longer than this many times the default ones.
const COARSE: f64 = 1.25;
/// How far from the nodes of the rank that owns it a body's centre may be: a tile of the engine, and its way before that is looked at
/// again.
const BODIES_BEYOND: f64 = 15.0;
/// Default contact pressure: this share of what pushes a vertex over its range in one step.
const CONTACT_SHARE: f64 = 0.2;

/// The cells' physics in lattice units.
#[derive(Clone, Debug)]
pub struct Immersion {
    /// For [`crate::Suspension`].
    pub parameters: Parameters,
    /// The cap on forces while cells grow, N.
    growth_force: f64,
    /// What may go wrong though it is allowed, and what was chosen by default, one sentence each.
    pub notes: Vec<String>,
}

impl Immersion {
    /// Resolves `config` for the populations of a case.
    ///
    /// # Errors
    /// A usage fault with key, value, limit and remedy for whatever cannot work: unknown populations, a membrane too stiff
    /// for the time step (with the largest step that would do), contact beyond what tiles hold.
    pub fn new(config: &CellsConfig, medium: &Medium, header: &Header, populations: &[Population]) -> Result<Self> {
        let dimension = header.set.dimension();
        known("mechanics", config.mechanics.keys(), populations)?;
        known("stretch", config.stretch.keys(), populations)?;
        let support = Support::of(config.kernel)?;
        for (key, value) in
            [("every", config.every), ("move_every", config.move_every), ("mark_every", config.mark_every)]
        {
            if value == 0 || value > 1000 {
                return Err(Fault::usage(format!("cells.{key} {value} must be from 1 to 1000")));
            }
        }
        if !config.every.is_multiple_of(config.move_every) {
            return Err(Fault::usage(format!(
                "cells.every {} must be a multiple of cells.move_every {}",
                config.every, config.move_every
            )));
        }
        let mut notes = Vec::new();
        if !LOOK.is_multiple_of(config.every) {
            notes.push(format!(
                "cells.every {}: time steps are counted anew from each {LOOK}th, at which membranes always act",
                config.every
            ));
        }
        let mut kinds = Vec::with_capacity(populations.len());
        for population in populations {
            let given = config.mechanics.get(&population.name).cloned().unwrap_or_default();
            let key = format!("cells.mechanics.{}", population.name);
            let given = given.or(population.mechanics.clone());
            let mechanics = given.resolve(dimension, population.shape.preset()).map_err(|fault| fault.within(&key))?;
            let surface = population.surface.scaled(1.0 / medium.units.dx);
            let mut mechanics = mechanics.in_lattice(&medium.units);
            notes.extend(soften(&mut mechanics, &given, &surface, config.every, medium, &key)?);
            let nu = medium.nu / medium.units.kinematic_viscosity();
            let largest = membrane::largest_step(dimension, &surface, &mechanics, nu);
            let step = config.every as f64;
            if step > largest {
                return Err(Fault::usage(format!(
                    "{key}: its membrane is too stiff for the time step {:.3e} s{}: take at most {:.3e} s, or softer moduli",
                    medium.units.dt,
                    if config.every > 1 { format!(" with cells.every {}", config.every) } else { String::new() },
                    medium.units.dt * largest / step
                )));
            }
            notes.extend(leaks(&population.name, &surface));
            let seeded = population.cells.len() as u64;
            kinds.push(KindParameters { name: population.name.clone(), surface, mechanics, seeded });
        }
        let pulls = pulls(config, dimension, medium, &kinds)?;
        let mut contact = contact(config, medium, &kinds, &mut notes)?;
        let growth = match config.growth {
            Some(time) if time.si() < 0.0 => {
                return Err(Fault::usage(format!("cells.growth {:.3e} s must not be below 0", time.si())));
            }
            Some(time) => (time.si() / medium.units.dt).ceil() as u64,
            None => GROWTH,
        };
        let shrunk = populations.iter().flat_map(|p| &p.cells).filter(|cell| cell.scale < 1.0).count();
        if let Some(contact) = &mut contact {
            contact.alike = shrunk == 0 && have_one_area(&kinds);
        }
        let growth_cap = growth_cap(config, dimension, medium)?;
        let contrasts = contrasts(&kinds);
        if contrasts.len() > CONTRASTS {
            return Err(Fault::usage(format!(
                "cells.mechanics: {} contrasts beside 1, at most {CONTRASTS} are possible: give populations that are alike the same",
                contrasts.len()
            )));
        }
        let parameters = Parameters {
            dimension,
            precision: medium.precision,
            support,
            every: config.every,
            move_every: config.move_every,
            growth: if shrunk > 0 { growth.max(1) } else { 0 },
            growth_cap,
            contact,
            mark_every: (!contrasts.is_empty()).then_some(config.mark_every),
            kinds,
            pulls,
            pushed_within: None,
            spacing: header.spacing,
            origin: header.origin,
            extent: header.extent,
            periodic: header.periodic,
        };
        let growth_force = growth_cap * medium.units.force();
        if let Some(last) = parameters.capped_until() {
            notes.push(format!(
                "{shrunk} cells were seeded small: they grow until step {growth}; forces on a vertex are capped at \
                 {:.3e} pN until step {last}",
                1e12 * growth_force
            ));
        }
        Ok(Self { parameters, growth_force, notes })
    }

    /// The last step whose forces are capped because cells grow, and the cap, N; none where all have their size.
    pub fn growth(&self) -> Option<(u64, f64)> {
        self.parameters.capped_until().map(|last| (last, self.growth_force))
    }

    /// Makes ready for the rigid bodies of the case, where it has any: vertices are pushed by them, and the ranks that own them have to
    /// find the vertices around.
    ///
    /// # Errors
    /// A usage fault where contact is off, or vertices do not move in each step as bodies do.
    pub(crate) fn meet_bodies(&mut self, ground: &Ground) -> Result<()> {
        let axes = ground.populations.iter().filter_map(|population| population.rigid).flat_map(|body| body.semi_axes);
        let Some(longest) = axes.reduce(f64::max) else { return Ok(()) };
        let parameters = &mut self.parameters;
        if parameters.move_every != 1 {
            return Err(Fault::usage(format!(
                "cells.move_every {} must be 1: the case has rigid bodies too, which touch cells in each step",
                parameters.move_every
            )));
        }
        let Some(contact) = parameters.contact.filter(|contact| contact.strength > 0.0) else {
            return Err(Fault::usage(
                "cells.contact.strength must be above 0: the case has rigid bodies too, which would pass through cells",
            ));
        };
        parameters.pushed_within = Some(longest / parameters.spacing + contact.range + BODIES_BEYOND);
        Ok(())
    }

    /// How the cells are touched, where the case has rigid bodies too.
    pub(crate) fn surface(&self) -> Option<SurfaceContact> {
        let Parameters { dimension, support, contact, pushed_within, .. } = &self.parameters;
        pushed_within.and(contact.as_ref()).map(|contact| SurfaceContact {
            range: contact.range,
            pressure: contact.strength,
            fastest: FASTEST * (*dimension as f64).sqrt(),
            support: support.reach(),
        })
    }

    /// Where the vertices of all cells are at the start: population, number, state.
    pub fn at_start<'a>(&'a self, populations: &'a [Population]) -> impl Iterator<Item = (usize, u64, Record)> + 'a {
        populations.iter().enumerate().flat_map(move |(k, population)| {
            let cells = population.cells.iter().zip(population.first..);
            cells.map(move |(cell, id)| (k, id, self.record(population, cell)))
        })
    }

    /// The state of a cell at rest where the case has placed it.
    pub(crate) fn record(&self, population: &Population, cell: &Placed) -> Record {
        let Parameters { dimension, spacing, origin, .. } = self.parameters;
        let vertices: Vec<[f64; 3]> = cell.vertices(&population.surface).collect();
        let along = |axis: usize| vertices.iter().map(move |v| (v[axis] - origin[axis]) / spacing - 0.5);
        let position: Vec<Coordinate> = (0..dimension).flat_map(along).map(Coordinate::of).collect();
        let drift = vec![0; position.len()];
        Record { seeded_scale: cell.scale as f32, carried: None, position, drift }
    }
}

/// Checks that `names`, the keys of `cells.<key>`, are populations of the case.
fn known<'n>(key: &str, mut names: impl Iterator<Item = &'n String>, populations: &[Population]) -> Result<()> {
    let Some(unknown) = names.find(|name| !populations.iter().any(|p| p.name == **name)) else { return Ok(()) };
    let names: Vec<&str> = populations.iter().map(|p| p.name.as_str()).collect();
    let hint =
        nearest(unknown, names.iter().copied()).map(|near| format!("; did you mean \"{near}\"?")).unwrap_or_default();
    Err(Fault::usage(format!("cells.{key}.{unknown}: the case has no such population, but {}{hint}", names.join(", "))))
}

/// The forces that stretch cells.
fn pulls(config: &CellsConfig, dimension: usize, medium: &Medium, kinds: &[KindParameters]) -> Result<Vec<Pull>> {
    let mut pulls = Vec::new();
    for (name, stretch) in &config.stretch {
        let Some(kind) = kinds.iter().position(|kind| kind.name == *name) else { continue };
        let (surface, axis) = (&kinds[kind].surface, stretch.axis as usize);
        if axis >= dimension {
            return Err(Fault::usage(format!("cells.stretch.{name}.axis \"z\": the case is 2-D, take \"x\" or \"y\"")));
        }
        if !(stretch.share > 0.0 && stretch.share <= 0.5) {
            return Err(Fault::usage(format!(
                "cells.stretch.{name}.share {} must be above 0 and at most 0.5, half of the vertices at each end",
                stretch.share
            )));
        }
        let count = ((stretch.share * surface.vertices.len() as f64).round() as usize).max(1);
        let force = stretch.force.si() / medium.units.force();
        let limit = membrane::FORCE_LIMIT * count as f64;
        if force.is_nan() || force.abs() > limit {
            return Err(Fault::usage(format!(
                "cells.stretch.{name}.force {:.3e} N on {count} vertices must be at most {:.3e} N at the time step {:.3e} s: \
                 take less, a larger share, or a shorter step",
                stretch.force.si(),
                limit * medium.units.force(),
                medium.units.dt
            )));
        }
        pulls.extend(Pull::apart(kind, surface, axis, count, force));
    }
    Ok(pulls)
}

/// What to say of rings with few vertices.
fn leaks(name: &str, surface: &Surface) -> Option<String> {
    let side = surface.area() / surface.vertices.len() as f64;
    (surface.dimension == 2 && side > COARSE * RING_SIDE).then(|| {
        format!(
            "cells of \"{name}\" have sides of {side:.2} lattice spacings: above {:.2} fluid leaks through membranes that are \
             pressed hard, and cells may tangle; take \"vertices\": {:.0} in the case",
            COARSE * RING_SIDE,
            surface.area() / RING_SIDE
        )
    })
}

/// Holds the moduli that only keep area and volume against what the time step bears: those of a preset are lowered to it, and what is
/// said of that is given back.
///
/// # Errors
/// A usage fault with the limit and remedies where one is larger that the run or the case `given` says.
fn soften(
    mechanics: &mut Mechanics,
    given: &MechanicsConfig,
    surface: &Surface,
    every: u64,
    medium: &Medium,
    key: &str,
) -> Result<Vec<String>> {
    let [area, volume] = membrane::largest_penalties(surface.dimension, surface, every);
    let (stress, tension) = (medium.units.stress(), medium.units.stress() * medium.units.dx);
    let mut notes = Vec::new();
    for (name, modulus, limit, given, scale, unit) in [
        ("volume", &mut mechanics.volume, volume, given.volume.is_some(), stress, "Pa"),
        ("global_area", &mut mechanics.global_area, area, given.global_area.is_some(), tension, "N/m"),
    ] {
        if *modulus <= limit {
            continue;
        }
        // What is printed is borne.
        let most = rounded_down(limit * scale);
        if given {
            let often = if every > 1 { format!(", cells.every below {every}") } else { String::new() };
            return Err(Fault::usage(format!(
                "{key}.{name} {:.3e} {unit} is more than the time step {:.3e} s bears: take at most {most:.2e} {unit}, a shorter time \
                 step{often}, or leave the key out (also in the CASE.json) for as much as is borne",
                *modulus * scale,
                medium.units.dt
            )));
        }
        notes.push(format!("{key}.{name} is lowered to {:.3e} {unit}, which the time step bears", limit * scale));
        *modulus = limit;
    }
    Ok(notes)
}

/// A number with two decimals of its mantissa, not above `value`, which is positive.
fn rounded_down(value: f64) -> f64 {
    let unit = 10_f64.powf(value.log10().floor() - 2.0);
    (value / unit).floor() * unit
}

/// The largest force on a vertex while cells grow, lattice units.
fn growth_cap(config: &CellsConfig, dimension: usize, medium: &Medium) -> Result<f64> {
    let units = &medium.units;
    let Some(force) = config.growth_force else {
        let nu = medium.nu / units.kinematic_viscosity();
        let slow = GROWTH_SPEED * FASTEST / membrane::mobility(dimension, nu);
        return Ok(slow.min(GROWTH_FORCE));
    };
    let cap = force.si() / units.force();
    if cap <= 0.0 || cap.is_nan() || cap > GROWTH_FORCE {
        return Err(Fault::usage(format!(
            "cells.growth_force {:.3e} N must be above 0 and at most {:.3e} N, which the time step {:.3e} s bears: take \
             less, or a shorter step",
            force.si(),
            GROWTH_FORCE * units.force(),
            units.dt
        )));
    }
    Ok(cap)
}

fn contact(
    config: &CellsConfig,
    medium: &Medium,
    kinds: &[KindParameters],
    notes: &mut Vec<String>,
) -> Result<Option<ContactParameters>> {
    let (contact, units) = (&config.contact, &medium.units);
    let range = contact.range.map_or(1.0, |range| range.si() / units.dx);
    if !(0.1..=4.0).contains(&range) {
        return Err(Fault::usage(format!(
            "cells.contact.range is {range:.3} lattice spacings; it must be from 0.1 to 4, i.e. up to {:.3e} m here",
            4.0 * units.dx
        )));
    }
    let nu = medium.nu / units.kinematic_viscosity();
    // What a vertex stands for of the largest membrane, and the pressure that pushes it with all that a wall may.
    let area = kinds.iter().map(KindParameters::vertex_area).fold(0.0, f64::max).max(1e-9);
    let hardest = LARGEST_PUSH / area;
    let default = CONTACT_SHARE * range * nu;
    let strength = contact.strength.map_or(default.min(hardest), |strength| strength.si() / units.stress());
    // A wall that is touched pushes three times as hard.
    let hardest_wall = hardest / 3.0;
    let wall_strength =
        contact.wall_strength.map_or(strength.min(hardest_wall), |strength| strength.si() / units.stress());
    for (key, value, hardest) in [("strength", strength, hardest), ("wall_strength", wall_strength, hardest_wall)] {
        let limit = (20.0 * default).min(hardest);
        if !(0.0..=limit).contains(&value) {
            return Err(Fault::usage(format!(
                "cells.contact.{key} {:.3e} Pa must be from 0 to {:.3e} Pa, which is what the time step {:.3e} s bears: \
                 take less, or a shorter step",
                value * units.stress(),
                limit * units.stress(),
                units.dt
            )));
        }
    }
    if contact.strength.is_none() {
        notes.push(format!("contact pressure {:.3e} Pa below {:.3e} m", strength * units.stress(), range * units.dx));
    }
    let morse = match &contact.adhesion {
        Some(AdhesionConfig { energy, distance, width }) => {
            for (key, length) in [("distance", distance), ("width", width)] {
                let length = length.si() / units.dx;
                if !(0.05..=3.2).contains(&length) {
                    return Err(Fault::usage(format!(
                        "cells.contact.adhesion.{key} is {length:.3} lattice spacings; it must be from 0.05 to 3.2, i.e. up to \
                         {:.3e} m here",
                        3.2 * units.dx
                    )));
                }
            }
            if energy.si() < 0.0 {
                return Err(Fault::usage(format!(
                    "cells.contact.adhesion.energy {:.3e} N/m must not be below 0",
                    energy.si()
                )));
            }
            Some(Morse {
                energy: energy.si() / (units.stress() * units.dx),
                distance: distance.si() / units.dx,
                width: width.si() / units.dx,
            })
        }
        None => None,
    };
    if strength == 0.0 && wall_strength == 0.0 && morse.is_none() {
        notes.push("contact is off: cells may pass through each other".to_owned());
        return Ok(None);
    }
    Ok(Some(ContactParameters { range, strength, wall_strength, morse, alike: false }))
}

/// Whether the mean area of a vertex is the same in all populations.
fn have_one_area(kinds: &[KindParameters]) -> bool {
    kinds.windows(2).all(|pair| pair[0].vertex_area() as f32 == pair[1].vertex_area() as f32)
}
