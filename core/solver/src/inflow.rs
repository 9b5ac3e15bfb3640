//! The openings of a case as its cells see them, and the feeders of those through which cells come in; what feeders of cells
//! and of rigid bodies have in common.

use std::collections::BTreeMap;

use hematite_case::{Header, Opening, Placed, Population};
use hematite_config::{Fault, Result, nearest};
use hematite_geometry::OpeningKind;

use crate::clearing::{FluidSites, shifted, square};
use crate::config::{CellsConfig, InflowConfig};
use crate::immersion::Immersion;
use crate::plan::Plan;
use crate::sites::Coordinate;
use crate::suspension::{Bounds, DEPTH, Feeder, Gate, Record, Waiting};
use crate::turn::{Turn, unit};

/// Length of a feeder in largest diameters of the cells, unless the run says otherwise.
const DIAMETERS: f64 = 6.0;

/// How deep behind the opening a cell comes in, lattice units: not so near that it would leave.
const ENTRY: f64 = DEPTH + 1.0;

/// Where the vessel bends or narrows sooner, so that fewer cells are behind the opening, a feeder is shorter, down to so many.
const FEWEST: f64 = 2.0;

/// A feeder holds at least this share of the hematocrit of the case, where it may choose its length.
const FULL: f64 = 0.9;

/// Where its own place is taken, a cell is tried in so many others, drawn from those up to its diameter to the sides.
const PLACES: usize = 11;

impl InflowConfig {
    /// Longest length of the feeder for cells so large, in lattice units of `spacing` metres.
    ///
    /// # Errors
    /// A usage fault where it is shorter than a cell; `what` they are called.
    pub(crate) fn length_for(&self, diameter: f64, spacing: f64, what: &str) -> Result<f64> {
        let length = self.length.map_or(DIAMETERS * diameter, |length| length.si() / spacing);
        if length < diameter {
            return Err(Fault::usage(format!(
                "length {:.3e} m is below the diameter of the {what}, {:.3e} m: take at least that, best several times as much",
                length * spacing,
                diameter * spacing
            )));
        }
        Ok(length)
    }

    /// Share of what waits that comes in, where the case holds the hematocrit `seeded`.
    ///
    /// # Errors
    /// A usage fault where more is asked for, or nothing; `what` it consists of.
    pub(crate) fn share_of(&self, seeded: f64, what: &str) -> Result<f64> {
        match self.hematocrit {
            None => Ok(1.0),
            Some(asked) if asked > 0.0 && asked <= seeded => Ok(asked / seeded),
            Some(asked) => Err(Fault::usage(format!(
                "hematocrit {asked} must be above 0 and at most {seeded:.3}, that of the {what} which the case holds behind \
                 the opening: seed the case with more"
            ))),
        }
    }
}

/// Checks that `inflow`, at `key` of the config, names openings of the case through which something can come in.
///
/// # Errors
/// A usage fault that names what it could be.
pub(crate) fn known(key: &str, inflow: &BTreeMap<String, InflowConfig>, header: &Header) -> Result<()> {
    let open = |name: &str| header.openings.iter().any(|known| known.name == name && known.kind != OpeningKind::Wall);
    let Some(unknown) = inflow.keys().find(|name| !open(name)) else { return Ok(()) };
    if header.openings.iter().any(|known| known.name == *unknown) {
        return Err(Fault::usage(format!(
            "{key}.{unknown}: this opening is a moving wall; what comes in does so through openings of kind \"velocity\" or \
             \"pressure\""
        )));
    }
    let names: Vec<&str> = header.openings.iter().map(|opening| opening.name.as_str()).collect();
    let hint =
        nearest(unknown, names.iter().copied()).map(|near| format!("; did you mean \"{near}\"?")).unwrap_or_default();
    let known = if names.is_empty() { "no openings".to_owned() } else { names.join(", ") };
    Err(Fault::usage(format!("{key}.{unknown}: the case has no such opening, but {known}{hint}")))
}

impl Immersion {
    /// What [`Immersion::gates`] has to know of the fluid: sites within some cells' diameters of openings, none yet. `sites[k]` are
    /// the positions of the nodes of opening k.
    pub fn fluid_at_openings(&self, sites: &[Vec<[i32; 3]>]) -> FluidSites {
        let of = &self.parameters;
        let wide = (DEPTH + 2.0 + 2.0 * self.diameter()).ceil() as i32;
        let near = sites.iter().filter(|sites| !sites.is_empty()).map(|sites| bounds_of(sites).widened(wide));
        FluidSites::new(of.dimension, of.extent, of.periodic, near.collect())
    }

