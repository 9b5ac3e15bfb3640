//! Lava in plain f64: a step of all cells, pair by pair.

use std::collections::HashMap;
use std::f64::consts::SQRT_2;

use physics_lava::{DRAINING, LEVELLING, Parameters};

/// A cell.
#[derive(Clone, Copy, Debug, Default)]
pub struct Cell {
    pub ground: f64,
    pub h: f64,
    pub t: f64,
    pub solid: f64,
}

/// A map of cells.
pub struct Map {
    pub cells: HashMap<[i32; 2], Cell>,
    pub parameters: Parameters,
}

const DIRECTIONS: [[i32; 2]; 8] = [[1, 0], [-1, 0], [0, 1], [0, -1], [1, 1], [-1, -1], [1, -1], [-1, 1]];

impl Map {
    fn level(&self, at: [i32; 2]) -> Option<[f64; 2]> {
        self.cells.get(&at).map(|cell| [cell.ground + cell.solid + cell.h, cell.ground + cell.solid])
    }

    /// The level of a cell beside a pair whose higher surface is at `top`; none of dry ground that is higher, as of a wall.
    fn beside(&self, at: [i32; 2], top: f64) -> Option<[f64; 2]> {
        self.level(at).filter(|level| self.cells[&at].h > 0.0 || level[0] < top)
    }

    /// The slopes of surface and ground across the pair from `a` along `d`, and the pair's weight.
    fn across(&self, a: [i32; 2], d: [i32; 2]) -> ([f64; 2], f64) {
        if !self.parameters.isotropic {
            return ([0.0; 2], 1.0);
        }
        let dx = self.parameters.dx;
        let moved = |at: [i32; 2], by: [i32; 2]| [at[0] + by[0], at[1] + by[1]];
        let top = [a, moved(a, d)].into_iter().filter_map(|at| self.level(at)).fold(f64::MIN, |top, z| top.max(z[0]));
        if d[0] * d[1] != 0 {
            // Between the two cells that touch both.
            let sides = [moved(a, [d[0], 0]), moved(a, [0, d[1]])].map(|at| self.beside(at, top));
            let [Some(p), Some(q)] = sides else { return ([0.0; 2], SQRT_2 / 6.0) };
            return ([0, 1].map(|k| (p[k] - q[k]) / (SQRT_2 * dx)), SQRT_2 / 6.0);
        }
        let normal = [d[1], d[0]];
        let back = normal.map(|c| -c);
        let (mut sum, mut pairs, mut missing) = ([0.0; 2], 0, 0);
        for end in [a, moved(a, d)] {
            let (p, q) = (self.beside(moved(end, normal), top), self.beside(moved(end, back), top));
            missing += i32::from(p.is_none()) + i32::from(q.is_none());
            if let (Some(p), Some(q)) = (p, q) {
                pairs += 1;
                (0..2).for_each(|k| sum[k] += (p[k] - q[k]) / (2.0 * dx));
            }
        }
        (sum.map(|s| s / f64::from(pairs.max(1))), 2.0 / 3.0 + f64::from(missing) / 12.0)
    }

    /// Thickness that flows from `a` to its neighbour along `d` in `dt` s, negative where it comes from there, and its temperature.
    fn transfer(&self, a: [i32; 2], d: [i32; 2], dt: f64) -> Option<(f64, f64)> {
        let b = [a[0] + d[0], a[1] + d[1]];
        let (here, there) = (self.level(a)?, self.level(b)?);
        let distance = self.parameters.dx * f64::from(d[0] * d[0] + d[1] * d[1]).sqrt();
        let along = (here[0] - there[0]) / distance;
        let ground = (here[1] - there[1]) / distance;
        let giver = if along > 0.0 { self.cells[&a] } else { self.cells[&b] };
        let (across, weight) = self.across(a, d);
        let surface = along.hypot(across[0]);
        if surface == 0.0 || giver.h == 0.0 {
            return Some((0.0, 0.0));
        }
        let q = self.parameters.flow(giver.h, giver.t, surface, ground.hypot(across[1])) * along.abs() / surface;
        let moved = (weight * q * dt / self.parameters.dx).min(giver.h / 9.0);
        Some((moved * along.signum(), giver.t))
    }

    /// The map a step of `dt` s later.
    pub fn step(&self, dt: f64) -> HashMap<[i32; 2], Cell> {
        let after = |(&at, cell): (&[i32; 2], &Cell)| {
            let (mut h, mut heat) = (cell.h, cell.h * cell.t);
            for d in DIRECTIONS {
                if let Some((moved, t)) = self.transfer(at, d, dt) {
                    h -= moved;
                    heat -= moved * t;
                }
            }
            if h <= 0.0 {
                return (at, Cell { h: 0.0, t: 0.0, ..*cell });
            }
            let t = heat / h;
            let t = (t.powi(-3) + self.parameters.cooling() * dt / h).powf(-1.0 / 3.0);
            let solidus = self.parameters.solidus;
            if t >= solidus {
                return (at, Cell { h, t, ..*cell });
            }
            let kept = self.parameters.just_fluid();
            let share = self.parameters.freezing().map_or(1.0, |per_kelvin| (kept - t) * per_kelvin);
            let frozen = if share < 0.5 { share * h } else { h };
            let t = if frozen < h { kept } else { 0.0 };
            (at, Cell { h: h - frozen, t, solid: cell.solid + frozen, ..*cell })
        };
        self.cells.iter().map(after).collect()
    }

    /// The longest time step, s: by what a bit more of a cell's surface and of its lava changes of its own flows.
    pub fn longest_step(&self) -> f64 {
        let mut most = 0.0_f64;
        for &at in self.cells.keys() {
            let out = |map: &Self| -> f64 {
                DIRECTIONS.into_iter().filter_map(|d| map.transfer(at, d, 1e-6)).map(|(moved, _)| moved * 1e6).sum()
            };
            let bit = 1e-6;
            let change = |of: &dyn Fn(&mut Cell)| {
                let mut more = Self { cells: self.cells.clone(), parameters: self.parameters };
                more.cells.entry(at).and_modify(|cell| {
                    of(cell);
                    cell.t = cell.t.max(1150.0);
                });
                (out(&more) - out(self)) / bit
            };
            let levelling = change(&|cell| cell.solid += bit);
            let draining = change(&|cell| cell.h += bit) - levelling;
            most = most.max(levelling / LEVELLING + draining / DRAINING);
        }
        1.0 / most
    }
}
