//! Openings: their nodes, normal, area, and the speed profile of developed flow on them.

use std::f64::consts::PI;
use std::ops::Range;

use hematite_cells::vector::{self, dot, length, minus, plus, times};
use hematite_config::{Fault, Result};
use hematite_geometry::OpeningKind;
use rayon::prelude::*;

use crate::section::Section;
use crate::{Lattice, NodeId, VelocitySet, profile};

/// One opening of a case.
#[derive(Clone, Debug, PartialEq)]
pub struct Opening {
    /// Its name, by which the run prescribes values.
    pub name: String,
    /// What is prescribed there.
    pub kind: OpeningKind,
    /// Unit normal into the fluid.
    pub normal: [f64; 3],
    /// Area in lattice units (length in 2-D): for an opening across an axis the nodes that face it, for one across a
    /// vessel of another direction that of the vessel's section, else `link_area`.
    pub area: f64,
    /// The flux that link-wise velocity bounce-back passes for unit normal velocity, the sum of `-6 w_i c_i . normal`
    /// over the links into the opening. Less than `area` where diagonal links at the rim lead into the wall.
    pub link_area: f64,
    /// The nodes with links into it, ascending.
    pub nodes: Vec<OpeningSite>,
}

/// One node of an opening, by its global number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OpeningSite {
    /// The node.
    pub node: NodeId,
    /// Bit i is set when c_i leads into the opening.
    pub links: u32,
    /// Developed-flow speed relative to the opening's mean speed, so that the flux of this profile over all links is
    /// the opening's area. Uniform where no wall bounds the cross-section; 1 at a moving wall.
    pub developed: f32,
}

/// The largest angle between a computed normal and an axis at which the axis is taken, in degrees.
const SNAP: f64 = 10.0;

/// By how much the area of a section may differ from that of the opening's links, as a share of it, where the opening
/// lies across a vessel.
const ODD: f64 = 0.25;
/// The widest rim, in spacings, whose links all lead into the wall: the links' area may lack that much all around.
const RIM: f64 = 0.6;

/// Finds the nodes of every declared opening, and measures it.
pub(crate) fn find(lattice: &Lattice, declared: &[hematite_geometry::Opening]) -> Result<Vec<Opening>> {
    let mut masks: Vec<Vec<(u32, u32)>> = declared.iter().map(|_| Vec::new()).collect();
    for (k, node, mask) in gather(lattice) {
        masks[k].push((node, mask));
    }
    let measure = |(opening, masks): (&hematite_geometry::Opening, &Vec<(u32, u32)>)| measure(lattice, opening, masks);
    declared.par_iter().zip(&masks).map(measure).collect()
}

/// Every (opening, node, mask of directions), nodes ascending.
fn gather(lattice: &Lattice) -> Vec<(usize, u32, u32)> {
    const STEP: usize = 1 << 16;
    let nodes = lattice.nodes();
    let scan = |range: Range<usize>| {
        let mut found: Vec<(usize, u32, u32)> = Vec::new();
        for (i, direction) in lattice.links.iter().enumerate() {
            for n in range.clone() {
                if let Some(k) = direction[n].opening() {
                    found.push((k, n as u32, 1 << (i + 1)));
                }
            }
        }
        found.sort_unstable();
        found.dedup_by(|next, kept| {
            let same = (next.0, next.1) == (kept.0, kept.1);
            kept.2 |= if same { next.2 } else { 0 };
            same
        });
        found
    };
    let slabs: Vec<_> = (0..nodes).step_by(STEP).map(|n| n..(n + STEP).min(nodes)).collect();
    slabs.into_par_iter().flat_map_iter(scan).collect()
}

fn measure(lattice: &Lattice, declared: &hematite_geometry::Opening, masks: &[(u32, u32)]) -> Result<Opening> {
    let set = lattice.set;
    let name = &declared.name;
    if masks.is_empty() {
        return Err(Fault::usage(format!(
            "opening \"{name}\" touches no fluid node; move it onto the fluid's boundary"
        )));
    }
    let normal = match declared.normal {
        Some(normal) => unit(normal),
        None => unit(masks.iter().fold([0.0; 3], |sum, &(_, mask)| minus(sum, outward(set, mask)))).map(snap),
    };
    let Some(normal) = normal else {
        return Err(Fault::usage(format!(
            "opening \"{name}\" has no direction: its links into the fluid cancel; split it or give it a normal"
        )));
    };
    // outward() holds the sum of w_i c_i.
    let areas: Vec<f64> = masks.iter().map(|&(_, mask)| -6.0 * dot(outward(set, mask), normal)).collect();
    let link_area: f64 = areas.iter().sum();
    let nodes: Vec<u32> = masks.iter().map(|&(node, _)| node).collect();
    let flat = facing(lattice, masks, normal);
    let section = match (flat, declared.kind) {
        (None, OpeningKind::Velocity | OpeningKind::Pressure) => {
            Section::find(lattice, &nodes, normal).filter(|section| is_of(section, link_area, set.dimension()))
        }
        _ => None,
    };
    let area = flat.or(section.as_ref().map(|section| section.area)).unwrap_or(link_area);
    if link_area <= 1e-9 {
        return Err(Fault::usage(format!(
            "opening \"{name}\" has no area along its normal {normal:?} (found {link_area:.3}); the normal must point into the fluid"
        )));
    }
    let developed = match (declared.kind, section) {
        (OpeningKind::Wall, _) => vec![1.0; nodes.len()],
        (_, Some(section)) => {
            let speed: Vec<f64> = nodes.iter().map(|&n| section.speed_at(lattice.position[n as usize])).collect();
            profile::scaled(speed, &areas, area)
        }
        (_, None) => profile::developed(lattice, &nodes, normal, &areas, area)
            .map_err(|fault| fault.within(format!("opening \"{name}\"")))?,
    };
    let nodes = masks.iter().zip(developed);
    Ok(Opening {
        name: name.clone(),
        kind: declared.kind,
        normal,
        area,
        link_area,
        nodes: nodes
            .map(|(&(node, links), developed)| OpeningSite {
                node: NodeId(u64::from(node)),
                links,
                developed: developed as f32,
            })
            .collect(),
    })
}

