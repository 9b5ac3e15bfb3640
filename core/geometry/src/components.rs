//! Connected components of the fluid, by the links of D2Q9 or D3Q19.
//!
//! Sites are merged as runs along x, so that memory and time follow the fluid's surface, not its volume.

use rayon::prelude::*;

use crate::domain::Site;

/// Fluid sites `start..end` of one row along x.
#[derive(Clone, Copy)]
struct Run {
    start: u32,
    end: u32,
}

/// The components of the fluid of a lattice.
pub struct Components {
    extent: [usize; 3],
    runs: Vec<Run>,
    /// First run of every row; one more at the end.
    rows: Vec<usize>,
    /// Component of every run.
    of_run: Vec<u32>,
    /// Fluid sites of every component.
    pub sizes: Vec<usize>,
}

impl Components {
    /// Finds them. `dimension` chooses the velocity set.
    pub fn find(sites: &[Site], extent: [usize; 3], periodic: [bool; 3], dimension: usize) -> Self {
        let per_row: Vec<Vec<Run>> = sites.par_chunks(extent[0]).map(runs).collect();
        let mut rows = Vec::with_capacity(per_row.len() + 1);
        rows.push(0);
        for row in &per_row {
            rows.push(rows[rows.len() - 1] + row.len());
        }
        let runs: Vec<Run> = per_row.into_iter().flatten().collect();
        let parents = (0..runs.len() as u32).collect();
        let mut merging =
            Merging { runs: &runs, rows: &rows, parents, width: i64::try_from(extent[0]).unwrap_or(i64::MAX) };
        merging.merge_all(extent, periodic, dimension);

        let mut of_run = vec![0; runs.len()];
        let mut sizes = Vec::new();
        for i in 0..runs.len() {
            let root = merging.root(i as u32) as usize;
            // A root is the smallest run of its component, so it has its number by now.
            if root == i {
                of_run[i] = sizes.len() as u32;
                sizes.push(0);
            } else {
                of_run[i] = of_run[root];
            }
            sizes[of_run[i] as usize] += (runs[i].end - runs[i].start) as usize;
        }
        Self { extent, runs, rows, of_run, sizes }
    }

    /// The component of a site, if it is fluid.
    pub fn at(&self, [x, y, z]: [usize; 3]) -> Option<usize> {
        let row = z * self.extent[1] + y;
        let runs = &self.runs[self.rows[row]..self.rows[row + 1]];
        let after = runs.partition_point(|run| run.end as usize <= x);
        let run = runs.get(after).filter(|run| run.start as usize <= x)?;
        debug_assert!((run.start as usize..run.end as usize).contains(&x));
        Some(self.of_run[self.rows[row] + after] as usize)
    }

    /// The one of most sites, the first of these.
    pub fn largest(&self) -> Option<usize> {
        (0..self.sizes.len()).rev().max_by_key(|&c| self.sizes[c])
    }

    /// Turns the components that are not kept into wall.
    pub fn remove(&self, sites: &mut [Site], kept: &[bool]) {
        sites.par_chunks_mut(self.extent[0]).enumerate().for_each(|(row, sites)| {
            for run in self.rows[row]..self.rows[row + 1] {
                if !kept[self.of_run[run] as usize] {
                    sites[self.runs[run].start as usize..self.runs[run].end as usize].fill(Site::WALL);
                }
            }
        });
    }

    /// Runs along x: the component, the first site and the number of sites of each.
    pub fn each_run(&self) -> impl Iterator<Item = (usize, [usize; 3], usize)> {
        (0..self.rows.len() - 1).flat_map(move |row| {
            let (y, z) = (row % self.extent[1], row / self.extent[1]);
            (self.rows[row]..self.rows[row + 1]).map(move |run| {
                let Run { start, end } = self.runs[run];
                (self.of_run[run] as usize, [start as usize, y, z], (end - start) as usize)
            })
        })
    }

