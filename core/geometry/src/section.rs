//! An opening across a vessel of any direction.

use std::collections::VecDeque;

use hematite_config::{Fault, Result};
use hematite_units::quantity::Length;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::domain::{Domain, Site};

/// A cut across a vessel of any direction, e.g. {"normal": [1, 0.5], "through": ["40 um", "20 um"]}: the plane through
/// that point with that normal. It cuts the vessel in which the point lies and no other. Give the vessel's own
/// direction as normal, so that the section is as small as it gets, and cut where the vessel is straight: the profile
/// of a velocity opening is the developed flow of this section.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Section {
    /// Along the vessel, into the fluid that stays; x, y(, z), of any length, e.g. [1, 0.5].
    pub normal: Vec<f64>,
    /// A point of the section within the vessel, from the image's lower-left corner, e.g. ["40 um", "20 um"].
    pub through: Vec<Length>,
}

/// How far from the point, in spacings, the vessel may be.
const NEAR: f64 = 2.0;

impl Section {
    /// The unit normal; none where the vector has no direction.
    pub fn unit(&self) -> Option<[f64; 3]> {
        let mut vector = [0.0; 3];
        for (component, &given) in vector.iter_mut().zip(&self.normal) {
            *component = given;
        }
        let length = vector.iter().map(|x| x * x).sum::<f64>().sqrt();
        (length > 0.0 && length.is_finite()).then(|| vector.map(|x| x / length))
    }

    /// Makes the sites behind the plane that links from before it lead to opening `k`, and wall of what else these
    /// touch behind it; gives the number of the opening's sites.
    ///
    /// # Errors
    /// For a normal or a point that cannot be, or a point away from the fluid.
    pub fn place(&self, domain: &mut Domain, k: usize) -> Result<usize> {
        let dimension = domain.dimension;
        for (key, count) in [("normal", self.normal.len()), ("through", self.through.len())] {
            if count != dimension {
                return Err(Fault::usage(format!(
                    "section.{key} has {count} components, the domain {dimension} dimensions"
                )));
            }
        }
        let Some(normal) = self.unit() else {
            return Err(Fault::usage(format!(
                "section.normal {:?} has no direction: give that of the vessel, into the fluid, such as [1, 0.5]",
                self.normal
            )));
        };
        let mut through = [0.0; 3];
        for (through, at) in through.iter_mut().zip(&self.through) {
            *through = at.si();
        }
        across(domain, k, normal, through).ok_or_else(|| {
            Fault::usage(format!(
                "section.through: no fluid lies behind the plane within {NEAR} spacings of the point; move it into the vessel"
            ))
        })
    }
}

/// Cuts the vessel around the point `through`, in metres, across the unit vector `normal` for opening `k`; see
/// [`Section::place`]. None where no fluid is near.
pub(crate) fn across(domain: &mut Domain, k: usize, normal: [f64; 3], through: [f64; 3]) -> Option<usize> {
    let at = |axis: usize| (through[axis] - domain.origin[axis]) / domain.spacing - 0.5;
    let through = [0, 1, 2].map(|axis| if axis < domain.dimension { at(axis) } else { 0.0 });
    let cut = Cut { normal, through, depth: depth(normal) };
    let start = cut.start(domain)?;
    let placed = cut.layer(domain, start);
    for &at in &placed {
        let index = domain.index(at);
        domain.sites[index] = Site::opening(k);
    }
    // No link of what lies behind may reach the opening.
    for &at in &placed {
        for there in cut.around(domain, at) {
            let index = domain.index(there);
            if domain.sites[index] == Site::FLUID && cut.height(there) <= -cut.depth {
                domain.sites[index] = Site::WALL;
            }
        }
    }
    Some(placed.len())
}

/// How far along the normal the longest link reaches.
fn depth(normal: [f64; 3]) -> f64 {
    let mut sizes = normal.map(f64::abs);
    sizes.sort_by(|a, b| b.total_cmp(a));
    sizes[0] + sizes[1]
}

/// A plane in units of sites, centres at whole numbers.
struct Cut {
    normal: [f64; 3],
    through: [f64; 3],
    /// Thickness of the opening's layer behind the plane.
    depth: f64,
}

impl Cut {
    /// Height of a site over the plane; a hair of tolerance so that decimal lengths on a centre count as on it.
    fn height(&self, at: [usize; 3]) -> f64 {
        (0..3).map(|axis| self.normal[axis] * (at[axis] as f64 - self.through[axis])).sum::<f64>() - 1e-6
    }

    fn holds(&self, domain: &Domain, at: [usize; 3]) -> bool {
        let height = self.height(at);
        height <= 0.0 && height > -self.depth && domain.sites[domain.index(at)] == Site::FLUID
    }

    /// The fluid site of the layer nearest to the point.
    fn start(&self, domain: &Domain) -> Option<[usize; 3]> {
        let reach = NEAR + self.depth;
        let range = |axis: usize| {
            let n = domain.extent[axis] as f64;
            let from = (self.through[axis] - reach).ceil().clamp(0.0, n) as usize;
            from..((self.through[axis] + reach).floor() + 1.0).clamp(from as f64, n) as usize
        };
        let distance = |at: &[usize; 3]| (0..3).map(|a| (at[a] as f64 - self.through[a]).powi(2)).sum::<f64>();
        let planes = if domain.dimension == 2 { 0..1 } else { range(2) };
        let sites = planes.flat_map(|z| range(1).flat_map(move |y| range(0).map(move |x| [x, y, z])));
        let near = sites.filter(|at| self.holds(domain, *at) && distance(at) <= reach * reach);
        near.min_by(|a, b| distance(a).total_cmp(&distance(b)))
    }

    /// The sites of the layer that hang together with `start`.
    fn layer(&self, domain: &Domain, start: [usize; 3]) -> Vec<[usize; 3]> {
        let mut seen = std::collections::HashSet::from([start]);
        let mut found = vec![start];
        let mut next = VecDeque::from([start]);
        while let Some(at) = next.pop_front() {
            for there in self.around(domain, at) {
                if self.holds(domain, there) && seen.insert(there) {
                    found.push(there);
                    next.push_back(there);
                }
            }
        }
        found
    }

    fn around(&self, domain: &Domain, at: [usize; 3]) -> Vec<[usize; 3]> {
        let offsets = (0..27).map(|i| [i % 3 - 1, i / 3 % 3 - 1, i / 9 - 1]);
        let wanted = offsets.filter(|c| *c != [0; 3] && (domain.dimension == 3 || c[2] == 0));
        wanted.filter_map(|c| domain.neighbour(at, c)).collect()
    }
}