    /// The largest diameter of any cell, lattice units.
    fn diameter(&self) -> f64 {
        self.parameters.kinds.iter().map(|kind| 2.0 * kind.surface.radius()).fold(0.0, f64::max)
    }

    /// The openings through which cells go, and what is to be said of them. `sites[k]` are the positions of the nodes of opening k,
    /// `fluid` holds the sites of [`Immersion::fluid_at_openings`].
    ///
    /// # Errors
    /// A usage fault for an inflow that cannot be: an opening that is none of the case's or a moving wall, no seeded cells behind it, more hematocrit than was seeded there.
    #[expect(clippy::too_many_arguments)]
    pub fn gates(
        &self,
        config: &CellsConfig,
        plan: &Plan,
        header: &Header,
        openings: &[Opening],
        sites: &[Vec<[i32; 3]>],
        populations: &[Population],
        fluid: &FluidSites,
    ) -> Result<(Vec<Gate>, Vec<String>)> {
        known("cells.inflow", &config.inflow, header)?;
        let (mut gates, mut notes) = (Vec::new(), Vec::new());
        for (k, (opening, sites)) in openings.iter().zip(sites).enumerate() {
            if opening.kind == OpeningKind::Wall || sites.is_empty() {
                continue;
            }
            let mut gate = Gate { opening: k, normal: opening.normal, nodes: bounds_of(sites), feeder: None };
            if let Some(inflow) = config.inflow.get(&opening.name) {
                let key = format!("cells.inflow.{}", opening.name);
                let whole = self.hematocrit(populations, header.nodes);
                let feeder = self.feeder(inflow, plan, &gate, opening, sites, populations, fluid, whole);
                let (feeder, said) = feeder.map_err(|fault| fault.within(&key))?;
                notes.extend(said.iter().map(|note| format!("{key}: {note}")));
                gate.feeder = Some(feeder);
            }
            gates.push(gate);
        }
        Ok((gates, notes))
    }

    /// The hematocrit of a case of so many `nodes` once its cells have grown.
    fn hematocrit(&self, populations: &[Population], nodes: usize) -> f64 {
        let volume = |(kind, population): (usize, &Population)| {
            self.parameters.kinds[kind].surface.volume() * population.cells.len() as f64
        };
        populations.iter().enumerate().map(volume).sum::<f64>() / nodes as f64
    }

    /// The feeder of an opening, and what is to be said of it. `whole` is the hematocrit of the case.
    #[expect(clippy::too_many_arguments)]
    fn feeder(
        &self,
        inflow: &InflowConfig,
        plan: &Plan,
        gate: &Gate,
        opening: &Opening,
        sites: &[[i32; 3]],
        populations: &[Population],
        fluid: &FluidSites,
        whole: f64,
    ) -> Result<(Feeder, Vec<String>)> {
        let diameter = self.diameter();
        let longest = inflow.length_for(diameter, plan.units.dx, "cells")?;
        let behind = self.behind(gate, opening, sites, populations, fluid, longest);
        let seeded = |length: f64| {
            let volume: f64 = behind.iter().filter(|cell| cell.depth < length).map(|cell| cell.volume).sum();
            volume / (opening.area * length)
        };
        let mut length = longest;
        while inflow.length.is_none() && seeded(length) < FULL * whole && length > (FEWEST + 0.5) * diameter {
            length -= diameter;
        }
        let seeded = seeded(length);
        let refused = behind.iter().filter(|cell| cell.depth < length && cell.places.is_empty()).count();
        let cells: Vec<Waiting> = behind.into_iter().filter_map(|cell| cell.waiting(length)).collect();
        if cells.is_empty() && refused > 0 {
            return Err(Fault::usage(format!(
                "none of the {refused} cells behind this opening finds room between the walls at it: place the opening where the \
                 vessel is as wide as its cells, or take a finer lattice"
            )));
        }
        if cells.is_empty() {
            return Err(Fault::usage(
                "the case has no cells behind this opening to take after: seed it with a hematocrit, or take a longer \"length\"",
            ));
        }
        let mut said = Vec::new();
        if refused > 0 {
            said.push(format!(
                "{refused} of {} cells behind the opening find no room between its walls and do not come in",
                refused + cells.len()
            ));
        }
        if inflow.hematocrit.is_none() && seeded < FULL * whole {
            said.push(format!(
                "the cells that come in take up {seeded:.3} of the volume, those of the case {whole:.3}: the {:.3e} m behind the \
                 opening hold fewer, as the vessel bends or narrows there; place the opening where it is straight for longer",
                length * plan.units.dx
            ));
        }
        let keep = inflow.share_of(seeded, "cells")?;
        Ok((Feeder { length, area: opening.area, keep, cells, late: 0 }, said))
    }