    /// The first site of each run along x of the components that are not kept, and the x behind its last.
    pub fn removed_runs(&self, kept: &[bool]) -> impl Iterator<Item = ([usize; 3], usize)> {
        let runs_of = move |row: usize| {
            let (y, z) = (row % self.extent[1], row / self.extent[1]);
            let removed = (self.rows[row]..self.rows[row + 1]).filter(|&run| !kept[self.of_run[run] as usize]);
            removed.map(move |run| ([self.runs[run].start as usize, y, z], self.runs[run].end as usize))
        };
        (0..self.rows.len() - 1).flat_map(runs_of)
    }

    /// Sites of the smallest box around the kept components.
    pub fn bounding_box(&self, kept: &[bool]) -> usize {
        let (mut low, mut high) = ([usize::MAX; 3], [0; 3]);
        for row in 0..self.rows.len() - 1 {
            let (y, z) = (row % self.extent[1], row / self.extent[1]);
            for run in (self.rows[row]..self.rows[row + 1]).filter(|&run| kept[self.of_run[run] as usize]) {
                let Run { start, end } = self.runs[run];
                for (axis, from, to) in [(0, start as usize, end as usize), (1, y, y + 1), (2, z, z + 1)] {
                    low[axis] = low[axis].min(from);
                    high[axis] = high[axis].max(to);
                }
            }
        }
        (0..3).map(|axis| high[axis].saturating_sub(low[axis])).product()
    }
}

fn runs(row: &[Site]) -> Vec<Run> {
    let mut found = Vec::new();
    let mut x = 0;
    while let Some(ahead) = row[x..].iter().position(|&site| site == Site::FLUID) {
        let start = x + ahead;
        let end = row[start..].iter().position(|&site| site != Site::FLUID).map_or(row.len(), |n| start + n);
        found.push(Run { start: start as u32, end: end as u32 });
        x = end;
    }
    found
}

/// Union-find over runs.
struct Merging<'a> {
    runs: &'a [Run],
    rows: &'a [usize],
    parents: Vec<u32>,
    /// Sites along x.
    width: i64,
}

