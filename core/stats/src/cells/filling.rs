//! Which share of lattice cubes lies inside a cell.

use super::Cell;
use crate::lookup::Nodes;

/// Calls `take` with each lattice position of whose cube (2-D: square) the cell fills a part, and with the share that
/// it fills.
///
/// The share is exact along x. Across x, eight lines cut each square in 2-D, 2 x 2 lines each cube in 3-D.
pub(super) fn fill(nodes: &Nodes, cell: &Cell, take: &mut dyn FnMut([i64; 3], f64)) {
    for (place, value) in Filled::of(nodes, cell).values() {
        take(place, f64::from(value));
    }
}

/// The lattice positions in the box around one cell, x fastest, and their shares.
struct Filled {
    low: [i64; 3],
    size: [usize; 3],
    value: Vec<f32>,
}

impl Filled {
    fn of(nodes: &Nodes, cell: &Cell) -> Self {
        let grid = nodes.grid();
        let flat = grid.dimension == 2;
        // Lattice units with whole numbers at the faces of cubes.
        let at: Vec<[f64; 3]> = cell.position.iter().map(|&p| nodes.coordinate(p).map(|x| x + 0.5)).collect();
        let bound =
            |a: usize, pick: fn(f64, f64) -> f64, from: f64| at.iter().map(|p| p[a]).fold(from, pick).floor() as i64;
        let z = nodes.low()[2];
        let low = std::array::from_fn(|a| if flat && a == 2 { z } else { bound(a, f64::min, f64::INFINITY) });
        let high: [i64; 3] =
            std::array::from_fn(|a| if flat && a == 2 { z } else { bound(a, f64::max, f64::NEG_INFINITY) });
        let size: [usize; 3] = std::array::from_fn(|a| (high[a] - low[a]).max(-1) as usize + 1);
        let mut filled = Self { low, size, value: vec![0.0; size.iter().product()] };
        let local: Vec<[f64; 3]> = at.iter().map(|p| std::array::from_fn(|a| p[a] - low[a] as f64)).collect();
        if flat {
            filled.flat(cell, &local)
        } else {
            filled.solid(cell, &local)
        }
        filled
    }

    fn flat(&mut self, cell: &Cell, at: &[[f64; 3]]) {
        let lines = Lines::new(8);
        let mut crossings = vec![Vec::new(); self.size[1] * lines.number];
        for [i, j] in cell.sides() {
            let (a, b) = if at[i][1] < at[j][1] { (at[i], at[j]) } else { (at[j], at[i]) };
            for line in lines.within(a[1], b[1], self.size[1]) {
                let y = lines.place(line);
                if a[1] <= y && y < b[1] {
                    crossings[line].push(a[0] + (y - a[1]) / (b[1] - a[1]) * (b[0] - a[0]));
                }
            }
        }
        for (line, crossed) in crossings.iter_mut().enumerate() {
            self.fill(crossed, line / lines.number, 0, 1.0 / lines.number as f32);
        }
    }

    fn solid(&mut self, cell: &Cell, at: &[[f64; 3]]) {
        let lines = Lines::new(2);
        let across = self.size[1] * lines.number;
        let mut crossings = vec![Vec::new(); across * self.size[2] * lines.number];
        for triangle in cell.triangles {
            let [a, b, c] = triangle.map(|v| at[v as usize]);
            let span = |k: usize| {
                let (low, high) = (a[k].min(b[k]).min(c[k]), a[k].max(b[k]).max(c[k]));
                lines.within(low, high, self.size[k])
            };
            let twice = (b[1] - a[1]) * (c[2] - a[2]) - (b[2] - a[2]) * (c[1] - a[1]);
            if twice == 0.0 {
                continue;
            }
            for up in span(2) {
                for side in span(1) {
                    let (y, z) = (lines.place(side), lines.place(up));
                    let weight = |p: [f64; 3], q: [f64; 3]| ((p[1] - y) * (q[2] - z) - (p[2] - z) * (q[1] - y)) / twice;
                    let (wa, wb, wc) = (weight(b, c), weight(c, a), weight(a, b));
                    if wa >= 0.0 && wb >= 0.0 && wc >= 0.0 {
                        crossings[up * across + side].push(wa * a[0] + wb * b[0] + wc * c[0]);
                    }
                }
            }
        }
        let weight = 1.0 / (lines.number * lines.number) as f32;
        for (line, crossed) in crossings.iter_mut().enumerate() {
            self.fill(crossed, line % across / lines.number, line / across / lines.number, weight);
        }
    }

    /// Adds the stretches of a line that lie inside: between the first crossing and the second, the third and the
    /// fourth.
    fn fill(&mut self, crossed: &mut [f64], y: usize, z: usize, weight: f32) {
        crossed.sort_by(f64::total_cmp);
        let row = (z * self.size[1] + y) * self.size[0];
        for &[from, to] in crossed.as_chunks::<2>().0 {
            for x in from.max(0.0) as usize..=(to.max(0.0) as usize).min(self.size[0] - 1) {
                let overlap = to.min(x as f64 + 1.0) - from.max(x as f64);
                self.value[row + x] += weight * overlap.max(0.0) as f32;
            }
        }
    }

