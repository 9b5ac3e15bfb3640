//! A wall without the steps of its bitmap: curvature flow of the signed distance, forth and back, held to the bitmap.
//!
//! Moving every level line by its curvature straightens steps and leaves straight walls of any spacing where they are,
//! which blurring does not do to a channel a few pixels wide. It also shrinks what is round; so each step is followed by
//! its reverse, which undoes it for long waves and hardly for short ones (Taubin, "A signal processing approach to fair
//! surface design"). No centre of a pixel changes sides: details that the bitmap resolves stay (the constraint of
//! Whitaker, "Reducing aliasing artifacts in iso-surfaces of binary volumes"). What still shrinks, a tube of few pixels
//! most, then grows to the size that it has in the bitmap.

use rayon::prelude::*;

use crate::distance;
use crate::local_sums::local_sums;

/// Flow acts where the distance is below this; it must stay below [`distance::REACH`].
const BAND: f32 = 4.0;
/// Rounds in 2-D and 3-D, each a step forward and a step back: enough to straighten steps about ten pixels long in 2-D.
const ROUNDS: [usize; 2] = [160, 60];
/// Time steps in 2-D and 3-D, in square pixels; half of what is stable.
const DT: [f32; 2] = [0.25, 0.16];
/// Rounds in which sizes are restored, and how far each moves the wall at most.
const RESTORED: usize = 3;
const MOST_MOVED: f32 = 0.25;
/// Centres stay at least this far on their own side of the wall.
const MARGIN: f32 = 0.02;

/// A smooth signed distance in pixels, positive where open, with one ghost layer around (none along z in 2-D).
pub struct Field {
    /// Extents without the ghosts.
    shape: [usize; 3],
    /// Ghosts below the first pixel along x, y, z.
    ghosts: [usize; 3],
    values: Vec<f32>,
}

impl Field {
    /// The smoothed distance of a bitmap.
    pub fn smoothed(open: &[bool], shape: [usize; 3], periodic: [bool; 3]) -> Self {
        let flat = usize::from(shape[2] > 1);
        let distances = distance::signed(open, shape, periodic);
        let mut field = Self::of(&distances, shape, periodic);
        let spans = spans(&distances, shape[0]);
        drop(distances);
        let mut next = field.values.clone();
        for _ in 0..ROUNDS[flat] {
            for dt in [DT[flat], -DT[flat]] {
                field.step(&mut next, open, &spans, dt);
                std::mem::swap(&mut field.values, &mut next);
                field.fill_ghosts(periodic);
            }
        }
        drop(next);
        for _ in 0..RESTORED {
            field.restore_size(open, &spans, periodic);
        }
        field.bridge();
        field
    }

    /// Moves the wall outwards or inwards so that as much lies within it, in the mean over some pixels, as is open in
    /// the bitmap there.
    fn restore_size(&mut self, open: &[bool], spans: &[(u32, u32)], periodic: [bool; 3]) {
        let [nx, ny, _] = self.shape;
        let at_centres = |of: &(dyn Fn(usize, bool) -> f32 + Sync)| -> Vec<f32> {
            let row = |(row, open): (usize, &[bool])| -> Vec<f32> {
                let start = self.row(row % ny, row / ny);
                open.iter().enumerate().map(|(x, &open)| of(start + x, open)).collect()
            };
            open.par_chunks(nx).enumerate().flat_map_iter(row).collect()
        };
        let missing = at_centres(&|at, open| f32::from(u8::from(open)) - self.share_within(at));
        let wall = at_centres(&|at, _| f32::from(u8::from(self.values[at].abs() < 0.5)));
        let [missing, wall] = [missing, wall].map(|values| local_sums(values, self.shape, periodic));
        for (row, &(from, to)) in spans.iter().enumerate() {
            let start = self.row(row % ny, row / ny);
            for x in from as usize..to as usize {
                let (u, at) = (&mut self.values[start + x], row * nx + x);
                if u.abs() < BAND && wall[at] > 0.0 {
                    let moved = *u + (missing[at] / wall[at]).clamp(-MOST_MOVED, MOST_MOVED);
                    *u = if open[at] { moved.max(MARGIN) } else { moved.min(-MARGIN) };
                }
            }
        }
        self.fill_ghosts(periodic);
    }