impl Merging<'_> {
    fn merge_all(&mut self, [_, ny, nz]: [usize; 3], periodic: [bool; 3], dimension: usize) {
        // Neighbouring rows (dy, dz), and how far along x a link may go meanwhile; the other half by symmetry.
        let links: &[(usize, isize, i64)] =
            if dimension == 2 { &[(0, 1, 1)] } else { &[(0, 1, 1), (1, 0, 1), (1, 1, 0), (1, -1, 0)] };
        let wrap = |i: isize, n: usize, periodic: bool| {
            let n = n as isize;
            if periodic { Some(i.rem_euclid(n) as usize) } else { (0..n).contains(&i).then_some(i as usize) }
        };
        for row in 0..ny * nz {
            let (y, z) = (row % ny, row / ny);
            if periodic[0] {
                self.merge_rows(row, row, 1, &[self.width]);
            }
            for &(dz, dy, reach) in links {
                let (Some(y), Some(z)) =
                    (wrap(y as isize + dy, ny, periodic[1]), wrap((z + dz) as isize, nz, periodic[2]))
                else {
                    continue;
                };
                let shifts: &[i64] = if periodic[0] { &[0, -self.width, self.width] } else { &[0] };
                self.merge_rows(row, z * ny + y, reach, shifts);
            }
        }
    }

    /// Merges the runs of `row`, moved by each shift, with those of `other` that they reach.
    fn merge_rows(&mut self, row: usize, other: usize, reach: i64, shifts: &[i64]) {
        let others = self.rows[other]..self.rows[other + 1];
        if others.is_empty() {
            return;
        }
        for &shift in shifts {
            let mut from = others.start;
            for run in self.rows[row]..self.rows[row + 1] {
                let low = i64::from(self.runs[run].start) + shift - reach;
                let high = i64::from(self.runs[run].end) + shift + reach;
                if high <= 0 || low >= self.width {
                    continue;
                }
                while from < others.end && i64::from(self.runs[from].end) <= low {
                    from += 1;
                }
                let mut at = from;
                while at < others.end && i64::from(self.runs[at].start) < high {
                    self.merge(run as u32, at as u32);
                    at += 1;
                }
            }
        }
    }

    fn root(&mut self, mut run: u32) -> u32 {
        while self.parents[run as usize] != run {
            let above = self.parents[self.parents[run as usize] as usize];
            self.parents[run as usize] = above;
            run = above;
        }
        run
    }

    fn merge(&mut self, a: u32, b: u32) {
        let (a, b) = (self.root(a), self.root(b));
        self.parents[a.max(b) as usize] = a.min(b);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Flood fill over single sites; the smallest site index stands for its component.
    fn flood(sites: &[Site], extent: [usize; 3], periodic: [bool; 3], dimension: usize) -> Vec<Option<usize>> {
        let domain = |at: usize| [at % extent[0], at / extent[0] % extent[1], at / (extent[0] * extent[1])];
        let mut found = vec![None; sites.len()];
        for seed in 0..sites.len() {
            if sites[seed] != Site::FLUID || found[seed].is_some() {
                continue;
            }
            found[seed] = Some(seed);
            let mut queue = vec![seed];
            while let Some(at) = queue.pop() {
                let here = domain(at);
                for c in (0..27).map(|i| [i % 3 - 1, i / 3 % 3 - 1, i / 9 - 1]) {
                    let length: i32 = c.iter().map(|x: &i32| x * x).sum();
                    if length == 0 || length > 2 || (dimension == 2 && c[2] != 0) {
                        continue;
                    }
                    let mut there = [0; 3];
                    let inside = (0..3).all(|axis| {
                        let n = extent[axis] as i32;
                        let i = here[axis] as i32 + c[axis];
                        there[axis] = i.rem_euclid(n) as usize;
                        periodic[axis] || (0..n).contains(&i)
                    });
                    let to = (there[2] * extent[1] + there[1]) * extent[0] + there[0];
                    if inside && sites[to] == Site::FLUID && found[to].is_none() {
                        found[to] = Some(seed);
                        queue.push(to);
                    }
                }
            }
        }
        found
    }

    proptest::proptest! {
        #[test]
        fn equals_a_flood_fill(
            mut extent in proptest::array::uniform3(1usize..7),
            periodic in proptest::array::uniform3(proptest::bool::ANY),
            flat in proptest::bool::ANY,
            seeds in proptest::collection::vec(proptest::bool::weighted(0.3), 343),
        ) {
            let dimension = if flat { 2 } else { 3 };
            if flat {
                extent[2] = 1;
            }
            let sites: Vec<Site> = seeds[..extent.iter().product()].iter().map(|&b| if b { Site::FLUID } else { Site::WALL }).collect();
            let expected = flood(&sites, extent, periodic, dimension);
            let components = Components::find(&sites, extent, periodic, dimension);
            let mut names = std::collections::HashMap::new();
            for (i, expected) in expected.iter().enumerate() {
                let at = [i % extent[0], i / extent[0] % extent[1], i / (extent[0] * extent[1])];
                let found = components.at(at);
                proptest::prop_assert_eq!(found.is_some(), expected.is_some());
                if let (Some(found), Some(expected)) = (found, expected) {
                    proptest::prop_assert_eq!(*names.entry(found).or_insert(*expected), *expected);
                }
            }
            let distinct: std::collections::HashSet<_> = expected.iter().flatten().collect();
            proptest::prop_assert_eq!(distinct.len(), components.sizes.len());
            for (&component, &seed) in &names {
                let size = expected.iter().filter(|&&e| e == Some(seed)).count();
                proptest::prop_assert_eq!(components.sizes[component], size);
            }
        }
    }
}
