//! Force of the fluid on walls: which parts are asked for, their links on this rank, and the columns that the ledger holds of them.

use std::collections::BTreeMap;

use hematite_case::{Case, Header, Part, Target, at_rim};
use hematite_comm::{Comm, agree};
use hematite_config::{Fault, Result, nearest};
use hematite_dump::Column;
use hematite_geometry::OpeningKind;

use crate::config::ForceConfig;
use crate::scene::{Scene, WeighedPart};
use crate::{Plan, WALLS, WallForce, WallLinks, WallMethod, centroid};

/// Where a part comes from.
enum Kind {
    /// The wall as a whole, moving parts included.
    Whole,
    /// A named part of the case.
    Named(usize),
    /// An opening that is a moving wall.
    Moving(usize),
}

/// The parts that a run asks for: without a say in the config, those that the case names. Collective.
///
/// # Errors
/// A usage fault for a name that is no part of the wall, a point of the wrong dimension, or immersed walls; where the case is
/// damaged.
pub(crate) fn parts(
    comm: &dyn Comm,
    case: &Case,
    config: Option<&BTreeMap<String, ForceConfig>>,
    plan: &Plan,
    part: &Part,
) -> Result<Vec<WeighedPart>> {
    let header = case.header();
    let of_case: BTreeMap<String, ForceConfig>;
    let asked = match config {
        Some(asked) => asked,
        None if plan.wall_method() == WallMethod::Immersed => return Ok(Vec::new()),
        None => {
            of_case = header.wall_parts.iter().map(|part| (part.name.clone(), ForceConfig::default())).collect();
            &of_case
        }
    };
    let mut parts = Vec::with_capacity(asked.len());
    for (name, force) in asked {
        let within = |fault: Fault| fault.within(format!("forces.{name}"));
        let kind = agree(comm, kind(header, plan, name).map_err(within))?;
        let links = agree(comm, links(case, part, &kind))?;
        let given = agree(comm, about(header, force).map_err(within))?;
        let middle = centroid(comm, header.set, part, &links)?;
        let Some(about) = given.or(middle) else {
            return Err(within(Fault::usage("the case has no wall there: leave it out")));
        };
        parts.push(WeighedPart { name: name.clone(), about, links });
    }
    Ok(parts)
}

fn kind(header: &Header, plan: &Plan, name: &str) -> Result<Kind> {
    if plan.wall_method() == WallMethod::Immersed {
        return Err(Fault::usage(
            "fluid.lattice_boltzmann.walls \"immersed\": forces are taken down at walls \"half_way\" and \"interpolated\" only: take one of these",
        ));
    }
    let opening = header.openings.iter().position(|opening| opening.name == name);
    if name == WALLS {
        return match opening {
            Some(_) => Err(Fault::usage(format!(
                "\"{WALLS}\" is the wall as a whole and the name of an opening: give the opening another name"
            ))),
            None => Ok(Kind::Whole),
        };
    }
    if let Some(k) = header.wall_parts.iter().position(|part| part.name == name) {
        return Ok(Kind::Named(k));
    }
    if let Some(k) = opening {
        return match header.openings[k].kind {
            OpeningKind::Wall => Ok(Kind::Moving(k)),
            kind => Err(Fault::usage(format!("the opening is of kind {kind:?}, no wall: leave it out"))),
        };
    }
    let moving = header.openings.iter().filter(|opening| opening.kind == OpeningKind::Wall);
    let mut known: Vec<&str> = vec![WALLS];
    known.extend(header.wall_parts.iter().map(|part| part.name.as_str()));
    known.extend(moving.map(|opening| opening.name.as_str()));
    let hint = nearest(name, known.iter().copied()).map(|near| format!("; did you mean \"{near}\"?"));
    Err(Fault::usage(format!(
        "the case has no such part of the wall, but {}{}; \"wall_parts\" in its CASE.json names others",
        known.join(", "),
        hint.unwrap_or_default()
    )))
}

