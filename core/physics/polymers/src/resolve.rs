//! From the config and the case to numbers of the lattice, with what cannot work refused.

use std::collections::BTreeMap;

use hematite_case::{ChainPopulation, Header};
use hematite_config::{Fault, Result, nearest};
use hematite_engine::Bath;
use hematite_units::number::with_unit;

use crate::chains::{Bead, Chains};
use crate::config::{BondConfig, ChainConfig, PairConfig, PolymersConfig};
use crate::energy::{Conformation, bond, pair};
use crate::parameters::{Kind, LONGEST, Parameters, repulsive};

/// Largest motion of the phase of the stiffest spring in a sub-step by default, as allowed, and where it is told.
const PHASE: f64 = 0.2;
const MOST_PHASE: f64 = 1.0;
const ROUGH_PHASE: f64 = 0.5;

/// Shares of half a period above which stiff chains are refused, and of which one is told.
const MEETS_ITSELF: f64 = 1.0;
const IS_NEAR_ITSELF: f64 = 0.5;

/// Most sub-steps.
const MOST_SUB_STEPS: u32 = 2_000;

/// Energy of two beads at the start above which they overlap, kT.
const OVERLAP: f64 = 50.0;

/// The largest masses of beads.
const MOST_MASS: u32 = 200;

/// A number without the noise of units.
fn plain(number: f64) -> f64 {
    format!("{number:.6e}").parse().unwrap_or(number)
}

fn refuse(name: &str, key: &str, what: impl std::fmt::Display) -> Fault {
    Fault::usage(format!("polymers.populations.{name}.{key} {what}"))
}

/// Resolves `config` for the `populations` of a case. Returns notes too.
///
/// # Errors
/// A usage fault with key, value, limit and remedy for whatever cannot work.
pub fn parameters(
    config: &PolymersConfig,
    bath: &Bath,
    header: &Header,
    populations: &[ChainPopulation],
) -> Result<(Parameters, Vec<String>)> {
    let names = || populations.iter().map(|population| population.name.as_str());
    if let Some(unknown) = config.populations.keys().find(|name| !names().any(|known| known == *name)) {
        let hint = nearest(unknown, names()).map(|near| format!("; did you mean \"{near}\"?")).unwrap_or_default();
        let known = names().collect::<Vec<_>>().join(", ");
        return Err(Fault::usage(format!(
            "polymers.populations.{unknown}: the case has no such polymers, but {known}{hint}"
        )));
    }
    let default = ChainConfig::default();
    let chains = |population: &ChainPopulation| config.populations.get(&population.name).unwrap_or(&default);
    let kinds =
        populations.iter().map(|population| kind(chains(population), bath, population)).collect::<Result<_>>()?;
    let mut parameters = Parameters {
        dimension: header.set.dimension(),
        extent: header.extent,
        periodic: header.periodic,
        bits: bath.bits,
        speed: bath.speed,
        flows: bath.flows,
        no_slip: bath.no_slip,
        wall_velocities: bath.wall_velocities.clone(),
        kinds,
        sub_steps: 2,
    };
    let mut notes = sub_steps(config, &mut parameters)?;
    notes.extend(populations.iter().zip(&parameters.kinds).filter_map(|(of, kind)| other_length(of, kind, bath)));
    check_reach(&parameters, header)?;
    for (population, kind) in populations.iter().zip(&parameters.kinds) {
        notes.extend(soft_bonds(population, kind, bath));
        notes.extend(stiff_size(&parameters, population, kind, bath)?);
    }
    Ok((parameters, notes))
}

