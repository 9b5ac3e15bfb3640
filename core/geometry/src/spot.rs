//! Places of regions by position: what lies around a point, and what a segment crosses.

use hematite_config::{Fault, Result};
use hematite_units::quantity::Length;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::domain::{Domain, Site};

/// A disc, in 3-D a ball, e.g. {"centre": ["500.12 km", "4177.5 km"], "radius": "20 m"}: sites with their centres
/// within it, or where there is none, as without a radius, the one site that holds its centre. It does not wrap around
/// periodic faces.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "snake_case")]
pub struct DiscConfig {
    /// Its centre along x, y(, z), in the coordinates of the case; those of the map for terrain.
    pub centre: Vec<Length>,
    /// Its radius, e.g. "20 m"; default 0.
    #[serde(default)]
    pub radius: Option<Length>,
}

/// A straight line from point to point, e.g. a fissure, {"from": ["1 km", "2 km"], "to": ["1.4 km", "2.3 km"]}: all
/// sites that it crosses.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "snake_case")]
pub struct SegmentConfig {
    /// Where it begins along x, y(, z), in the coordinates of the case; those of the map for terrain.
    pub from: Vec<Length>,
    /// Where it ends, likewise.
    pub to: Vec<Length>,
}

/// A disc in a lattice, in sites; site `i` reaches from `i` to `i + 1`.
pub struct Disc {
    centre: [f64; 3],
    /// None: only the site that holds the centre.
    radius: Option<f64>,
}

impl Disc {
    /// That of a config.
    ///
    /// # Errors
    /// A centre outside the domain or, where no fluid is within the radius, at a site that is no fluid.
    pub fn new(domain: &Domain, config: &DiscConfig) -> Result<Self> {
        let centre = sites_of(domain, "disc.centre", &config.centre)?;
        let radius = config.radius.map_or(0.0, Length::si) / domain.spacing;
        if radius < 0.0 {
            return Err(Fault::usage(format!("disc.radius: {} is negative", config.radius.unwrap_or_default())));
        }
        let at = centre.map(|x| x.floor());
        if (0..domain.dimension).any(|axis| at[axis] < 0.0 || at[axis] >= domain.extent[axis] as f64) {
            return Err(Fault::usage(format!(
                "disc.centre: ({}) is outside the domain, {}",
                shown(&config.centre),
                span(domain)
            )));
        }
        let disc = Self { centre, radius: Some(radius) };
        if disc.has_fluid(domain) {
            return Ok(disc);
        }
        if domain.sites[domain.index(at.map(|i| i as usize))] != Site::FLUID {
            return Err(Fault::usage(format!(
                "disc.centre: ({}) is at a site that is no fluid, or a cell without data: move it, or give a larger \"radius\"",
                shown(&config.centre)
            )));
        }
        Ok(Self { centre, radius: None })
    }

    /// Whether it holds a site.
    pub fn holds(&self, at: [i32; 3]) -> bool {
        let Some(radius) = self.radius else { return at.map(f64::from) == self.centre.map(f64::floor) };
        let square: f64 = (0..3).map(|axis| (f64::from(at[axis]) + 0.5 - self.centre[axis]).powi(2)).sum();
        // A hair of tolerance so that centres at the radius count as within.
        square <= (radius + 1e-6).powi(2)
    }

    /// Whether the centre of a fluid site is within its radius.
    fn has_fluid(&self, domain: &Domain) -> bool {
        let reach = self.radius.unwrap_or(0.0) + 1.0;
        let along = |axis: usize| {
            let bound = |x: f64| x.clamp(0.0, domain.extent[axis] as f64) as usize;
            bound((self.centre[axis] - reach).floor())..bound((self.centre[axis] + reach).ceil())
        };
        let sites = along(2).flat_map(|z| along(1).flat_map(move |y| along(0).map(move |x| [x, y, z])));
        let mut sites = sites.filter(|&at| domain.sites[domain.index(at)] == Site::FLUID);
        sites.any(|at| self.holds(at.map(|i| i as i32)))
    }
}

/// A segment in a lattice, in sites.
pub struct Segment {
    from: [f64; 3],
    to: [f64; 3],
}

impl Segment {
    /// That of a config.
    ///
    /// # Errors
    /// Another number of lengths than the lattice has dimensions.
    pub fn new(domain: &Domain, config: &SegmentConfig) -> Result<Self> {
        let from = sites_of(domain, "segment.from", &config.from)?;
        let to = sites_of(domain, "segment.to", &config.to)?;
        Ok(Self { from, to })
    }