    /// The cells of the case up to `longest` behind an opening, taken to where they come in, grown.
    fn behind(
        &self,
        gate: &Gate,
        opening: &Opening,
        sites: &[[i32; 3]],
        populations: &[Population],
        fluid: &FluidSites,
        longest: f64,
    ) -> Vec<Behind> {
        let (diameter, dimension) = (self.diameter(), self.parameters.dimension);
        let mut behind = Vec::new();
        for (kind, population) in populations.iter().enumerate() {
            let vertices = population.surface.vertices.len();
            for cell in &population.cells {
                let mut record = self.record(population, &Placed { scale: 1.0, ..*cell });
                let bounds = Bounds::of(dimension, &record);
                let depth = gate.depth(bounds);
                let beside = (0..3).any(|axis| {
                    opening.normal[axis].abs() < 0.5
                        && (bounds.high[axis] < gate.nodes.low[axis] || bounds.low[axis] > gate.nodes.high[axis])
                });
                if beside || !(0.0..longest).contains(&depth) {
                    continue;
                }
                for (axis, coordinates) in record.position.chunks_mut(vertices).enumerate() {
                    for x in coordinates {
                        *x = Coordinate::of(x.value() - (depth - ENTRY) * opening.normal[axis]);
                    }
                }
                let clear = fluid.shifts(&record, opening.normal, diameter, square).next();
                let shift = clear.unwrap_or([0; 3]);
                let middle = [0, 1, 2]
                    .map(|axis| 0.5 * f64::from(bounds.low[axis] + bounds.high[axis]) + f64::from(shift[axis]));
                let share = share_at(middle, opening, sites);
                let record = shifted(&record, dimension, shift);
                let mut places = Vec::from_iter(clear.map(|_| [0; 3]));
                if clear.is_some() {
                    let number = (behind.len() as u64) << 32;
                    let drawn = |[x, y, z]: [i32; 3]| {
                        let packed = [x, y, z].iter().fold(0, |packed, &along| packed << 10 ^ along as u64 & 1023);
                        (f64::from(u32::MAX) * unit(number ^ packed)) as u32
                    };
                    let others = fluid.shifts(&record, opening.normal, diameter, drawn);
                    places.extend(others.filter(|shift| *shift != [0; 3]).take(PLACES));
                }
                if share > 0.0 {
                    let volume = if places.is_empty() { 0.0 } else { self.parameters.kinds[kind].surface.volume() };
                    behind.push(Behind { kind, record, places, depth, share, volume });
                }
            }
        }
        behind
    }
}

/// A cell of the case behind an opening.
struct Behind {
    kind: usize,
    /// Where it comes in.
    record: Record,
    /// Shifts to the places where it is tried; none where it finds no room between the walls.
    places: Vec<[i32; 3]>,
    /// How deep behind the opening the case holds it, lattice units.
    depth: f64,
    /// Speed into the domain where it comes in, for a mean speed of 1.
    share: f64,
    /// Its volume where it comes in, zero where it does not.
    volume: f64,
}

impl Behind {
    /// As a cell of a feeder of this length, if it comes in.
    fn waiting(self, length: f64) -> Option<Waiting> {
        let Self { kind, record, places, depth, share, .. } = self;
        let turn = Turn { way: ENTRY + length - depth, share, entered: 0 };
        (depth < length && !places.is_empty()).then_some(Waiting { kind, record, places, turn })
    }
}

/// The box of an opening's nodes.
fn bounds_of(sites: &[[i32; 3]]) -> Bounds {
    let extreme = |pick: fn(i32, i32) -> i32, from: i32| {
        [0, 1, 2].map(|axis| sites.iter().map(|site| site[axis]).fold(from, pick))
    };
    Bounds { low: extreme(i32::min, i32::MAX), high: extreme(i32::max, i32::MIN) }
}

/// Speed at the opening's node nearest to `at` over the mean speed.
pub(crate) fn share_at(at: [f64; 3], opening: &Opening, sites: &[[i32; 3]]) -> f64 {
    let apart = |site: &[i32; 3]| -> f64 {
        let offset = [0, 1, 2].map(|axis| f64::from(site[axis]) - at[axis]);
        let along: f64 = (0..3).map(|axis| offset[axis] * opening.normal[axis]).sum();
        (0..3).map(|axis| (offset[axis] - along * opening.normal[axis]).powi(2)).sum()
    };
    let nearest = sites.iter().zip(&opening.nodes).min_by(|a, b| apart(a.0).total_cmp(&apart(b.0)));
    nearest.map_or(0.0, |(_, node)| f64::from(node.developed))
}