fn kind(config: &ChainConfig, bath: &Bath, population: &ChainPopulation) -> Result<Kind> {
    let (name, thermal) = (population.name.as_str(), bath.speed.powi(2));
    let mass = config.mass.unwrap_or(bath.usual_mass);
    if !(1..=MOST_MASS).contains(&mass) {
        return Err(refuse(
            name,
            "mass",
            format!(
                "{mass} must lie from 1 to {MOST_MASS}, in units of the fluid's mass: {} is usual here",
                bath.usual_mass
            ),
        ));
    }
    let length = population.bond / bath.units.dx;
    let (stiffness, extension) = match config.bonds {
        BondConfig::Harmonic { stiffness } => (stiffness, 0.0),
        BondConfig::Fene { stiffness, extension } => {
            if !(1.05..=10.0).contains(&extension) {
                return Err(refuse(
                    name,
                    "bonds.fene.extension",
                    format!("{extension} must lie from 1.05 to 10 lengths of a bond in the case: 1.5 is usual"),
                ));
            }
            (stiffness, extension * length)
        }
    };
    if !(1e-3..=1e7).contains(&stiffness) {
        return Err(refuse(
            name,
            "bonds",
            format!("stiffness {stiffness} must lie from 0.001 to 1e7 kT over the square of a bond's length"),
        ));
    }
    if !(0.0..=1e5).contains(&config.bending) {
        return Err(refuse(name, "bending", format!("{} must lie from 0 to 1e5 kT", config.bending)));
    }
    let [energy, diameter, cutoff] = pairs(config, population)?;
    Ok(Kind {
        beads: population.beads as u32,
        mass,
        length,
        stiffness: stiffness * thermal / length.powi(2),
        extension,
        bending: config.bending * thermal,
        energy: energy * thermal,
        diameter: diameter / bath.units.dx,
        cutoff,
    })
}

/// Energy in kT, diameter in metres, and cutoff in diameters of the forces between beads; an energy of 0 where there are none.
fn pairs(config: &ChainConfig, population: &ChainPopulation) -> Result<[f64; 3]> {
    let name = population.name.as_str();
    let default =
        if population.diameter > 0.0 { PairConfig::Wca { energy: 1.0, diameter: None } } else { PairConfig::None };
    let (key, energy, diameter, cutoff) = match config.pairs.unwrap_or(default) {
        PairConfig::None => return Ok([0.0, population.bond, 1.0]),
        PairConfig::Wca { energy, diameter } => ("pairs.wca", energy, diameter, repulsive()),
        PairConfig::LennardJones { energy, diameter, cutoff } => ("pairs.lennard_jones", energy, diameter, cutoff),
    };
    let within = |what: &str| format!("{key}.{what}");
    if !(1e-3..=100.0).contains(&energy) {
        return Err(refuse(name, &within("energy"), format!("{energy} must lie from 0.001 to 100 kT: 1 is usual")));
    }
    if !(repulsive()..=5.0).contains(&cutoff) {
        return Err(refuse(
            name,
            &within("cutoff"),
            format!("{cutoff} must lie from 2^(1/6) = 1.1225, which leaves the repulsion alone, to 5 diameters"),
        ));
    }
    let diameter = diameter.map_or(population.diameter, |diameter| diameter.si());
    if !(0.1 * population.bond..=2.0 * population.bond).contains(&diameter) {
        return Err(refuse(
            name,
            &within("diameter"),
            format!(
                "{} must lie from 0.1 to 2 lengths of a bond, {}: give \"diameter\" here, or in the CASE.json",
                with_unit(diameter, "m"),
                with_unit(population.bond, "m")
            ),
        ));
    }
    Ok([energy, diameter, cutoff])
}

