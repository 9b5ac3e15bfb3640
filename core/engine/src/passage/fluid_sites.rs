//! The fluid sites near openings: clearance of entering cells from walls, and directions of vessels.

use std::collections::HashSet;

use crate::sites::Bounds;

/// Largest clearance that matters, lattice units: about the thickness of a cell.
const MOST_CLEAR: i32 = 3;

/// Least cosine of the angle between a vessel and the normal of its opening, 75 degrees. Beyond it the vessel's
/// direction is not used.
const LEAST_COSINE: f64 = 0.26;
/// Cosine above which, up to 5 degrees, the normal is taken for the direction of the vessel.
const STRAIGHT: f64 = 0.996;

/// Least share of fluid around a point in [`FluidSites::clearance`]; 0.2 lattice units from a flat wall.
const IN_FLUID: f64 = 0.7;

/// The fluid sites of a domain near its openings.
#[derive(Clone, Debug, Default)]
pub struct FluidSites {
    dimension: usize,
    extent: [i32; 3],
    periodic: [bool; 3],
    near: Vec<Bounds>,
    sites: HashSet<[i32; 3]>,
}

impl FluidSites {
    /// Without sites yet, of a domain of `extent` sites. Only sites in `near` will be kept.
    pub fn new(dimension: usize, extent: [usize; 3], periodic: [bool; 3], near: Vec<Bounds>) -> Self {
        Self { dimension, extent: extent.map(|n| n as i32), periodic, near, sites: HashSet::new() }
    }

    /// Adds fluid sites. Call it with those of the whole domain, in any number of pieces.
    pub fn add(&mut self, positions: &[[i32; 3]]) {
        let near = |site: &&[i32; 3]| self.near.iter().any(|bounds| bounds.meets(Bounds { low: **site, high: **site }));
        let found: Vec<[i32; 3]> = positions.iter().filter(near).copied().collect();
        self.sites.extend(found);
    }

    /// Clearance of `points` from walls, 0 to `MOST_CLEAR` lattice units: the distance along each axis up to which all
    /// sites around each point are fluid. `None` if a point is not in the fluid: fluid sites around it must have at
    /// least `IN_FLUID` of its weights, which are linear in the distance along each axis.
    pub fn clearance(&self, points: &[[f64; 3]]) -> Option<i32> {
        if !self.hold(points) {
            return None;
        }
        let clear = |far: &i32| {
            points.iter().all(|x| {
                (0..2 * self.dimension).all(|side| {
                    let mut site = x.map(|x| x.round() as i32);
                    site[side / 2] += if side % 2 == 0 { *far } else { -far };
                    self.sites.contains(&self.wrapped(site))
                })
            })
        };
        Some((1..=MOST_CLEAR).take_while(clear).last().unwrap_or(0))
    }

    /// Direction of the vessel behind an opening with these `nodes` and the unit `normal` into the fluid: the line
    /// through the middles of its cross-sections over a depth of `deep` lattice units. The normal where the two hardly
    /// differ.
    pub fn direction(&self, nodes: &[[i32; 3]], normal: [f64; 3], deep: f64) -> [f64; 3] {
        let along = |x: [f64; 3]| (0..3).map(|a| x[a] * normal[a]).sum::<f64>();
        let depth = |site: &[i32; 3]| along(site.map(f64::from));
        let first = nodes.iter().map(depth).sum::<f64>() / nodes.len().max(1) as f64;
        let mut found: HashSet<[i32; 3]> = nodes.iter().copied().collect();
        let mut layer = nodes.to_vec();
        while !layer.is_empty() {
            let mut next = Vec::new();
            for site in layer {
                for side in 0..2 * self.dimension {
                    let mut beside = site;
                    beside[side / 2] += if side % 2 == 0 { 1 } else { -1 };
                    let behind = depth(&beside) - first;
                    if (0.0..deep).contains(&behind) && self.sites.contains(&beside) && found.insert(beside) {
                        next.push(beside);
                    }
                }
            }
            layer = next;
        }
        // The middle of each layer, one lattice unit deep, then the least-squares line through the middles.
        let mut layers = vec![([0.0; 3], 0.0); deep.max(1.0).ceil() as usize];
        for site in &found {
            let k = ((depth(site) - first).max(0.0) as usize).min(layers.len() - 1);
            (0..3).for_each(|a| layers[k].0[a] += f64::from(site[a]));
            layers[k].1 += 1.0;
        }
        let filled = layers.iter().filter(|(_, count)| *count > 0.0);
        let middles: Vec<[f64; 3]> = filled.map(|(sum, count)| sum.map(|x| x / count)).collect();
        let mean = [0, 1, 2].map(|a| middles.iter().map(|x| x[a]).sum::<f64>() / middles.len().max(1) as f64);
        let (mut slope, mut spread) = ([0.0; 3], 0.0);
        for middle in &middles {
            let off = [0, 1, 2].map(|a| middle[a] - mean[a]);
            (0..3).for_each(|a| slope[a] += along(off) * off[a]);
            spread += along(off).powi(2);
        }
        let size = slope.iter().map(|x| x * x).sum::<f64>().sqrt();
        let unit = slope.map(|x| x / size);
        if spread > 0.0 && (LEAST_COSINE..STRAIGHT).contains(&along(unit)) { unit } else { normal }
    }

