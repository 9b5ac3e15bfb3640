//! The sites within surfaces, and what links and nodes have to know of them.

use std::sync::atomic::{AtomicBool, Ordering};

use hematite_config::{Fault, Result};
use rayon::prelude::*;

use super::crossings::{Crossing, View, crossings};
use super::mesh::Vector;
use super::nearest::Foot;
use super::{Loaded, Surface};
use crate::domain::Site;
use crate::refine::MAX_SITES;

/// The sites of a surface.
pub(crate) struct Filled {
    /// Sites along x, y, z, one layer of wall around included.
    pub extent: [usize; 3],
    /// Lower corner of site (0, 0, 0) in metres.
    pub origin: Vector,
    /// The sites, x fastest.
    pub sites: Vec<Site>,
    /// The surface, in units of sites.
    pub surface: Surface,
}

/// Fills a surface: a site is fluid whose centre is within the vessel and in no body. Borders of sites are at whole
/// multiples of the spacing, so that the lattice stays put when the mesh grows.
///
/// # Errors
/// A usage fault where the lattice would have too many sites, and where a body has none within the vessel.
pub(crate) fn fill(loaded: Loaded, spacing: f64) -> Result<Filled> {
    let [low, high] = loaded.extents().unwrap_or_default();
    // A hair of tolerance: borders on a multiple of the spacing stay on it.
    let first = low.map(|x| (x / spacing + 1e-6).floor());
    let sizes = [0, 1, 2].map(|axis| ((high[axis] / spacing - 1e-6).ceil() - first[axis]).max(1.0) + 2.0);
    let total: f64 = sizes.iter().product();
    if total > MAX_SITES as f64 || sizes.iter().any(|&n| n > f64::from(i32::MAX)) {
        return Err(Fault::usage(format!(
            "geometry.spacing: {spacing:e} m makes {} x {} x {} sites of the surface, the limit is {MAX_SITES}: take a larger \
             spacing, or check the unit",
            sizes[0], sizes[1], sizes[2]
        )));
    }
    let extent = sizes.map(|n| n as usize);
    let origin = first.map(|first| (first - 1.0) * spacing);
    let (boxes, names) = (loaded.boxes(), loaded.names.clone());
    let surface = loaded.on_lattice(origin, spacing);
    let crossings = surface.crossings([1, 0, 0]);
    let found: Vec<AtomicBool> = names.iter().map(|_| AtomicBool::new(false)).collect();
    let mut sites = vec![Site::WALL; extent.iter().product()];
    sites.par_chunks_mut(extent[0]).enumerate().for_each(|(row, sites)| {
        let line = [(row % extent[1]) as i32, (row / extent[1]) as i32];
        surface.fill_row(on_line(&crossings, line), sites, &found);
    });
    if let Some(body) = found.iter().position(|found| !found.load(Ordering::Relaxed)) {
        return Err(astray(&names[body], boxes[0], boxes[body + 1]));
    }
    Ok(Filled { extent, origin, sites, surface })
}

/// The fault of a body without a site within the vessel; boxes in metres.
fn astray(name: &str, vessel: [Vector; 2], body: [Vector; 2]) -> Fault {
    let text = |[low, high]: [Vector; 2]| {
        let [low, high] = [low, high].map(|corner| corner.map(|x| format!("{x:.4e}")).join(", "));
        format!("from ({low}) to ({high}) m")
    };
    Fault::usage(format!(
        "geometry.surface.bodies: {name} has no site within the vessel: the body goes {}, the vessel {}; save it in the \
         vessel's unit and place, take a smaller spacing where it is thinner than that, or take it out",
        text(body),
        text(vessel)
    ))
}

/// The crossings of one line.
fn on_line(crossings: &[Crossing], [u, v]: [i32; 2]) -> &[Crossing] {
    let from = crossings.partition_point(|crossing| [crossing.line[1], crossing.line[0]] < [v, u]);
    let to = from + crossings[from..].partition_point(|crossing| crossing.line == [u, v]);
    &crossings[from..to]
}

/// Where a surface cuts the links along one direction.
pub struct Cuts {
    view: View,
    forward: bool,
    crossings: Vec<Crossing>,
}

/// Sites that rounding puts on the wrong side of the surface by less than this, in links, are on it.
const ROUNDING: f64 = 1e-6;

