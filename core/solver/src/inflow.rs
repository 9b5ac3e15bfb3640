//! The openings of a case as its cells see them, and the feeders of those through which cells come in.

use hematite_case::{Header, Opening, Population};
use hematite_config::{Fault, Result, nearest};
use hematite_geometry::OpeningKind;

use crate::config::CellsConfig;
use crate::immersion::Immersion;
use crate::plan::Plan;
use crate::sites::Coordinate;
use crate::suspension::{Bounds, DEPTH, Feeder, Gate, Waiting};

/// Length of a feeder in largest diameters of the cells, unless the run says otherwise.
const DIAMETERS: f64 = 6.0;

impl Immersion {
    /// The openings through which cells go. `sites[k]` are the positions of the nodes of opening k.
    ///
    /// # Errors
    /// A usage fault for an inflow that cannot be: an opening that is none of the case's or has no prescribed velocity, no
    /// seeded cells behind it, more hematocrit than was seeded there.
    pub fn gates(
        &self,
        config: &CellsConfig,
        plan: &Plan,
        header: &Header,
        openings: &[Opening],
        sites: &[Vec<[i32; 3]>],
        populations: &[Population],
    ) -> Result<Vec<Gate>> {
        let names: Vec<&str> = header.openings.iter().map(|opening| opening.name.as_str()).collect();
        if let Some(unknown) = config.inflow.keys().find(|name| !names.contains(&name.as_str())) {
            let hint = nearest(unknown, names.iter().copied())
                .map(|near| format!("; did you mean \"{near}\"?"))
                .unwrap_or_default();
            let known = if names.is_empty() { "no openings".to_owned() } else { names.join(", ") };
            return Err(Fault::usage(format!(
                "cells.inflow.{unknown}: the case has no such opening, but {known}{hint}"
            )));
        }
        let mut gates = Vec::new();
        for (k, (opening, sites)) in openings.iter().zip(sites).enumerate() {
            if opening.kind == OpeningKind::Wall || sites.is_empty() {
                continue;
            }
            let extreme = |pick: fn(i32, i32) -> i32, from: i32| {
                [0, 1, 2].map(|axis| sites.iter().map(|site| site[axis]).fold(from, pick))
            };
            let nodes = Bounds { low: extreme(i32::min, i32::MAX), high: extreme(i32::max, i32::MIN) };
            let mut gate = Gate { opening: k, normal: opening.normal, nodes, feeder: None };
            if config.inflow.contains_key(&opening.name) {
                let feeder = self.feeder(config, plan, &gate, opening, sites, populations);
                gate.feeder = Some(feeder.map_err(|fault| fault.within(format!("cells.inflow.{}", opening.name)))?);
            }
            gates.push(gate);
        }
        Ok(gates)
    }

    fn feeder(
        &self,
        config: &CellsConfig,
        plan: &Plan,
        gate: &Gate,
        opening: &Opening,
        sites: &[[i32; 3]],
        populations: &[Population],
    ) -> Result<Feeder> {
        if !plan.prescribes_velocity(gate.opening) {
            return Err(Fault::usage(
                "cells come in with the prescribed flow: give this opening a \"velocity\" or \"flow_rate\" (no CSV profile)",
            ));
        }
        let inflow = &config.inflow[&opening.name];
        let units = &plan.units;
        let diameter = self.parameters.kinds.iter().map(|kind| 2.0 * kind.surface.radius()).fold(0.0, f64::max);
        let length = inflow.length.map_or(DIAMETERS * diameter, |length| length.si() / units.dx);
        if length < diameter {
            return Err(Fault::usage(format!(
                "length {:.3e} m is below the diameter of the cells, {:.3e} m",
                length * units.dx,
                diameter * units.dx
            )));
        }
        let dimension = self.parameters.dimension;
        let mut cells = Vec::new();
        let mut volume = 0.0;
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
            let middle = [0, 1, 2].map(|axis| 0.5 * f64::from(bounds.low[axis] + bounds.high[axis]));
            let share = share_at(middle, opening, sites);
            if share <= 0.0 {
                continue;
            }
            let size = f64::from(record.seeded_scale).powi(dimension as i32);
            volume += self.parameters.kinds[kind].surface.volume() * size;
            cells.push(Waiting { kind, record: entry, way: length - back, share, entered: 0 });
        }
        if cells.is_empty() {
            return Err(Fault::usage(
                "the case has no cells behind this opening to take after: seed it with a hematocrit, or take a longer \"length\"",
            ));
        }
        let seeded = volume / (opening.area * length);
        let keep = match inflow.hematocrit {
            None => 1.0,
            Some(asked) if asked > 0.0 && asked <= seeded => asked / seeded,
            Some(asked) => {
                return Err(Fault::usage(format!(
                    "hematocrit {asked} must be above 0 and at most {seeded:.3}, that of the cells which the case holds behind \
                     the opening: seed the case with more"
                )));
            }
        };
        Ok(Feeder { length, keep, cells })
    }
}

/// Speed at the opening's node nearest to `at` over the mean speed.
fn share_at(at: [f64; 3], opening: &Opening, sites: &[[i32; 3]]) -> f64 {
    let apart = |site: &[i32; 3]| -> f64 {
        let offset = [0, 1, 2].map(|axis| f64::from(site[axis]) - at[axis]);
        let along: f64 = (0..3).map(|axis| offset[axis] * opening.normal[axis]).sum();
        (0..3).map(|axis| (offset[axis] - along * opening.normal[axis]).powi(2)).sum()
    };
    let nearest = sites.iter().zip(&opening.nodes).min_by(|a, b| apart(a.0).total_cmp(&apart(b.0)));
    nearest.map_or(0.0, |(_, node)| f64::from(node.developed))
}