    /// The share of a pixel where the field, interpolated between centres, is positive, by points in it.
    fn share_within(&self, at: usize) -> f32 {
        /// Places of points along an axis, from the centre.
        const PLACES: [f32; 4] = [-0.375, -0.125, 0.125, 0.375];
        let u = &self.values;
        // From here on the wall passes by the corners.
        if u[at].abs() >= 1.0 {
            return f32::from(u8::from(u[at] > 0.0));
        }
        let padded = self.padded();
        let strides = [1, padded[0], padded[0] * padded[1] * self.ghosts[2]];
        let towards = |at: usize, place: f32, stride: usize| if place < 0.0 { at - stride } else { at + stride };
        let between = |a: f32, b: f32, place: f32| a + place.abs() * (b - a);
        let along_z = if strides[2] > 0 { &PLACES[..] } else { &[0.0] };
        let mut within = 0;
        for &z in along_z {
            for y in PLACES {
                // The field beside, at and beside the centre along x, at this y and z.
                let line = [at - 1, at, at + 1].map(|at| {
                    let along_y = |at: usize| between(u[at], u[towards(at, y, strides[1])], y);
                    between(along_y(at), along_y(towards(at, z, strides[2])), z)
                });
                let positive = |&x: &f32| between(line[1], line[if x < 0.0 { 0 } else { 2 }], x) > 0.0;
                within += PLACES.iter().filter(|x| positive(x)).count();
            }
        }
        within as f32 / (along_z.len() * PLACES.len().pow(2)) as f32
    }

    /// The field of values at centres, as they are.
    pub fn of(centres: &[f32], shape: [usize; 3], periodic: [bool; 3]) -> Self {
        let ghosts = [1, 1, usize::from(shape[2] > 1)];
        let mut field = Self { shape, ghosts, values: Vec::new() };
        let padded: usize = field.padded().iter().product();
        field.values = vec![0.0; padded];
        for (row, centres) in centres.chunks_exact(shape[0]).enumerate() {
            let start = field.row(row % shape[1], row / shape[1]);
            field.values[start..start + shape[0]].copy_from_slice(centres);
        }
        field.fill_ghosts(periodic);
        field
    }

    /// Opens the corner between two open pixels that touch by it alone: a link of the lattice joins them before
    /// refinement, and a vessel one pixel wide must not fall apart.
    fn bridge(&mut self) {
        /// Interpolation along the diagonal stays positive as long as this exceeds the depth of the wall.
        const OPEN: f32 = 0.25;
        const WALL: f32 = -0.2;
        let padded = self.padded();
        let strides = [1, padded[0], padded[0] * padded[1]];
        let last = |axis: usize| padded[axis] - usize::from(self.ghosts[axis] > 0);
        for (a, b) in [(0, 1), (0, 2), (1, 2)] {
            for z in 0..if a == 2 || b == 2 { last(2) } else { padded[2] } {
                for y in 0..if a == 1 || b == 1 { last(1) } else { padded[1] } {
                    for x in 0..if a == 0 || b == 0 { last(0) } else { padded[0] } {
                        if self.ghosts[a] == 0 || self.ghosts[b] == 0 {
                            continue;
                        }
                        let at = x + y * strides[1] + z * strides[2];
                        let [p, q, r, s] = [at, at + strides[a] + strides[b], at + strides[a], at + strides[b]];
                        let [up, uq, ur, us] = [p, q, r, s].map(|i| self.values[i] > 0.0);
                        if up == uq && ur == us && up != ur {
                            let (open, wall) = if up { ([p, q], [r, s]) } else { ([r, s], [p, q]) };
                            for i in open {
                                self.values[i] = self.values[i].max(OPEN);
                            }
                            for i in wall {
                                self.values[i] = self.values[i].max(WALL);
                            }
                        }
                    }
                }
            }
        }
    }

    /// The row along x at `y`, `z` (-1 is the ghost row), ghosts included.
    pub fn row_with_ghosts(&self, y: isize, z: isize) -> &[f32] {
        let [px, py, _] = self.padded();
        let at = (y + 1) as usize + (z + self.ghosts[2] as isize) as usize * py;
        &self.values[at * px..][..px]
    }

