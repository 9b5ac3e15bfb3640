//! What is asked of polymers, checked.

use std::f64::consts::PI;

use hematite_config::{Fault, Result, check_name};

use super::PolymerConfig;
use crate::Lattice;

/// The largest volume fraction for which chains are grown.
const DENSEST: f64 = 0.2;

/// Shares of half a period above which chains are refused, and of which one is told.
const MEETS_ITSELF: f64 = 1.0;
const IS_NEAR_ITSELF: f64 = 0.5;

/// The default of the diameter, in bonds.
const DIAMETER: f64 = 0.8;

/// What is asked of a population, lengths in lattice units.
#[derive(Clone, Debug, PartialEq)]
pub struct ChainPlan {
    /// The config.
    pub config: PolymerConfig,
    /// Length of bonds.
    pub bond: f64,
    /// Least distance of beads that are not bonded.
    pub diameter: f64,
    /// Number of chains.
    pub count: u64,
    /// Risks that are allowed.
    pub notes: Vec<String>,
}

impl ChainPlan {
    /// What will be made, in a line.
    pub fn outlook(&self) -> String {
        let form = if self.config.ring { "rings" } else { "chains" };
        format!("{}: {} {form} of {} beads", self.config.name, self.count, self.config.beads)
    }

    /// The size that a chain has by theory: the root of its mean squared end-to-end distance, of rings that of opposite beads.
    fn size(&self, dimension: usize) -> f64 {
        // Exponents of ideal chains, and of chains that avoid themselves: Flory's in 2-D, 0.588 in 3-D.
        let exponent = match (self.diameter > 0.0, dimension) {
            (false, _) => 0.5,
            (true, 2) => 0.75,
            (true, _) => 0.588,
        };
        let bonds = f64::from(self.config.beads.saturating_sub(1));
        let open = self.bond * bonds.powf(exponent);
        if self.config.ring { 0.5 * open } else { open }
    }

    /// Volume of a bead.
    pub fn bead(&self, dimension: usize) -> f64 {
        let r = 0.5 * self.diameter;
        if dimension == 2 { PI * r * r } else { 4.0 / 3.0 * PI * r.powi(3) }
    }
}

/// Checks what `polymers` ask of a lattice.
///
/// # Errors
/// A usage fault that names key, value, limit and remedy.
pub fn plan_polymers(lattice: &Lattice, polymers: &[PolymerConfig]) -> Result<Vec<ChainPlan>> {
    let mut plans: Vec<ChainPlan> = Vec::with_capacity(polymers.len());
    for (k, config) in polymers.iter().enumerate() {
        check_name(&config.name).map_err(|fault| fault.within(format!("key \"polymers[{k}]\"")))?;
        let within = |fault: Fault| fault.within(format!("key \"polymers[{k}]\" (\"{}\")", config.name));
        if plans.iter().any(|plan| plan.config.name == config.name) {
            return Err(within(Fault::usage("another population has the same name; give each its own")));
        }
        plans.push(plan(lattice, config).map_err(within)?);
    }
    let volume: f64 = plans.iter().map(|plan| plan.bead(lattice.set.dimension()) * beads(plan)).sum();
    let share = volume / lattice.nodes() as f64;
    // What rounding adds to the limit itself does not count.
    if share > DENSEST * (1.0 + 1e-9) {
        return Err(Fault::usage(format!(
            "key \"polymers\": all beads together take up {share:.3} of the fluid, the limit is {DENSEST}: ask for fewer, shorter or \
             thinner chains"
        )));
    }
    Ok(plans)
}

fn beads(plan: &ChainPlan) -> f64 {
    plan.count as f64 * f64::from(plan.config.beads)
}

