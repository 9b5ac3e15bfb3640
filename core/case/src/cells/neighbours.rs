//! Which cells may touch: bins over the box, and from them a list of near cells for each cell.

use rayon::prelude::*;

use hematite_cells::vector::{Point, dot, minus, plus};

/// A cell that may touch another, and the whole periods that lead to its image.
#[derive(Clone, Copy)]
pub(super) struct Near {
    /// Its place in the list of cells.
    pub cell: u32,
    /// Periods along x, y, z to add to its centre.
    pub image: [i8; 3],
}

/// Lists of near cells.
pub(super) struct Neighbours {
    chunks: Vec<Chunk>,
}

struct Chunk {
    starts: Vec<u32>,
    near: Vec<Near>,
}

/// Cells in a chunk of lists.
const CHUNK: usize = 512;

impl Neighbours {
    /// Lists for balls in a box of `extent` from -0.5 on along each axis, in lattice units: every pair, images in
    /// periodic directions included, whose balls overlap.
    pub fn new(extent: [usize; 3], periodic: [bool; 3], balls: &[(Point, f64)]) -> Self {
        let bins = Bins::new(extent, periodic, balls);
        let chunks = balls
            .par_chunks(CHUNK)
            .enumerate()
            .map(|(chunk, own)| {
                let mut list = Chunk { starts: vec![0], near: Vec::with_capacity(12 * own.len()) };
                for k in 0..own.len() {
                    bins.near(balls, chunk * CHUNK + k, &mut list.near);
                    list.starts.push(list.near.len() as u32);
                }
                list
            })
            .collect();
        Self { chunks }
    }

    /// The cells near one.
    pub fn of(&self, cell: usize) -> &[Near] {
        let chunk = &self.chunks[cell / CHUNK];
        &chunk.near[chunk.starts[cell % CHUNK] as usize..chunk.starts[cell % CHUNK + 1] as usize]
    }
}

struct Bins {
    periodic: [bool; 3],
    period: Point,
    width: Point,
    counts: [i64; 3],
    starts: Vec<u32>,
    /// Cells by bin, and in a bin by number.
    members: Vec<u32>,
}

impl Bins {
    fn new(extent: [usize; 3], periodic: [bool; 3], balls: &[(Point, f64)]) -> Self {
        let widest = balls.iter().map(|ball| ball.1).fold(0.5, f64::max);
        let period = extent.map(|n| n as f64);
        // No more bins than a few for each cell, however sparse the lumen.
        let most = (8.0 * balls.len() as f64 + 64.0).powf(if extent[2] == 1 { 0.5 } else { 1.0 / 3.0 });
        let counts = period.map(|length| (length / (2.0 * widest)).floor().clamp(1.0, most.max(1.0)) as i64);
        let width = [0, 1, 2].map(|k| period[k] / counts[k] as f64);
        let mut bins = Self { periodic, period, width, counts, starts: Vec::new(), members: vec![0; balls.len()] };
        let total = (counts[0] * counts[1] * counts[2]) as usize;
        let bin: Vec<usize> = balls.par_iter().map(|ball| bins.number(bins.place(ball.0))).collect();
        let mut starts = vec![0_u32; total + 1];
        bin.iter().for_each(|&b| starts[b + 1] += 1);
        (0..total).for_each(|b| starts[b + 1] += starts[b]);
        let mut next = starts.clone();
        for (cell, &b) in bin.iter().enumerate() {
            bins.members[next[b] as usize] = cell as u32;
            next[b] += 1;
        }
        bins.starts = starts;
        bins
    }

    /// The bin of a point, beyond the box where the point is; held to the box along directions that do not wrap.
    fn place(&self, p: Point) -> [i64; 3] {
        [0, 1, 2].map(|k| {
            let place = ((p[k] + 0.5) / self.width[k]).floor() as i64;
            if self.periodic[k] { place } else { place.clamp(0, self.counts[k] - 1) }
        })
    }

    fn number(&self, place: [i64; 3]) -> usize {
        let [x, y, z] = [0, 1, 2].map(|k| place[k].rem_euclid(self.counts[k]));
        ((z * self.counts[1] + y) * self.counts[0] + x) as usize
    }

    fn near(&self, balls: &[(Point, f64)], cell: usize, list: &mut Vec<Near>) {
        let (centre, radius) = balls[cell];
        let place = self.place(centre);
        let span = |k: usize| {
            let (low, high) = (place[k] - 1, place[k] + 1);
            if self.periodic[k] { low..=high } else { low.max(0)..=high.min(self.counts[k] - 1) }
        };
        for z in span(2) {
            for y in span(1) {
                for x in span(0) {
                    let at = [x, y, z];
                    let bin = self.number(at);
                    for &other in &self.members[self.starts[bin] as usize..self.starts[bin + 1] as usize] {
                        let (there, reach) = balls[other as usize];
                        // The other may itself lie beyond the box by some periods.
                        let home = self.place(there);
                        let image = [0, 1, 2].map(|k| ((at[k] - home[k]) / self.counts[k]) as i8);
                        let shift = [0, 1, 2].map(|k| f64::from(image[k]) * self.period[k]);
                        let apart = minus(plus(there, shift), centre);
                        let touch = radius + reach;
                        if (other as usize != cell || image != [0; 3]) && dot(apart, apart) < touch * touch {
                            list.push(Near { cell: other, image });
                        }
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::random::Draws;
    use super::*;

    #[test]
    fn every_pair_is_found_once_with_its_image() {
        for seed in 0..12 {
            let draws = Draws::of(seed, 0);
            let flat = seed % 2 == 0;
            let extent = [20 + (seed as usize % 3) * 15, 30, if flat { 1 } else { 12 }];
            let periodic = [seed % 3 != 0, seed % 4 < 2, !flat && seed % 3 == 1];
            let balls: Vec<(Point, f64)> = (0..60)
                .map(|k| {
                    let draw = |axis: u64| draws.unit(4 * k + axis) * extent[axis as usize] as f64 - 0.5;
                    let mut centre = [draw(0), draw(1), if flat { 0.0 } else { draw(2) }];
                    // Cells stray beyond a seam.
                    if periodic[0] && k % 9 == 0 {
                        centre[0] += extent[0] as f64;
                    }
                    (centre, 0.5 + 2.0 * draws.unit(4 * k + 3))
                })
                .collect();
            let lists = Neighbours::new(extent, periodic, &balls);
            for a in 0..balls.len() {
                let mut found: Vec<(u32, [i8; 3])> = lists.of(a).iter().map(|n| (n.cell, n.image)).collect();
                found.sort_unstable();
                let mut expected = Vec::new();
                for (b, &(there, reach)) in balls.iter().enumerate() {
                    for image in 0..125_i32 {
                        let image = [image % 5 - 2, image / 5 % 5 - 2, image / 25 - 2];
                        if (0..3).any(|k| image[k] != 0 && !periodic[k]) || (a == b && image == [0; 3]) {
                            continue;
                        }
                        let shift = [0, 1, 2].map(|k| f64::from(image[k]) * extent[k] as f64);
                        let apart = minus(plus(there, shift), balls[a].0);
                        if dot(apart, apart) < (balls[a].1 + reach).powi(2) {
                            expected.push((b as u32, image.map(|i| i as i8)));
                        }
                    }
                }
                expected.sort_unstable();
                assert_eq!(found, expected, "seed {seed}, cell {a}");
            }
        }
    }
}