    /// Whether it crosses a site: sites have their lower faces, not their upper ones.
    pub fn crosses(&self, at: [i32; 3]) -> bool {
        // Which part of the way from 0 to 1 lies in the site along all axes, and whether its ends belong to it.
        let (mut first, mut last) = ((0.0, true), (1.0, true));
        for (low, (&start, &end)) in at.into_iter().map(f64::from).zip(self.from.iter().zip(&self.to)) {
            let way = end - start;
            if way == 0.0 {
                if !(low <= start && start < low + 1.0) {
                    return false;
                }
                continue;
            }
            let (lower, upper) = (((low - start) / way, true), ((low + 1.0 - start) / way, false));
            let (enters, leaves) = if way > 0.0 { (lower, upper) } else { (upper, lower) };
            first = if enters.0 > first.0 { enters } else { (first.0, first.1 && (enters.0 < first.0 || enters.1)) };
            last = if leaves.0 < last.0 { leaves } else { (last.0, last.1 && (leaves.0 > last.0 || leaves.1)) };
        }
        first.0 < last.0 || (first.0 == last.0 && first.1 && last.1)
    }
}

/// A point in sites, the middle of the only layer along z in 2-D.
fn sites_of(domain: &Domain, key: &str, point: &[Length]) -> Result<[f64; 3]> {
    if point.len() != domain.dimension {
        return Err(Fault::usage(format!("{key}: needs {0} lengths in {0}-D, has {1}", domain.dimension, point.len())));
    }
    let along = |axis: usize| {
        let metres = point.get(axis)?.si();
        Some((metres - domain.origin[axis]) / domain.spacing)
    };
    Ok([0, 1, 2].map(|axis| along(axis).unwrap_or(0.5)))
}

fn shown(point: &[Length]) -> String {
    point.iter().map(Length::to_string).collect::<Vec<_>>().join(", ")
}

/// From where to where a domain is.
fn span(domain: &Domain) -> String {
    let along = |axis: usize| {
        let [low, high] = [0, domain.extent[axis]].map(|i| domain.origin[axis] + i as f64 * domain.spacing);
        format!("{} to {} along {}", Length(low), Length(high), ["x", "y", "z"][axis])
    };
    format!("which is from {}", (0..domain.dimension).map(along).collect::<Vec<_>>().join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn crossed(from: [f64; 2], to: [f64; 2]) -> Vec<[i32; 2]> {
        let with_z = |[x, y]: [f64; 2]| [x, y, 0.5];
        let segment = Segment { from: with_z(from), to: with_z(to) };
        let sites = (0..6).flat_map(|y| (0..6).map(move |x| [x, y]));
        sites.filter(|&[x, y]| segment.crosses([x, y, 0])).collect()
    }

    #[test]
    fn a_segment_crosses_each_site_once() {
        assert_eq!(crossed([1.5, 2.5], [1.5, 2.5]), [[1, 2]]);
        assert_eq!(crossed([0.5, 2.0], [2.5, 2.0]), [[0, 2], [1, 2], [2, 2]]);
        assert_eq!(crossed([2.5, 2.0], [0.5, 2.0]), [[0, 2], [1, 2], [2, 2]]);
        // Through corners it goes from site to site along the diagonal.
        assert_eq!(crossed([0.5, 0.5], [2.5, 2.5]), [[0, 0], [1, 1], [2, 2]]);
        assert_eq!(crossed([0.25, 0.5], [2.25, 1.5]), [[0, 0], [1, 0], [1, 1], [2, 1]]);
        assert_eq!(crossed([3.0, 3.0], [3.0, 3.0]), [[3, 3]]);
        assert!(crossed([-3.0, 1.0], [-1.0, 1.0]).is_empty());
    }

    #[test]
    fn the_lengths_of_a_segment_in_sites_it_crosses_add_up_to_its_length() {
        let mut state = 1_u64;
        let mut random = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 40) as f64 / (1_u64 << 24) as f64 * 6.0
        };
        for _ in 0..500 {
            let (from, to) = ([random(), random()], [random(), random()]);
            let sites = crossed(from, to);
            // As many sites as borders that it passes, and one.
            let borders: f64 = (0..2).map(|axis| (from[axis].floor() - to[axis].floor()).abs()).sum();
            assert_eq!(sites.len() as f64, borders + 1.0, "{from:?} {to:?} {sites:?}");
        }
    }
}
