//! Growing the chains of all populations into the fluid.

use hematite_config::{Fault, Result};
use serde_json::json;

use super::open;
use super::plan::ChainPlan;
use super::population::ChainPopulation;
use super::ring;
use super::room::{Place, Room};
use crate::Lattice;
use crate::cells::Draws;

/// Places at which a chain is begun before there is no room.
const STARTS: u64 = 400;

/// Grows the chains of `plans` into the fluid, one after the other, with places and directions from `seed`: the same seed
/// gives the same chains. `progress` hears how far it is.
///
/// # Errors
/// A usage fault where chains find no room.
pub fn grow_polymers(
    lattice: &Lattice,
    plans: &[ChainPlan],
    seed: u64,
    progress: &dyn Fn(String),
) -> Result<Vec<ChainPopulation>> {
    let mut room = Room::new(lattice, plans.iter().map(|plan| plan.diameter).collect());
    let dimension = lattice.set.dimension();
    let mut number = 0;
    let mut populations = Vec::with_capacity(plans.len());
    for (kind, plan) in plans.iter().enumerate() {
        let mut beads: Vec<Place> = Vec::new();
        for chain in 0..plan.count as usize {
            if chain.is_multiple_of(100) {
                progress(format!("growing chains of {}: {chain} of {}", plan.config.name, plan.count));
            }
            let attempt = |attempt: u64| {
                let draws = Draws::of(seed, number * STARTS + attempt);
                let node = draws.bits(0) as usize % lattice.nodes();
                let site = lattice.position[node];
                let within = |a: usize| if a < dimension { draws.unit(1 + a as u64) } else { 0.0 };
                let start = [0, 1, 2].map(|a| f64::from(site[a]) + within(a));
                let of = (plan, kind, chain);
                match plan.config.ring {
                    true => ring::grow(&mut room, of, (start, draws, dimension)),
                    false => open::grow(&mut room, of, (start, draws, dimension)),
                }
            };
            let found = (0..STARTS).find_map(attempt).ok_or_else(|| no_room(plan, chain))?;
            beads.extend(found);
            number += 1;
        }
        populations.push(population(lattice, plan, &beads));
    }
    Ok(populations)
}

fn no_room(plan: &ChainPlan, placed: usize) -> Fault {
    let ring = if plan.config.ring { "rings" } else { "chains" };
    Fault::usage(format!(
        "key \"polymers\" (\"{}\"): only {placed} of {} {ring} of {} beads found room between walls and other beads: ask for fewer, \
         shorter or thinner ones (\"count\", \"beads\", \"bond\", \"diameter\"), or a wider domain",
        plan.config.name, plan.count, plan.config.beads
    ))
}

/// A population with its beads in metres, and what came of it.
fn population(lattice: &Lattice, plan: &ChainPlan, beads: &[Place]) -> ChainPopulation {
    let (length, dimension) = (plan.config.beads as usize, lattice.set.dimension());
    let metres =
        |at: &Place| [0, 1, 2].map(|a| if a < dimension { lattice.origin[a] + at[a] * lattice.spacing } else { 0.0 });
    let squared = |chain: &[Place]| {
        let far = if plan.config.ring { chain[length / 2] } else { chain[length - 1] };
        (0..3).map(|a| (far[a] - chain[0][a]).powi(2)).sum::<f64>()
    };
    let mean = beads.chunks_exact(length).map(squared).sum::<f64>() / plan.count as f64;
    let volume = plan.bead(dimension) * beads.len() as f64 / lattice.nodes() as f64;
    let reach = mean.sqrt() * lattice.spacing;
    let form = if plan.config.ring { "rings" } else { "chains" };
    let across = if plan.config.ring { "opposite beads" } else { "ends" };
    let line = format!(
        "{}: {} {form} of {length} beads, volume fraction {volume:.4}, {across} {reach:.3e} m apart in the root mean square",
        plan.config.name, plan.count
    );
    let lines: Vec<String> = std::iter::once(line).chain(plan.notes.iter().cloned()).collect();
    ChainPopulation {
        name: plan.config.name.clone(),
        beads: length,
        ring: plan.config.ring,
        bond: plan.bond * lattice.spacing,
        diameter: plan.diameter * lattice.spacing,
        positions: beads.iter().map(metres).collect(),
        report: json!({
            "chains": plan.count,
            "beads": length,
            "volume_fraction": volume,
            "end_to_end_m": reach,
            "lines": lines,
        }),
    }
}