    fn values(&self) -> impl Iterator<Item = ([i64; 3], f32)> + '_ {
        let [nx, ny, _] = self.size;
        let place = move |i: usize| [i % nx, i / nx % ny, i / nx / ny];
        let value = move |(i, &v): (usize, &f32)| {
            let at = place(i);
            (std::array::from_fn(|a| self.low[a] + at[a] as i64), v)
        };
        self.value.iter().enumerate().map(value).filter(|(_, v)| *v > 0.0)
    }
}

/// Parallel lines, `number` of them a lattice spacing.
struct Lines {
    number: usize,
}

/// Offset of the lines, unlike the fractions at which vertices lie, so that no line meets an edge of a mesh.
const OFF: f64 = 0.618e-6;

impl Lines {
    fn new(number: usize) -> Self {
        Self { number }
    }

    fn place(&self, line: usize) -> f64 {
        (line as f64 + 0.5) / self.number as f64 + OFF
    }

    /// The lines from `low` to `high` and one beyond either, within a box of `size` spacings.
    fn within(&self, low: f64, high: f64, size: usize) -> std::ops::Range<usize> {
        let number = self.number as f64;
        let first = (low * number - 1.0).max(0.0) as usize;
        let last = ((high * number + 1.0).max(0.0) as usize).min(size * self.number);
        first.min(last)..last
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cells::cells;
    use crate::cells::shape::Shape;
    use crate::cells::testing::{frame, ring, sphere};
    use crate::suspension::occupancy::occupancy;
    use crate::testing::{channel, duct};

    #[test]
    fn a_square_fills_its_nodes_exactly() {
        let grid = channel(8, 8, 0.5);
        let nodes = Nodes::new(&grid).expect("nodes");
        // From (1.25, 1.5) to (2.5, 2.5) in metres: sites 2.5 to 5 along x, 3 to 5 along y.
        let square = vec![[1.25, 1.5, 0.0], [2.5, 1.5, 0.0], [2.5, 2.5, 0.0], [1.25, 2.5, 0.0]];
        let (kinds, frame) = frame(&[("s", &[], vec![square])]);
        let filled = occupancy(&nodes, &cells(&kinds, &frame).expect("sound"), 1);
        for (p, share) in grid.position.iter().zip(&filled.share[0]) {
            let x = if p[0] == 2 {
                0.5
            } else if (3..5).contains(&p[0]) {
                1.0
            } else {
                0.0
            };
            let wanted = if (3..5).contains(&p[1]) { x } else { 0.0 };
            assert!((share - wanted).abs() < 1e-6, "{p:?} {share}");
        }
        assert_eq!(filled.outside, 0.0);
    }

    #[test]
    fn cells_come_back_across_periodic_faces_and_walls_are_noticed() {
        let grid = channel(20, 10, 1.0);
        let wrapped = || Nodes::new(&grid).expect("nodes").wrapped([20, 12, 1], [true, false, false]);
        let body = ring([19.5, 6.0], [4.0, 3.0], 0.3, 200);
        let (kinds, f) = frame(&[("e", &[], vec![body])]);
        let found = cells(&kinds, &f).expect("sound");
        let filled = occupancy(&wrapped(), &found, 1);
        let sum: f64 = filled.share[0].iter().map(|&v| f64::from(v)).sum();
        assert!((sum / Shape::of(&found[0]).volume - 1.0).abs() < 3e-3, "{sum}");
        assert_eq!(filled.outside, 0.0);
        let open = occupancy(&Nodes::new(&grid).expect("nodes"), &found, 1);
        assert!(open.outside > 0.4 && open.outside < 0.6, "{}", open.outside);
    }

    #[test]
    fn a_ball_keeps_its_volume() {
        let grid = duct(24, 24, 24, 0.5);
        let nodes = Nodes::new(&grid).expect("nodes");
        let (unit, triangles) = sphere(4);
        let body: Vec<[f64; 3]> = unit.iter().map(|v| [6.4 + 4.0 * v[0], 6.2 + 3.0 * v[1], 6.0 + 5.0 * v[2]]).collect();
        let (kinds, frame) = frame(&[("b", &triangles, vec![body])]);
        let found = cells(&kinds, &frame).expect("sound");
        let filled = occupancy(&nodes, &found, 1);
        let sum: f64 = filled.share[0].iter().map(|&v| f64::from(v)).sum::<f64>() * 0.125;
        assert!((sum / Shape::of(&found[0]).volume - 1.0).abs() < 2e-3, "{sum}");
        assert!(filled.share[0].iter().all(|&v| v <= 1.0 + 1e-5));
        let middle = nodes.at([12, 12, 12]).expect("there");
        assert!((filled.share[0][middle] - 1.0).abs() < 1e-6);
    }
}