/// The links of own nodes into a part of the wall.
fn links(case: &Case, part: &Part, kind: &Kind) -> Result<WallLinks> {
    let header = case.header();
    Ok(match kind {
        Kind::Moving(k) => part.openings[*k].iter().map(|site| [site.node, site.links]).collect(),
        Kind::Named(k) => {
            let sites = case.wall_parts()?.swap_remove(*k).sites;
            let own = part.id[..part.own].iter().zip(0..);
            own.filter_map(|(id, node)| {
                let found = sites.binary_search_by_key(id, |site| site.node).ok()?;
                Some([node, sites[found].links])
            })
            .collect()
        }
        Kind::Whole => {
            let wall = |target: Target| match target {
                Target::Wall => true,
                Target::Opening(k) => header.openings[k].kind == OpeningKind::Wall,
                Target::Node(_) => false,
            };
            let target = |node: usize, i: usize| part.links[i - 1][node].target();
            let opens = |target: Target| matches!(target, Target::Opening(_)) && !wall(target);
            let into_wall = |node: usize| {
                let counts = |i: usize| wall(target(node, i)) && !at_rim(header.set, i, |i| opens(target(node, i)));
                (1..header.set.q()).filter(|&i| counts(i)).fold(0, |bits, i| bits | 1 << i)
            };
            (0..part.own).map(|node| [node as u32, into_wall(node)]).filter(|[_, links]| *links != 0).collect()
        }
    })
}

/// The point that a config gives, lattice units.
fn about(header: &Header, force: &ForceConfig) -> Result<Option<[f64; 3]>> {
    let Some(point) = &force.about else { return Ok(None) };
    let dimension = header.set.dimension();
    if point.len() != dimension {
        return Err(Fault::usage(format!("about has {} lengths, the case {dimension} dimensions", point.len())));
    }
    let along = |axis: usize| match point.get(axis) {
        Some(length) => (length.si() - header.origin[axis]) / header.spacing - 0.5,
        None => 0.0,
    };
    Ok(Some(std::array::from_fn(along)))
}

/// The columns of each part and what stands in them where the parts' forces are `found`, in SI: N and N m, in 2-D of a metre of depth.
pub(crate) fn measured(scene: &Scene, found: &[WallForce]) -> Vec<(Column, f64)> {
    let (units, flat) = (&scene.plan.units, scene.header.set.dimension() == 2);
    let newton = if flat { units.force() / units.dx } else { units.force() };
    let (force_unit, torque_unit) = if flat { ("N_per_m", "N_m_per_m") } else { ("N", "N_m") };
    let axes: [&[usize]; 2] = if flat { [&[0, 1], &[2]] } else { [&[0, 1, 2], &[0, 1, 2]] };
    let mut measured = Vec::new();
    for (k, part) in scene.forces.iter().enumerate() {
        let force = found.get(k).copied().unwrap_or_default();
        let torque = force.torque_about(part.about);
        let mut add = |what: &str, axis: usize, unit: &str, value: f64| {
            let quantity = format!("{what}_{}_{unit}", ["x", "y", "z"][axis]);
            measured.push((Column::of(quantity, part.name.clone()), value));
        };
        axes[0].iter().for_each(|&axis| add("force", axis, force_unit, force.force[axis] * newton));
        axes[1].iter().for_each(|&axis| add("torque", axis, torque_unit, torque[axis] * units.dx * newton));
    }
    measured
}

/// What the log says of the parts at the start.
pub(crate) fn events(header: &Header, parts: &[WeighedPart]) -> Vec<serde_json::Value> {
    let event = |part: &WeighedPart| {
        let about: Vec<f64> = (0..header.set.dimension())
            .map(|axis| header.origin[axis] + (part.about[axis] + 0.5) * header.spacing)
            .collect();
        serde_json::json!({"event": "force", "part": part.name, "torque_about_m": about})
    };
    parts.iter().map(event).collect()
}
