//! Where cells that come in through an opening stand clear of the walls.
//!
//! A feeder is a copy of the cells that the case holds some way behind an opening. At the opening the vessel may be narrower, or
//! bent away: a cell that would stand in the wall is moved across the opening to the nearest place where it does not.

use std::collections::HashSet;

use crate::sites::Coordinate;
use crate::suspension::{Bounds, Record};

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
    /// Those in `near` of a domain of `extent` sites, none yet.
    pub fn new(dimension: usize, extent: [usize; 3], periodic: [bool; 3], near: Vec<Bounds>) -> Self {
        Self { dimension, extent: extent.map(|n| n as i32), periodic, near, sites: HashSet::new() }
    }

    /// Takes fluid sites; call it with those of all the domain, in any number of pieces.
    pub fn add(&mut self, positions: &[[i32; 3]]) {
        let near = |site: &&[i32; 3]| self.near.iter().any(|bounds| bounds.meets(Bounds { low: **site, high: **site }));
        let found: Vec<[i32; 3]> = positions.iter().filter(near).copied().collect();
        self.sites.extend(found);
    }

    /// The shifts by whole sites across `normal`, at most `most` long, that take all vertices of a cell between fluid sites,
    /// ascending in `key`.
    pub fn shifts<K: Ord>(
        &self,
        record: &Record,
        normal: [f64; 3],
        most: f64,
        key: impl Fn([i32; 3]) -> K,
    ) -> impl Iterator<Item = [i32; 3]> {
        let reach = most.floor() as i32;
        let along = |a: usize| {
            let free = a < self.dimension && normal[a].abs() < 0.5;
            if free { -reach..=reach } else { 0..=0 }
        };
        let mut shifts: Vec<[i32; 3]> = along(2)
            .flat_map(|z| along(1).flat_map(move |y| along(0).map(move |x| [x, y, z])))
            .filter(|&shift| f64::from(square(shift)) <= most * most)
            .collect();
        shifts.sort_by_key(|&shift| (key(shift), shift));
        let corners = self.corners(record);
        shifts.into_iter().filter(move |shift| {
            corners.iter().all(|site| self.sites.contains(&self.wrapped([0, 1, 2].map(|a| site[a] + shift[a]))))
        })
    }

    /// The sites between which vertices lie.
    fn corners(&self, record: &Record) -> HashSet<[i32; 3]> {
        let vertices = record.position.len() / self.dimension;
        let mut corners = HashSet::new();
        for v in 0..vertices {
            let x = [0, 1, 2].map(|a| match a < self.dimension {
                true => record.position[a * vertices + v],
                false => Coordinate::default(),
            });
            for corner in 0..1 << self.dimension {
                corners.insert([0, 1, 2].map(|a| x[a].site + (corner >> a & 1)));
            }
        }
        corners
    }

    fn wrapped(&self, site: [i32; 3]) -> [i32; 3] {
        [0, 1, 2].map(|a| if self.periodic[a] { site[a].rem_euclid(self.extent[a]) } else { site[a] })
    }
}

/// The squared length of a shift.
pub(crate) fn square(shift: [i32; 3]) -> i32 {
    shift.iter().map(|x| x * x).sum()
}

/// Moves a cell by whole sites.
pub(crate) fn shifted(record: &Record, dimension: usize, by: [i32; 3]) -> Record {
    let mut moved = record.clone();
    let vertices = record.position.len() / dimension;
    for (axis, coordinates) in moved.position.chunks_mut(vertices).enumerate() {
        coordinates.iter_mut().for_each(|x| x.site += by[axis]);
    }
    moved
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A cell of four vertices, `[x, y]`.
    fn cell(x: f64, y: f64) -> Record {
        let position = [x, x + 2.0, x + 2.0, x, y, y, y + 2.0, y + 2.0].map(Coordinate::of).to_vec();
        Record { seeded_scale: 1.0, position, drift: vec![0; 8] }
    }

    #[test]
    fn a_cell_in_the_wall_is_moved_across_the_opening() {
        let bounds = Bounds { low: [0, 0, 0], high: [20, 30, 0] };
        let mut fluid = FluidSites::new(2, [40, 40, 1], [false; 3], vec![bounds]);
        let sites: Vec<[i32; 3]> = (0..40).flat_map(|x| (10..18).map(move |y| [x, y, 0])).collect();
        sites.chunks(7).for_each(|piece| fluid.add(piece));
        let shift = |x, y, most| fluid.shifts(&cell(x, y), [1.0, 0.0, 0.0], most, square).next();
        assert_eq!(shift(5.5, 12.5, 5.0), Some([0; 3]));
        // Between sites 10 and 17.
        assert_eq!(shift(5.5, 8.5, 5.0), Some([0, 2, 0]));
        assert_eq!(shift(5.5, 16.5, 5.0), Some([0, -2, 0]));
        assert_eq!(shift(5.5, 3.5, 5.0), None);
        assert_eq!(shift(25.5, 12.5, 5.0), None, "not near an opening");
        let all: Vec<[i32; 3]> = fluid.shifts(&cell(5.5, 14.5), [1.0, 0.0, 0.0], 2.0, square).collect();
        assert_eq!(all, [[0, 0, 0], [0, -1, 0], [0, -2, 0]], "as far as the wall");
        assert_eq!(shifted(&cell(5.5, 8.5), 2, [0, 2, 0]), cell(5.5, 10.5));
    }
}
