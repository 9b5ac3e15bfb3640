//! The lumen: the signed distance from the half-way wall, near the wall, at any point.
//!
//! Everything that is no fluid counts as wall, openings too: a seeded cell lies wholly inside the domain. The distance
//! of a fluid node is that to the nearest other site less half a spacing, that of another site half a spacing less the
//! distance to the nearest fluid node; it is zero half-way between the two. Sites are kept in bricks, those far from
//! the fluid and those far inside it not at all, so that memory follows the wall. Lengths are in lattice units; the
//! node at (i, j, k) has the coordinates (i, j, k).

use rayon::prelude::*;

use crate::Lattice;

/// Sites along the edge of a brick.
const EDGE: usize = 8;
/// A brick with neither fluid nor wall near it.
const OUTSIDE: u32 = u32::MAX;
/// A brick whose every node is farther from the wall than the reach.
const DEEP: u32 = u32::MAX - 1;

/// Signed distance from the wall, positive in the fluid, cut off at the reach.
pub(super) struct Lumen {
    extent: [usize; 3],
    periodic: [bool; 3],
    bricks: [usize; 3],
    /// What each brick of the box holds: a place in `values`, [`OUTSIDE`] or [`DEEP`].
    index: Vec<u32>,
    values: Vec<f32>,
    volume: usize,
    /// Distances are known up to here.
    pub reach: f64,
}

impl Lumen {
    /// Distances up to `reach`, at most [`EDGE`].
    pub fn new(lattice: &Lattice, reach: usize) -> Self {
        let flat = lattice.set.dimension() == 2;
        let edge = [EDGE, EDGE, if flat { 1 } else { EDGE }];
        let bricks = [0, 1, 2].map(|k| lattice.extent[k].div_ceil(edge[k]));
        let mut lumen = Self {
            extent: lattice.extent,
            periodic: lattice.periodic,
            bricks,
            index: vec![OUTSIDE; bricks.iter().product()],
            values: Vec::new(),
            volume: edge.iter().product(),
            reach: reach as f64,
        };
        let fluid = lumen.occupy(lattice, edge);
        let bands = lumen.bands(&fluid, edge, reach.min(EDGE));
        lumen.index.fill(OUTSIDE);
        for (brick, values) in bands {
            lumen.index[brick] = DEEP;
            if let Some(values) = values {
                lumen.index[brick] = (lumen.values.len() / lumen.volume) as u32;
                lumen.values.extend_from_slice(&values);
            }
        }
        lumen
    }

    /// Numbers the bricks that hold fluid and those around them, and tells which of their sites are fluid, one byte a
    /// layer and row.
    fn occupy(&mut self, lattice: &Lattice, edge: [usize; 3]) -> Vec<u8> {
        let mut count = 0;
        for at in &lattice.position {
            let brick = self.brick([0, 1, 2].map(|k| at[k] as usize / edge[k]));
            if self.index[brick] == OUTSIDE {
                self.index[brick] = count;
                count += 1;
            }
        }
        let rows = edge[1] * edge[2];
        let mut fluid = vec![0_u8; count as usize * rows];
        for at in &lattice.position {
            let site = at.map(|i| i as usize);
            let brick = self.brick([0, 1, 2].map(|k| site[k] / edge[k]));
            let row = site[2] % edge[2] * edge[1] + site[1] % edge[1];
            fluid[self.index[brick] as usize * rows + row] |= 1 << (site[0] % EDGE);
        }
        let own: Vec<usize> = (0..self.index.len()).filter(|&b| self.index[b] != OUTSIDE).collect();
        for brick in own {
            for around in self.around(brick) {
                if self.index[around] == OUTSIDE {
                    self.index[around] = count;
                    count += 1;
                }
            }
        }
        fluid.resize(count as usize * rows, 0);
        fluid
    }

    /// The bricks that touch one, itself included.
    fn around(&self, brick: usize) -> Vec<usize> {
        let [nx, ny, _] = self.bricks;
        let at = [brick % nx, brick / nx % ny, brick / (nx * ny)];
        let near = [0, 1, 2].map(|k| {
            let n = self.bricks[k];
            let mut near: Vec<usize> = (at[k].saturating_sub(1)..(at[k] + 2).min(n)).collect();
            if self.periodic[k] {
                // The last brick may be cut short, so that two beyond the seam are within reach.
                near.extend([1, 2].map(|step| (at[k] + step) % n));
                near.extend([1, 2].map(|step| (at[k] + 2 * n - step) % n));
            }
            near
        });
        let mut around = Vec::with_capacity(27);
        for &z in &near[2] {
            for &y in &near[1] {
                around.extend(near[0].iter().map(|&x| self.brick([x, y, z])));
            }
        }
        around
    }