/// Fixes the number of sub-steps.
fn sub_steps(config: &PolymersConfig, parameters: &mut Parameters) -> Result<Vec<String>> {
    let stiffest = parameters.kinds.iter().map(Kind::frequency).fold(0.0, f64::max);
    // No bead may fly over a site in a sub-step.
    let least = (stiffest / MOST_PHASE).max(2.0 * parameters.fastest());
    let even = |steps: f64| (2 * (0.5 * steps).ceil() as u32).max(2);
    let wanted = even((stiffest / PHASE).max(2.0 * parameters.fastest()).min(1e9));
    let Some(given) = config.sub_steps else {
        if wanted > MOST_SUB_STEPS {
            return Err(Fault::usage(format!(
                "polymers: the stiffest of bonds, bends and forces between beads need {wanted} steps of the beads in a time step, at \
                 most {MOST_SUB_STEPS} are possible: take softer ones, heavier beads, or a shorter \"mean_free_path\""
            )));
        }
        parameters.sub_steps = wanted;
        return Ok(Vec::new());
    };
    if given == 0 || given > MOST_SUB_STEPS || f64::from(given) < least {
        return Err(Fault::usage(format!(
            "polymers.sub_steps {given} must lie from {} to {MOST_SUB_STEPS}: with fewer the motion of the stiffest bonds, bends or \
             forces between beads is not stable; {wanted} follow them well, or leave the key out",
            even(least)
        )));
    }
    parameters.sub_steps = even(f64::from(given));
    let taken = parameters.sub_steps;
    let phase = stiffest / f64::from(taken);
    let mut notes = Vec::new();
    if taken != given {
        notes.push(format!("polymers.sub_steps {given} is odd, beads move in an even number: {taken} are taken"));
    }
    if phase > ROUGH_PHASE {
        notes.push(format!(
            "polymers.sub_steps {given} are few for the stiffest bonds, bends or forces between beads: lengths of bonds will vary \
             more than the temperature makes them; {wanted} are enough"
        ));
    }
    Ok(notes)
}

/// Tells where FENE bonds rest at another length than that in the case.
fn other_length(population: &ChainPopulation, kind: &Kind, bath: &Bath) -> Option<String> {
    if kind.extension == 0.0 || kind.beads < 2 {
        return None;
    }
    if kind.energy == 0.0 {
        return Some(format!(
            "polymers.populations.{}: without \"pairs\" nothing keeps neighbours on FENE bonds apart, which draw them together: take \
             \"wca\", or \"harmonic\" bonds",
            population.name
        ));
    }
    let energy = |share: &f64| {
        let r = share * kind.extension;
        bond(kind, r) + pair(kind, kind, r)
    };
    let shares = (1..1000).map(|n| f64::from(n) / 1000.0);
    let rest = kind.extension * shares.min_by(|a, b| energy(a).total_cmp(&energy(b)))?;
    ((rest / kind.length - 1.0).abs() > 0.05).then(|| {
        format!(
            "polymers.populations.{}: FENE bonds rest at {}, those of the case are {} long: with a \"diameter\" of about one bond \
             they would fit",
            population.name,
            with_unit(rest * bath.units.dx, "m"),
            with_unit(population.bond, "m")
        )
    })
}

/// Tells where bends are stiffer than springs that bonds are: they can push these together.
fn soft_bonds(population: &ChainPopulation, kind: &Kind, bath: &Bath) -> Option<String> {
    let (bending, bonds) =
        [kind.bending, kind.stiffness * kind.length.powi(2)].map(|energy| energy / bath.speed.powi(2)).into();
    (kind.beads > 2 && kind.extension == 0.0 && bending > bonds).then(|| {
        let [bending, bonds] = [bending, bonds].map(plain);
        format!(
            "polymers.populations.{}: bending {bending} is more than the stiffness of bonds, {bonds}: sharp bends, as random walks \
             have at the start, push bonds together instead of turning them; give \"harmonic\" a \"stiffness\" of {bending} or more",
            population.name
        )
    })
}

/// Refuses chains that their bends make as long as half a period: they would meet themselves. Tells where they are near to that.
fn stiff_size(
    parameters: &Parameters,
    population: &ChainPopulation,
    kind: &Kind,
    bath: &Bath,
) -> Result<Option<String>> {
    if kind.beads < 3 || kind.bending == 0.0 {
        return Ok(None);
    }
    let periods = (0..parameters.dimension).filter(|&a| parameters.periodic[a]);
    let Some(a) = periods.min_by_key(|&a| parameters.extent[a]) else { return Ok(None) };
    let thermal = parameters.speed.powi(2);
    let (period, size) = (parameters.extent[a] as f64, kind.size(population.ring, thermal, parameters.dimension));
    let (share, axis) = (size / (0.5 * period), ["x", "y", "z"][a]);
    let long = with_unit(size * bath.units.dx, "m");
    if share > MEETS_ITSELF {
        return Err(refuse(
            &population.name,
            "bending",
            format!(
                "{} makes chains about {long} long from end to end, more than half the period of {} along {axis}: they would meet \
                 themselves; take less, or fewer beads, shorter bonds or a longer domain in the CASE.json",
                plain(kind.bending / thermal),
                with_unit(period * bath.units.dx, "m")
            ),
        ));
    }
    Ok((share > IS_NEAR_ITSELF).then(|| {
        format!(
            "polymers.populations.{}: its bending makes chains about {long} long from end to end, {:.0} % of half the period along \
             {axis}: they feel themselves; a longer domain changes their motion",
            population.name,
            100.0 * share
        )
    }))
}

