//! Where beads can be: in the fluid, off the walls, and off other beads.

use std::collections::HashMap;

use crate::Lattice;

/// A bead's population, chain and number in the chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Name {
    pub kind: usize,
    pub chain: usize,
    pub bead: usize,
}

/// The bit of a site in its block.
fn bit([x, y, z]: [i32; 3]) -> u64 {
    1 << ((x & 3) | (y & 3) << 2 | (z & 3) << 4)
}

/// Positions in lattice units from the lowest corner: site s is from s to s + 1.
pub(super) type Place = [f64; 3];

/// The fluid and the beads in it.
pub(super) struct Room<'l> {
    lattice: &'l Lattice,
    dimension: usize,
    /// Which of 4 x 4 x 4 sites are fluid, by the place of their block.
    fluid: HashMap<[i32; 3], u64>,
    /// Least distances of beads of each population.
    diameters: Vec<f64>,
    /// Number and edges of the cells in which beads are found; numbers are 0 along axes without a period.
    counts: [i32; 3],
    edges: [f64; 3],
    beads: HashMap<[i32; 3], Vec<(Name, Place)>>,
}

impl<'l> Room<'l> {
    pub fn new(lattice: &'l Lattice, diameters: Vec<f64>) -> Self {
        let dimension = lattice.set.dimension();
        let least = diameters.iter().copied().fold(0.5, f64::max);
        let count = |a: usize| match lattice.periodic[a] && a < dimension {
            true => ((lattice.extent[a] as f64 / least) as i32).max(1),
            false => 0,
        };
        let counts = [0, 1, 2].map(count);
        let mut fluid: HashMap<[i32; 3], u64> = HashMap::new();
        for site in &lattice.position {
            *fluid.entry(site.map(|s| s >> 2)).or_default() |= bit(*site);
        }
        let edge = |a: usize| if counts[a] > 0 { lattice.extent[a] as f64 / f64::from(counts[a]) } else { least };
        Self { lattice, dimension, fluid, diameters, counts, edges: [0, 1, 2].map(edge), beads: HashMap::new() }
    }

    /// The place in the domain of which `at` is an image.
    fn wrapped(&self, at: Place) -> Place {
        let inside = |a: usize| at[a].rem_euclid(self.lattice.extent[a] as f64);
        [0, 1, 2].map(|a| if self.lattice.periodic[a] && a < self.dimension { inside(a) } else { at[a] })
    }

    fn cell(&self, at: Place) -> [i32; 3] {
        let at = self.wrapped(at);
        [0, 1, 2].map(|a| {
            let cell = (at[a] / self.edges[a]).floor() as i32;
            if self.counts[a] > 0 { cell.min(self.counts[a] - 1) } else { cell }
        })
    }

    /// From `here` to the nearest image of `there`.
    pub fn apart(&self, here: Place, there: Place) -> Place {
        [0, 1, 2].map(|a| {
            let (d, extent) = (there[a] - here[a], self.lattice.extent[a] as f64);
            if self.lattice.periodic[a] && a < self.dimension { d - extent * (d / extent).round() } else { d }
        })
    }

    fn is_fluid(&self, at: Place) -> bool {
        let at = self.wrapped(at);
        // A place just below a face may be wrapped to the face.
        let site = |a: usize| match self.lattice.periodic[a] {
            true => (at[a].floor() as i32).min(self.lattice.extent[a] as i32 - 1),
            false => at[a].floor() as i32,
        };
        let site = [0, 1, 2].map(|a| if a < self.dimension { site(a) } else { 0 });
        self.fluid.get(&site.map(|s| s >> 2)).is_some_and(|block| block & bit(site) != 0)
    }

    /// Whether the straight way between two places is in the fluid, by points half a spacing apart.
    pub fn is_way(&self, from: Place, to: Place) -> bool {
        let length = (0..3).map(|a| (to[a] - from[a]).powi(2)).sum::<f64>().sqrt();
        let points = (2.0 * length).ceil() as usize;
        (1..points).all(|n| {
            let share = n as f64 / points as f64;
            self.is_fluid([0, 1, 2].map(|a| from[a] + share * (to[a] - from[a])))
        })
    }

    /// Whether a bead of a population at `at` is off the walls: a quarter of its diameter along each axis.
    pub fn is_off_walls(&self, kind: usize, at: Place) -> bool {
        let margin = (0.25 * self.diameters[kind]).max(1e-3);
        // Points no farther apart than sites, so that no thin wall is missed.
        let steps = margin.ceil() as i32;
        let along = |a: usize| if a < self.dimension { -steps..=steps } else { 0..=0 };
        along(2).all(|z| {
            along(1).all(|y| {
                along(0).all(|x| {
                    let by = [x, y, z].map(|k| margin * f64::from(k) / f64::from(steps));
                    self.is_fluid([0, 1, 2].map(|a| at[a] + by[a]))
                })
            })
        })
    }

    /// Whether no bead is nearer to a bead of a population at `at` than their diameters allow, but for those that `bonded` tells.
    pub fn is_free(&self, kind: usize, at: Place, bonded: impl Fn(Name) -> bool) -> bool {
        if self.diameters[kind] == 0.0 {
            return true;
        }
        let cell = self.cell(at);
        let along = |a: usize| {
            let mut cells: Vec<i32> =
                if a < self.dimension { (-1..=1).map(|d| cell[a] + d).collect() } else { vec![0] };
            if self.counts[a] > 0 {
                cells.iter_mut().for_each(|c| *c = c.rem_euclid(self.counts[a]));
                cells.sort_unstable();
                cells.dedup();
            }
            cells
        };
        let [xs, ys, zs] = [along(0), along(1), along(2)];
        let is_near = |(name, there): &(Name, Place)| {
            let least = match self.diameters[name.kind] {
                0.0 => return false,
                other => 0.5 * (self.diameters[kind] + other),
            };
            let squared: f64 = self.apart(at, *there).iter().map(|d| d * d).sum();
            squared < least * least && !bonded(*name)
        };
        let is_taken = |cell: [i32; 3]| self.beads.get(&cell).is_some_and(|beads| beads.iter().any(is_near));
        !zs.iter().any(|&z| ys.iter().any(|&y| xs.iter().any(|&x| is_taken([x, y, z]))))
    }

    pub fn put(&mut self, name: Name, at: Place) {
        let cell = self.cell(at);
        self.beads.entry(cell).or_default().push((name, at));
    }

    pub fn remove(&mut self, name: Name, at: Place) {
        let cell = self.cell(at);
        if let Some(beads) = self.beads.get_mut(&cell) {
            beads.retain(|(other, _)| *other != name);
        }
    }
}