impl Cuts {
    /// The first place where the surface cuts the link from a site, as a share of the link's length from 0 to 1; none
    /// where it does not.
    pub fn first(&self, site: [i32; 3]) -> Option<f64> {
        let (line, along) = self.view.of_site(site);
        let shares = on_line(&self.crossings, line).iter().map(|crossing| {
            let share = crossing.at - f64::from(along);
            if self.forward { share } else { -share }
        });
        let cut = shares.filter(|share| (-ROUNDING..=1.0 + ROUNDING).contains(share)).min_by(f64::total_cmp);
        cut.map(|share| share.clamp(0.0, 1.0))
    }
}

impl Surface {
    /// Number of its triangles.
    pub fn triangles(&self) -> usize {
        self.mesh.triangles.len()
    }

    /// Where it cuts links along a direction of components -1, 0, 1.
    pub fn cuts(&self, direction: [i32; 3]) -> Cuts {
        let forward = direction.iter().find(|&&c| c != 0).is_some_and(|&c| c > 0);
        let along = if forward { direction } else { direction.map(|c| -c) };
        Cuts { view: View::along(along), forward, crossings: self.crossings(along) }
    }

    /// The place nearest to a point, both in units of sites, whose centres are at whole numbers.
    pub fn nearest(&self, point: Vector) -> Option<Foot> {
        self.tree.nearest(point)
    }

    /// The unit normal of the triangle of a foot, into the fluid.
    pub fn normal(&self, foot: &Foot) -> Vector {
        self.mesh.normal(foot.triangle).map(|x| -x)
    }

    /// Links between two fluid sites that the surface cuts: how many there are, and a site at the first. There is wall
    /// between them that is thinner than a spacing, or a piece of the surface within the vessel.
    pub(crate) fn leaks(&self, is_fluid: impl Fn([i32; 3]) -> bool) -> Option<(usize, [i32; 3])> {
        let halves = (0..27).map(|i| [i / 9 - 1, i / 3 % 3 - 1, i % 3 - 1]).filter(|c| {
            let first = c.iter().find(|&&c| c != 0);
            first == Some(&1) && c.iter().map(|x| x * x).sum::<i32>() <= 2
        });
        let (mut count, mut first) = (0, None);
        for direction in halves {
            let view = View::along(direction);
            let mut last = None;
            // A link that grazes a bulge of the wall goes through no wall.
            for Crossing { line, at, .. } in self.crossings(direction).into_iter().filter(|crossing| crossing.steep) {
                let behind = at.ceil() as i32;
                let ends = [view.site(line, behind - 1), view.site(line, behind)];
                // What lies on a site is on either side of it by rounding.
                let beside = (at - at.round()).abs() > ROUNDING;
                if beside && last != Some((line, behind)) && ends.iter().all(|&end| is_fluid(end)) {
                    count += 1;
                    first = first.or(Some(ends[0]));
                    last = Some((line, behind));
                }
            }
        }
        first.map(|first| (count, first))
    }

    fn crossings(&self, direction: [i32; 3]) -> Vec<Crossing> {
        let of = |t: usize| self.bodies.partition_point(|&first| first <= t) as u8;
        crossings(&self.mesh, View::along(direction), of)
    }

    /// Marks the fluid sites of a row along x with these crossings, and which bodies are found within the vessel.
    fn fill_row(&self, crossings: &[Crossing], sites: &mut [Site], found: &[AtomicBool]) {
        let mut depth = vec![0_i32; self.parity.len()];
        for (k, crossing) in crossings.iter().enumerate() {
            let surface = usize::from(crossing.surface);
            depth[surface] += if self.parity[surface] { 1 } else { i32::from(crossing.turn) };
            // A body's triangles are turned: a line goes into it where it goes out of the fluid.
            let within = |surface: usize| match (self.parity[surface], surface) {
                (true, _) => depth[surface] % 2 == 1,
                (false, 0) => depth[0] > 0,
                (false, _) => depth[surface] < 0,
            };
            let site = |at: f64| (at.ceil().max(0.0) as usize).min(sites.len());
            let end = crossings.get(k + 1).map_or(sites.len(), |next| site(next.at));
            let from = site(crossing.at).min(end);
            if !within(0) || from == end {
                continue;
            }
            let mut is_fluid = true;
            for body in (1..depth.len()).filter(|&body| within(body)) {
                is_fluid = false;
                found[body - 1].store(true, Ordering::Relaxed);
            }
            if is_fluid {
                sites[from..end].fill(Site::FLUID);
            }
        }
    }
}