/// Whether a section is that of an opening whose links have the area `link_area`, and not that of a wider or narrower
/// vessel behind it.
fn is_of(section: &Section, link_area: f64, dimension: usize) -> bool {
    let rim = if dimension == 2 { 2.0 } else { 2.0 * (PI * section.area).sqrt() };
    let lacking = section.area - link_area;
    lacking.abs() < ODD * link_area || (0.0..RIM * rim).contains(&lacking)
}

/// The number of nodes whose straight link against `normal` leads into the opening, where `normal` is along an axis.
fn facing(lattice: &Lattice, masks: &[(u32, u32)], normal: [f64; 3]) -> Option<f64> {
    let c = lattice.set.velocities();
    let straight = c.iter().position(|c| c.map(|component| -f64::from(component)) == normal)?;
    let count = masks.iter().filter(|(_, mask)| mask >> straight & 1 == 1).count();
    (count > 0).then_some(count as f64)
}

/// The sum of `w_i c_i` over the directions of a mask.
pub fn outward(set: VelocitySet, mask: u32) -> [f64; 3] {
    let c = set.velocities();
    let inside = (1..set.q()).filter(|i| mask >> i & 1 == 1);
    inside.fold([0.0; 3], |sum, i| plus(sum, times(set.weight(i), c[i].map(f64::from))))
}

/// `v` at unit length, unless it is nothing but for rounding.
pub(crate) fn unit(v: [f64; 3]) -> Option<[f64; 3]> {
    vector::unit(v).filter(|_| length(v) > 1e-9)
}

/// The axis within [`SNAP`] of a unit vector, or the vector.
fn snap(v: [f64; 3]) -> [f64; 3] {
    if v.iter().any(|component| component.abs() >= SNAP.to_radians().cos()) { v.map(f64::round) } else { v }
}

#[cfg(test)]
mod tests {
    use hematite_geometry::Site;

    use super::*;
    use crate::fixture;

    #[test]
    fn a_channel_end_has_its_height_as_area_and_the_parabola_as_profile() {
        let height = 20;
        let lattice = Lattice::build(&fixture::channel(6, height)).expect("builds");
        for (opening, x) in lattice.openings.iter().zip([1.0, -1.0]) {
            assert_eq!(opening.normal, [x, 0.0, 0.0]);
            assert!((opening.area - height as f64).abs() < 1e-12, "{}", opening.area);
            assert_eq!(opening.nodes.len(), height);
            let sum: f64 = opening.nodes.iter().map(|site| f64::from(site.developed)).sum();
            assert!((sum - height as f64).abs() < 1e-4);
        }
    }

    #[test]
    fn an_oblique_opening_finds_its_normal_and_flux() {
        // The half-plane x + y > 12 is fluid, the other side the opening.
        let mut domain = fixture::solid(2, [22, 22, 1], [false; 3]);
        for (x, y) in (0..22).flat_map(|x| (0..22).map(move |y| (x, y))) {
            let inner = (1..21).contains(&x) && (1..21).contains(&y);
            let site = if x + y <= 12 { Site::opening(0) } else { Site::FLUID };
            fixture::set(&mut domain, [x, y, 0], if inner || x + y <= 12 { site } else { Site::WALL });
        }
        domain.openings = vec![fixture::opening("in", None)];
        let lattice = Lattice::build(&domain).expect("builds");
        let opening = &lattice.openings[0];
        let half = 0.5_f64.sqrt();
        assert!((opening.normal[0] - half).abs() < 1e-9 && (opening.normal[1] - half).abs() < 1e-9);
        let flux: f64 = opening
            .nodes
            .iter()
            .map(|s| -6.0 * dot(outward(lattice.set, s.links), opening.normal) * f64::from(s.developed))
            .sum();
        assert!((flux / opening.area - 1.0).abs() < 1e-6);
        // The line x + y = 12 crosses the fluid box over about 12 sqrt(2) spacings.
        assert!((opening.area - 12.0 * 2.0_f64.sqrt()).abs() < 1.5, "{}", opening.area);
        let of = |n: usize| opening.nodes[n].developed;
        assert!(of(0) < 0.5 && of(opening.nodes.len() / 2) > 1.2);
    }

    #[test]
    fn an_opening_without_fluid_is_refused_by_name() {
        let mut domain = fixture::channel(4, 3);
        domain.openings.push(fixture::opening("vein", None));
        let message = Lattice::build(&domain).expect_err("refused").message;
        assert!(message.contains("\"vein\"") && message.contains("no fluid"), "{message}");
    }
}