/// Refuses forces and bonds that reach half around a period: beads would see two images of each other.
fn check_reach(parameters: &Parameters, header: &Header) -> Result<()> {
    let thermal = parameters.speed.powi(2);
    let bonds = parameters.kinds.iter().map(|kind| kind.longest_bond(thermal)).fold(0.0, f64::max);
    for a in (0..parameters.dimension).filter(|&a| parameters.periodic[a]) {
        let period = parameters.extent[a] as f64;
        let widest = bonds.max(parameters.listed());
        if widest > LONGEST * period {
            return Err(Fault::usage(format!(
                "polymers: bonds or forces between beads reach {}, which is more than {LONGEST} of the period of {} along {}: beads \
                 would meet two images of each other; make the case longer, or bonds shorter or stiffer",
                with_unit(widest * header.spacing, "m"),
                with_unit(period * header.spacing, "m"),
                ["x", "y", "z"][a]
            )));
        }
    }
    Ok(())
}

/// Refuses beads that overlap at the start, and bonds that are longer than they can be.
///
/// # Errors
/// A usage fault that names the beads.
pub fn check_start(
    parameters: &Parameters,
    bath: &Bath,
    chains: &Chains,
    (populations, beads): (&[ChainPopulation], &[Bead]),
) -> Result<()> {
    let (thermal, metres) = (bath.speed.powi(2), |x: f64| with_unit(x * bath.units.dx, "m"));
    let at = Conformation::new(parameters, chains, beads);
    for (i, &[_, after, kind]) in chains.links.iter().enumerate() {
        let kind = &parameters.kinds[kind as usize];
        if after == crate::chains::NONE || kind.extension == 0.0 {
            continue;
        }
        let r = at.apart(i, after as usize).iter().map(|x| x * x).sum::<f64>().sqrt();
        if r > 0.99 * kind.extension {
            return Err(Fault::usage(format!(
                "the case: a bond of {} is {} long, at most {} are possible: give a larger \"bonds.fene.extension\"",
                name(populations, chains, i),
                metres(r),
                metres(kind.extension)
            )));
        }
    }
    if !parameters.pairs() {
        return Ok(());
    }
    let mut nearest: BTreeMap<(usize, usize), f64> = BTreeMap::new();
    at.each_pair(parameters.reach(), &mut |i, j, r| {
        let kinds = [i, j].map(|bead| &parameters.kinds[chains.kind(bead)]);
        if pair(kinds[0], kinds[1], r.max(1e-3)) > OVERLAP * thermal {
            nearest.insert((i, j), r);
        }
    });
    let Some((&(i, j), &r)) = nearest.first_key_value() else { return Ok(()) };
    Err(Fault::usage(format!(
        "the case: {} pairs of beads overlap, the first are {} and {}, {} apart, with an energy above {OVERLAP} kT: make the case \
         with the \"diameter\" of the run, or give a smaller one in \"polymers.populations.{}.pairs\"",
        nearest.len(),
        name(populations, chains, i),
        name(populations, chains, j),
        metres(r),
        populations[chains.kind(i)].name
    )))
}

/// What a bead is called: its population, the number of its chain in it, and its own in the chain, from 0.
pub fn name(populations: &[ChainPopulation], chains: &Chains, bead: usize) -> String {
    let kind = chains.kind(bead);
    let population = &populations[kind];
    let first: usize = populations[..kind].iter().map(|before| before.chains() * before.beads).sum();
    let within = bead - first;
    format!("bead {} of chain {} of \"{}\"", within % population.beads, within / population.beads, population.name)
}