    fn hold(&self, points: &[[f64; 3]]) -> bool {
        points.iter().all(|x| {
            let at = [0, 1, 2].map(|a| if a < self.dimension { x[a] } else { 0.0 });
            let weight = |corner: i32| -> f64 {
                let bit = [0, 1, 2].map(|a| corner >> a & 1);
                let site = [0, 1, 2].map(|a| at[a].floor() as i32 + bit[a]);
                let along = |a: usize| 1.0 - (at[a] - f64::from(site[a])).abs();
                if self.sites.contains(&self.wrapped(site)) { (0..3).map(along).product() } else { 0.0 }
            };
            (0..1 << self.dimension).map(weight).sum::<f64>() >= IN_FLUID
        })
    }

    fn wrapped(&self, site: [i32; 3]) -> [i32; 3] {
        [0, 1, 2].map(|a| if self.periodic[a] { site[a].rem_euclid(self.extent[a]) } else { site[a] })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn walls_are_seen_as_far_as_the_fluid_goes() {
        let bounds = Bounds { low: [0, 0, 0], high: [20, 30, 0] };
        let mut fluid = FluidSites::new(2, [40, 40, 1], [false, true, false], vec![bounds]);
        let sites: Vec<[i32; 3]> = (0..40).flat_map(|x| (10..18).map(move |y| [x, y, 0])).collect();
        sites.chunks(7).for_each(|piece| fluid.add(piece));
        let clear = |x: f64, y: f64| fluid.clearance(&[[5.5, 14.4, 0.0], [x, y, 0.0]]);
        assert_eq!([16.9, 17.25, 17.35, 15.1].map(|y| clear(5.5, y)), [Some(0), Some(0), None, Some(2)]);
        assert_eq!(clear(5.5, 54.4), Some(3), "a period beyond");
        assert_eq!([17.2, 19.2, 21.0].map(|x| clear(x, 14.4)), [Some(3), Some(1), None], "as far as sites are known");
    }

    #[test]
    fn a_vessel_has_its_direction_whatever_its_cut() {
        for degrees in [0.0_f64, 20.0, 45.0, 60.0] {
            let (s, c) = degrees.to_radians().sin_cos();
            let bounds = Bounds { low: [0, -60, 0], high: [30, 60, 0] };
            let mut fluid = FluidSites::new(2, [80, 80, 1], [false; 3], vec![bounds]);
            let all = (0..40).flat_map(|x| (-60..60).map(move |y| [x, y, 0]));
            let inside = |site: &[i32; 3]| (f64::from(site[1]) * c - f64::from(site[0]) * s).abs() < 9.7;
            let sites: Vec<[i32; 3]> = all.filter(inside).collect();
            fluid.add(&sites);
            let nodes: Vec<[i32; 3]> = sites.into_iter().filter(|site| site[0] == 0).collect();
            let [x, y, _] = fluid.direction(&nodes, [1.0, 0.0, 0.0], 20.0);
            assert!((y.atan2(x).to_degrees() - degrees).abs() < 1.5, "{degrees}: {x} {y}");
        }
    }
}
