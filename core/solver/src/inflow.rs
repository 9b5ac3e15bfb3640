//! The openings of a case as its cells see them, and the feeders of those through which cells come in; what feeders of cells
//! and of rigid bodies have in common.

use std::collections::BTreeMap;

use hematite_case::{Header, Opening, Population};
use hematite_config::{Fault, Result, nearest};
use hematite_geometry::OpeningKind;

use crate::clearing::{FluidSites, shifted};
use crate::config::{CellsConfig, InflowConfig};
use crate::immersion::Immersion;
use crate::plan::Plan;
use crate::sites::Coordinate;
use crate::suspension::{Bounds, DEPTH, Feeder, Gate, Waiting};
use crate::turn::Turn;

/// Length of a feeder in largest diameters of the cells, unless the run says otherwise.
const DIAMETERS: f64 = 6.0;

impl InflowConfig {
    /// Length of the feeder for cells so large, in lattice units of `spacing` metres.
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
            if config.inflow.contains_key(&opening.name) {
                let feeder = self.feeder(config, plan, &gate, opening, sites, populations, fluid);
                let key = format!("cells.inflow.{}", opening.name);
                let (feeder, refused) = feeder.map_err(|fault| fault.within(&key))?;
                if refused > 0 {
                    notes.push(format!(
                        "{key}: {refused} of {} cells behind the opening find no room between its walls and do not come in",
                        refused + feeder.cells.len()
                    ));
                }
                gate.feeder = Some(feeder);
            }
            gates.push(gate);
        }
        Ok((gates, notes))
    }

    /// The feeder of an opening, and how many of its cells find no room there.
    #[expect(clippy::too_many_arguments)]
    fn feeder(
        &self,
        config: &CellsConfig,
        plan: &Plan,
        gate: &Gate,
        opening: &Opening,
        sites: &[[i32; 3]],
        populations: &[Population],
        fluid: &FluidSites,
    ) -> Result<(Feeder, usize)> {
        let (inflow, units) = (&config.inflow[&opening.name], &plan.units);
        let diameter = self.diameter();
        let length = inflow.length_for(diameter, units.dx, "cells")?;
        let dimension = self.parameters.dimension;
        let mut cells = Vec::new();
        let (mut volume, mut refused) = (0.0, 0);
        for (kind, _, record) in self.at_start(populations) {
            let vertices = record.position.len() / dimension;
            let bounds = Bounds::of(dimension, &record);
            let depth = gate.depth(bounds);
            let beside = (0..3).any(|axis| {
                opening.normal[axis].abs() < 0.5
                    && (bounds.high[axis] < gate.nodes.low[axis] || bounds.low[axis] > gate.nodes.high[axis])
            });
            if beside || depth < DEPTH + 1.0 || depth >= DEPTH + 1.0 + length {
                continue;
            }
            let back = depth - DEPTH - 1.0;
            let mut entry = record.clone();
            for (axis, coordinates) in entry.position.chunks_mut(vertices).enumerate() {
                for x in coordinates {
                    *x = Coordinate::of(x.value() - back * opening.normal[axis]);
                }
            }
            let Some(shift) = fluid.shift(&entry, opening.normal, diameter) else {
                refused += 1;
                continue;
            };
            let entry = shifted(&entry, dimension, shift);
            let middle =
                [0, 1, 2].map(|axis| 0.5 * f64::from(bounds.low[axis] + bounds.high[axis]) + f64::from(shift[axis]));
            let share = share_at(middle, opening, sites);
            if share <= 0.0 {
                continue;
            }
            let size = f64::from(record.seeded_scale).powi(dimension as i32);
            volume += self.parameters.kinds[kind].surface.volume() * size;
            cells.push(Waiting { kind, record: entry, turn: Turn { way: length - back, share, entered: 0 } });
        }
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
        let seeded = volume / (opening.area * length);
        let keep = inflow.share_of(seeded, "cells")?;
        Ok((Feeder { length, area: opening.area, keep, cells }, refused))
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