    /// The distances of each brick that has a number; none where all are beyond the reach.
    fn bands(&self, fluid: &[u8], edge: [usize; 3], reach: usize) -> Vec<(usize, Option<Vec<f32>>)> {
        let rows = edge[1] * edge[2];
        let is_fluid = |site: [i64; 3]| {
            let Some(site) = self.wrapped(site) else { return false };
            let number = self.index[self.brick([0, 1, 2].map(|k| site[k] / edge[k]))];
            let row = site[2] % edge[2] * edge[1] + site[1] % edge[1];
            number != OUTSIDE && fluid[number as usize * rows + row] >> (site[0] % EDGE) & 1 == 1
        };
        let numbered: Vec<usize> = (0..self.index.len()).filter(|&b| self.index[b] != OUTSIDE).collect();
        let band = |&brick: &usize| {
            let [nx, ny, _] = self.bricks;
            let at = [brick % nx, brick / nx % ny, brick / (nx * ny)];
            let halo = edge.map(|n| if n == 1 { 0 } else { reach });
            let size = [0, 1, 2].map(|k| edge[k] + 2 * halo[k]);
            let mut window = Vec::with_capacity(size.iter().product());
            for z in 0..size[2] {
                for y in 0..size[1] {
                    for x in 0..size[0] {
                        let place = [x, y, z];
                        window.push(is_fluid([0, 1, 2].map(|k| (at[k] * edge[k] + place[k]) as i64 - halo[k] as i64)));
                    }
                }
            }
            let apart = |phase: bool| squares(&window, size, halo, phase, reach);
            let (to_wall, to_fluid) = (apart(false), apart(true));
            let deepest = reach as f32 - 0.5;
            let distances = to_wall.into_iter().zip(to_fluid).map(|(wall, fluid)| {
                let distance = if wall > 0 { (wall as f32).sqrt() - 0.5 } else { 0.5 - (fluid as f32).sqrt() };
                distance.clamp(-deepest, deepest)
            });
            let distances: Vec<f32> = distances.collect();
            let deep = distances.iter().all(|&d| d >= deepest);
            (brick, (!deep).then_some(distances))
        };
        numbered.par_iter().map(band).collect()
    }

    fn brick(&self, at: [usize; 3]) -> usize {
        (at[2] * self.bricks[1] + at[1]) * self.bricks[0] + at[0]
    }

    fn wrapped(&self, mut site: [i64; 3]) -> Option<[usize; 3]> {
        for (k, at) in site.iter_mut().enumerate() {
            let n = self.extent[k] as i64;
            if !(0..n).contains(at) {
                if !self.periodic[k] {
                    return None;
                }
                *at = at.rem_euclid(n);
            }
        }
        Some(site.map(|at| at as usize))
    }

    /// The distance of a site.
    pub fn site<const D: usize>(&self, site: [i64; 3]) -> f32 {
        let deepest = self.reach as f32 - 0.5;
        let Some([x, y, z]) = self.wrapped(site) else {
            // Beyond the box, as if the wall went on for as far as it is.
            let held =
                [0, 1, 2].map(|k| if self.periodic[k] { site[k] } else { site[k].clamp(0, self.extent[k] as i64 - 1) });
            let beyond: i64 = (0..3).map(|k| (site[k] - held[k]).abs()).sum();
            return (self.site::<D>(held) - beyond as f32).max(-deepest);
        };
        let (brick, within) = if D == 2 {
            (self.brick([x / EDGE, y / EDGE, 0]), y % EDGE * EDGE + x % EDGE)
        } else {
            (self.brick([x / EDGE, y / EDGE, z / EDGE]), (z % EDGE * EDGE + y % EDGE) * EDGE + x % EDGE)
        };
        match self.index[brick] {
            OUTSIDE => -deepest,
            DEEP => deepest,
            number => self.values[number as usize * self.volume + within],
        }
    }

    /// Whether a point is farther than `distance` from the wall, by its nearest site alone: distances of neighbouring
    /// sites differ by at most the way between them, or one spacing across the wall.
    pub fn clear<const D: usize>(&self, p: [f64; 3], distance: f64) -> bool {
        let site = p.map(|x| x.round() as i64);
        f64::from(self.site::<D>(if D == 2 { [site[0], site[1], 0] } else { site })) > distance + 1.8
    }

    /// Distance and its gradient at a point, linear between sites.
    pub fn at<const D: usize>(&self, p: [f64; 3]) -> (f64, [f64; 3]) {
        let base = p.map(|x| x.floor());
        let share = [0, 1, 2].map(|k| p[k] - base[k]);
        let (mut value, mut gradient) = (0.0, [0.0; 3]);
        for corner in 0..1_usize << D {
            let bit = [0, 1, 2].map(|k| corner >> k & 1);
            let site = [0, 1, 2].map(|k| base[k] as i64 + bit[k] as i64);
            let distance = f64::from(self.site::<D>(if D == 2 { [site[0], site[1], 0] } else { site }));
            let weight = |k: usize| if bit[k] == 1 { share[k] } else { 1.0 - share[k] };
            value += distance * (0..D).map(weight).product::<f64>();
            for k in 0..D {
                let others: f64 = (0..D).filter(|&other| other != k).map(weight).product();
                gradient[k] += distance * others * if bit[k] == 1 { 1.0 } else { -1.0 };
            }
        }
        (value, gradient)
    }