fn plan(lattice: &Lattice, config: &PolymerConfig) -> Result<ChainPlan> {
    let (bond, spacing) = (config.bond.si() / lattice.spacing, lattice.spacing);
    let least = if config.ring { 3 } else { 1 };
    if !(least..=100_000).contains(&config.beads) {
        return Err(Fault::usage(format!(
            "key \"beads\" is {}; chains have 1 to 100000, rings 3 or more",
            config.beads
        )));
    }
    if !(0.05..=20.0).contains(&bond) {
        return Err(Fault::usage(format!(
            "key \"bond\" is {:.3e} m, {bond:.3} lattice spacings; bonds have 0.05 to 20, about 1 is usual",
            config.bond.si()
        )));
    }
    let diameter = config.diameter.map_or(DIAMETER * bond, |diameter| diameter.si() / spacing);
    let most = if config.ring { 1.0 } else { 1.5 };
    if !(0.0..=most * bond).contains(&diameter) {
        return Err(Fault::usage(format!(
            "key \"diameter\" is {:.3e} m; it is 0 to {most} bonds of {:.3e} m, 0.8 is usual",
            diameter * spacing,
            config.bond.si()
        )));
    }
    let mut plan = ChainPlan { config: config.clone(), bond, diameter, count: 0, notes: Vec::new() };
    plan.count = count(lattice, config, &plan)?;
    check_size(lattice, &mut plan)?;
    Ok(plan)
}

/// How many chains are asked for.
fn count(lattice: &Lattice, config: &PolymerConfig, plan: &ChainPlan) -> Result<u64> {
    match (config.count, config.volume_fraction) {
        (Some(0), None) => Err(Fault::usage("key \"count\" is 0: ask for 1 or more")),
        (Some(count), None) => Ok(count),
        (None, Some(share)) => {
            if !(share > 0.0 && share <= DENSEST) {
                return Err(Fault::usage(format!(
                    "key \"volume_fraction\" is {share}; it is above 0 and at most {DENSEST}, e.g. 0.05"
                )));
            }
            if plan.diameter == 0.0 {
                return Err(Fault::usage(
                    "key \"volume_fraction\": beads of diameter 0 have no volume; give \"count\"",
                ));
            }
            let volume = plan.bead(lattice.set.dimension()) * f64::from(config.beads);
            match (share * lattice.nodes() as f64 / volume * (1.0 + 1e-12)) as u64 {
                0 => Err(Fault::usage(format!(
                    "key \"volume_fraction\" is {share}: that is less than one chain of {} beads; give \"count\" or a larger domain",
                    config.beads
                ))),
                count => Ok(count),
            }
        }
        _ => Err(Fault::usage("exactly one of \"count\" and \"volume_fraction\" says how many chains there are")),
    }
}

/// Refuses chains that meet themselves over periodic faces, or that the domain cannot hold.
fn check_size(lattice: &Lattice, plan: &mut ChainPlan) -> Result<()> {
    if plan.config.beads == 1 {
        return Ok(());
    }
    let dimension = lattice.set.dimension();
    let (size, metres) = (plan.size(dimension), lattice.spacing);
    let axes = || (0..dimension).map(|a| (a, lattice.extent[a] as f64));
    for (a, period) in axes().filter(|&(a, _)| lattice.periodic[a]) {
        let share = size / (0.5 * period);
        let name = ["x", "y", "z"][a];
        if plan.bond > 0.5 * period {
            return Err(Fault::usage(format!(
                "key \"bond\" is {:.3e} m, more than half the period of {:.3e} m along {name}: beads would meet another image of their \
                 neighbours; take shorter bonds or a longer domain",
                plan.bond * metres,
                period * metres
            )));
        }
        if share > MEETS_ITSELF {
            return Err(Fault::usage(format!(
                "key \"beads\" is {}: such a chain is about {:.3e} m long from end to end, more than half the period of {:.3e} m \
                 along {name}: it would meet itself; take fewer beads, shorter bonds or a longer domain",
                plan.config.beads,
                size * metres,
                period * metres
            )));
        }
        if share > IS_NEAR_ITSELF {
            plan.notes.push(format!(
                "{}: chains are about {:.3e} m long from end to end, {:.0} % of half the period along {name}: they feel themselves \
                 through the fluid; a longer domain changes their motion",
                plan.config.name,
                size * metres,
                100.0 * share
            ));
        }
    }
    let widest = axes().map(|(_, extent)| extent).fold(0.0, f64::max);
    if size > widest {
        return Err(Fault::usage(format!(
            "key \"beads\" is {}: such a chain is about {:.3e} m long from end to end, the domain only {:.3e} m: take fewer beads, \
             shorter bonds or a larger domain",
            plan.config.beads,
            size * metres,
            widest * metres
        )));
    }
    Ok(())
}