    fn padded(&self) -> [usize; 3] {
        [0, 1, 2].map(|axis| self.shape[axis] + 2 * self.ghosts[axis])
    }

    /// Index of the first pixel of a row.
    fn row(&self, y: usize, z: usize) -> usize {
        let [px, py, _] = self.padded();
        ((z + self.ghosts[2]) * py + y + 1) * px + 1
    }

    /// Ghosts wrap in periodic directions and continue linearly elsewhere, so that a wall leaves at its own angle.
    fn fill_ghosts(&mut self, periodic: [bool; 3]) {
        let padded = self.padded();
        let strides = [1, padded[0], padded[0] * padded[1]];
        for axis in 0..3 {
            if self.ghosts[axis] == 0 {
                continue;
            }
            let n = self.shape[axis];
            let stride = strides[axis];
            let [a, b] = [(axis + 1) % 3, (axis + 2) % 3];
            for i in 0..padded[a] {
                for j in 0..padded[b] {
                    let base = i * strides[a] + j * strides[b];
                    let value = |k: usize| self.values[base + k * stride];
                    let (low, high) = match (periodic[axis], n) {
                        (true, _) => (value(n), value(1)),
                        (false, 1) => (value(1), value(1)),
                        (false, _) => (2.0 * value(1) - value(2), 2.0 * value(n) - value(n - 1)),
                    };
                    self.values[base] = low;
                    self.values[base + (n + 1) * stride] = high;
                }
            }
        }
    }

    /// One step of the flow into `next`.
    fn step(&self, next: &mut [f32], open: &[bool], spans: &[(u32, u32)], dt: f32) {
        let [nx, ny, _] = self.shape;
        let [px, py, _] = self.padded();
        let (sy, sz) = (px, px * py * self.ghosts[2]);
        next.par_chunks_mut(px).enumerate().for_each(|(row, next)| {
            let (y, z) = ((row % py).wrapping_sub(1), (row / py).wrapping_sub(self.ghosts[2]));
            if y >= ny || z >= self.shape[2] {
                return;
            }
            let line = z * ny + y;
            let (from, to) = spans[line];
            let start = self.row(y, z);
            for x in from as usize..to as usize {
                let u = self.values[start + x];
                if u.abs() >= BAND {
                    continue;
                }
                let moved = u + dt * flow(&self.values, start + x, sy, sz);
                next[x + 1] = if open[line * nx + x] { moved.max(MARGIN) } else { moved.min(-MARGIN) };
            }
        });
    }
}

/// Curvature times gradient: the Laplacian less the second derivative along the normal. `sz` is 0 in 2-D.
fn flow(u: &[f32], at: usize, sy: usize, sz: usize) -> f32 {
    let along = |s: usize| (u[at + s], u[at - s]);
    let first = |s: usize| {
        let (up, down) = along(s);
        0.5 * (up - down)
    };
    let second = |s: usize| {
        let (up, down) = along(s);
        up - 2.0 * u[at] + down
    };
    let mixed = |a: usize, b: usize| 0.25 * (u[at + a + b] - u[at + a - b] - u[at + b - a] + u[at - a - b]);
    let (x, y) = (first(1), first(sy));
    let (xx, yy) = (second(1), second(sy));
    let (mut normal, mut square) = (x * x * xx + y * y * yy + 2.0 * x * y * mixed(sy, 1), x * x + y * y);
    let mut laplacian = xx + yy;
    if sz > 0 {
        let (z, zz) = (first(sz), second(sz));
        normal += z * z * zz + 2.0 * (x * z * mixed(sz, 1) + y * z * mixed(sz, sy));
        square += z * z;
        laplacian += zz;
    }
    if square < 1e-6 {
        return 0.0;
    }
    // On a ridge the gradient, and with it the normal, fades: there is nothing to straighten.
    square.min(1.0) * (laplacian - normal / square)
}

/// The part of every row that lies in the band.
fn spans(distances: &[f32], nx: usize) -> Vec<(u32, u32)> {
    let inside = |d: &f32| d.abs() < BAND;
    let span = |row: &[f32]| match (row.iter().position(inside), row.iter().rposition(inside)) {
        (Some(from), Some(to)) => (from as u32, to as u32 + 1),
        _ => (0, 0),
    };
    distances.par_chunks(nx).map(span).collect()
}