    /// Whether a wall may be within the reach of anything in the ball about `centre`.
    pub fn near<const D: usize>(&self, centre: [f64; 3], radius: f64) -> bool {
        let low = centre.map(|x| (x - radius).floor() as i64);
        let high = centre.map(|x| (x + radius).floor() as i64 + 1);
        let steps = |k: usize| {
            let inner = (low[k]..high[k]).step_by(EDGE);
            inner.chain(std::iter::once(high[k]))
        };
        let deep = |site: [i64; 3]| {
            let Some([x, y, z]) = self.wrapped(site) else { return false };
            self.index[self.brick([x / EDGE, y / EDGE, if D == 2 { 0 } else { z / EDGE }])] == DEEP
        };
        // At a periodic seam a brick cut short may be stepped over: walls are then looked for.
        let seam = (0..D).any(|k| self.periodic[k] && (low[k] < 0 || high[k] >= self.extent[k] as i64));
        let plane = |z: i64| steps(1).all(|y| steps(0).all(|x| deep([x, y, z])));
        seam || !if D == 2 { plane(0) } else { steps(2).all(plane) }
    }
}

/// The squared distance of each site inside the halo to the nearest of `phase`, cut off at the reach.
fn squares(window: &[bool], size: [usize; 3], halo: [usize; 3], phase: bool, reach: usize) -> Vec<u32> {
    let cut = (reach * reach) as u32;
    let mut values: Vec<u32> = window.iter().map(|&fluid| if fluid == phase { 0 } else { cut }).collect();
    let mut size = size;
    for axis in 0..3 {
        if halo[axis] == 0 {
            continue;
        }
        let inner = size[axis] - 2 * halo[axis];
        let stride: usize = size[..axis].iter().product();
        let outer: usize = size[axis + 1..].iter().product();
        let mut next = vec![cut; stride * inner * outer];
        for block in 0..outer {
            for i in 0..inner {
                let to = &mut next[(block * inner + i) * stride..][..stride];
                for other in i..=i + 2 * halo[axis] {
                    let apart = (other as i64 - (i + halo[axis]) as i64).pow(2) as u32;
                    let from = &values[(block * size[axis] + other) * stride..][..stride];
                    for (to, from) in to.iter_mut().zip(from) {
                        *to = (*to).min(from + apart);
                    }
                }
            }
        }
        values = next;
        size[axis] = inner;
    }
    values
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;

    #[test]
    fn distances_are_those_of_a_search_over_all_sites() {
        for seed in 0..16 {
            let domain = fixture::random(seed);
            let lattice = Lattice::build(&domain).expect("builds");
            let lumen = Lumen::new(&lattice, 4);
            let n = domain.extent.map(|n| n as i64);
            let mut fluid = vec![false; domain.sites.len()];
            lattice.position.iter().for_each(|p| fluid[domain.index(p.map(|i| i as usize))] = true);
            let is_fluid = |at: [i64; 3]| {
                let inside = (0..3).all(|k| lattice.periodic[k] || (0..n[k]).contains(&at[k]));
                inside && fluid[domain.index([0, 1, 2].map(|k| at[k].rem_euclid(n[k]) as usize))]
            };
            let deep = if domain.dimension == 2 { 0 } else { 4 };
            for site in 0..domain.sites.len() as i64 {
                let at = [site % n[0], site / n[0] % n[1], site / (n[0] * n[1])];
                let own = is_fluid(at);
                let mut nearest = 16;
                for (dz, dy) in (-deep..=deep).flat_map(|z| (-4..=4).map(move |y| (z, y))) {
                    for dx in -4..=4 {
                        if is_fluid([at[0] + dx, at[1] + dy, at[2] + dz]) != own {
                            nearest = nearest.min(dx * dx + dy * dy + dz * dz);
                        }
                    }
                }
                let distance = (nearest as f32).sqrt() - 0.5;
                let expected = if own { distance } else { -distance };
                let found = if domain.dimension == 2 { lumen.site::<2>(at) } else { lumen.site::<3>(at) };
                assert_eq!(found, expected, "seed {seed}, {at:?}");
            }
        }
    }

    #[test]
    fn the_wall_of_a_channel_is_half_way_and_its_middle_is_far() {
        let lattice = Lattice::build(&fixture::channel(100, 60)).expect("builds");
        let lumen = Lumen::new(&lattice, 4);
        // Nodes at y = 1 to 60: walls at 0.5 and 60.5.
        for (y, distance, slope) in [(0.5, 0.0, 1.0), (2.25, 1.75, 1.0), (-0.5, -1.0, 1.0), (60.0, 0.5, -1.0)] {
            let (value, gradient) = lumen.at::<2>([50.3, y, 0.0]);
            assert!((value - distance).abs() < 1e-6 && (gradient[1] - slope).abs() < 1e-6, "{y}: {value} {gradient:?}");
        }
        assert!(!lumen.near::<2>([50.0, 30.0, 0.0], 4.0) && lumen.near::<2>([50.0, 6.0, 0.0], 4.0));
        assert!(lumen.near::<2>([50.0, 30.0, 0.0], 28.0));
    }
}
