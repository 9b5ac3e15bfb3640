//! The energy of polymers, in f64 from the positions of beads.

use std::collections::HashMap;

use crate::chains::{Bead, Chains, NONE};
use crate::parameters::{Kind, Parameters};

type Vector = [f64; 3];

fn dot(a: Vector, b: Vector) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Energies, lattice units.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Energy {
    /// Of motion.
    pub kinetic: f64,
    /// Of bonds.
    pub bonds: f64,
    /// Of bends.
    pub bends: f64,
    /// Between beads that are not bonded, and of bonded ones where the bonds leave that to them.
    pub pairs: f64,
}

/// Where the beads of a run are.
pub struct Conformation<'b> {
    parameters: &'b Parameters,
    chains: &'b Chains,
    beads: &'b [Bead],
}

impl<'b> Conformation<'b> {
    /// That of these `beads`.
    pub fn new(parameters: &'b Parameters, chains: &'b Chains, beads: &'b [Bead]) -> Self {
        Self { parameters, chains, beads }
    }

    /// From bead i to the nearest image of bead j, lattice units.
    pub fn apart(&self, i: usize, j: usize) -> Vector {
        let one = f64::from(1_u32 << self.parameters.bits);
        [0, 1, 2].map(|a| {
            let d = (f64::from(self.beads[j].position[a]) - f64::from(self.beads[i].position[a])) / one;
            let extent = self.parameters.extent[a] as f64;
            if self.parameters.periodic[a] { d - extent * (d / extent).round() } else { d }
        })
    }

    fn kind(&self, i: usize) -> &Kind {
        &self.parameters.kinds[self.chains.kind(i)]
    }

    /// All energies.
    pub fn energy(&self) -> Energy {
        let mut energy = Energy::default();
        for i in 0..self.beads.len() {
            let kind = self.kind(i);
            let v = self.beads[i].velocity.map(f64::from);
            energy.kinetic += 0.5 * f64::from(kind.mass) * dot(v, v);
            let [before, after, _] = self.chains.links[i];
            if after != NONE {
                let d = self.apart(i, after as usize);
                energy.bonds += bond(kind, dot(d, d).sqrt());
            }
            if before != NONE && after != NONE && kind.bending > 0.0 {
                let (u, w) = (self.apart(before as usize, i), self.apart(i, after as usize));
                energy.bends += kind.bending * (1.0 - dot(u, w) / (dot(u, u) * dot(w, w)).sqrt());
            }
        }
        if self.parameters.pairs() {
            self.each_pair(self.parameters.reach(), &mut |i, j, r| energy.pairs += pair(self.kind(i), self.kind(j), r));
        }
        energy
    }

    /// kT of the beads' motion: about the mean of each chain, so that the flow does not count; of single beads about the mean of
    /// all of them.
    pub fn temperature(&self) -> f64 {
        let (single, long): (Vec<[u32; 2]>, Vec<[u32; 2]>) =
            self.chains.chains.iter().partition(|&&[_, count]| count == 1);
        let singles: Vec<usize> = single.iter().map(|&[first, _]| first as usize).collect();
        let groups = long.iter().map(|&[first, count]| (first as usize..(first + count) as usize).collect());
        let (mut squared, mut freedom) = (0.0, 0);
        for group in groups.chain([singles]).filter(|group: &Vec<usize>| group.len() > 1) {
            let mass = |i: usize| f64::from(self.kind(i).mass);
            let velocity = |i: usize| self.beads[i].velocity.map(f64::from);
            let all: f64 = group.iter().map(|&i| mass(i)).sum();
            let mean = [0, 1, 2].map(|a| group.iter().map(|&i| mass(i) * velocity(i)[a]).sum::<f64>() / all);
            for &i in &group {
                let w = [0, 1, 2].map(|a| velocity(i)[a] - mean[a]);
                squared += mass(i) * dot(w, w);
            }
            freedom += self.parameters.dimension * (group.len() - 1);
        }
        if freedom > 0 { squared / freedom as f64 } else { 0.0 }
    }

    /// Calls `then` with each pair of beads that act on each other and are nearer than `reach`, and their distance.
    pub fn each_pair(&self, reach: f64, then: &mut dyn FnMut(usize, usize, f64)) {
        let one = f64::from(1_u32 << self.parameters.bits);
        let cells = |a: usize| ((self.parameters.extent[a] as f64 / reach).floor() as i32).max(1);
        let counts = [0, 1, 2].map(cells);
        let cell = |bead: &Bead| {
            [0, 1, 2].map(|a| {
                let share = f64::from(bead.position[a]) / one / self.parameters.extent[a] as f64;
                ((share * f64::from(counts[a])) as i32).min(counts[a] - 1)
            })
        };
        let mut inside: HashMap<[i32; 3], Vec<usize>> = HashMap::new();
        for (i, bead) in self.beads.iter().enumerate() {
            inside.entry(cell(bead)).or_default().push(i);
        }
        for (i, bead) in self.beads.iter().enumerate() {
            for j in around(cell(bead), counts, self.parameters.periodic).iter().filter_map(|c| inside.get(c)).flatten()
            {
                let (i, j) = (i, *j);
                let [before, after, _] = self.chains.links[i];
                let bonded = before == j as u32 || after == j as u32;
                let acts =
                    self.kind(i).energy > 0.0 && self.kind(j).energy > 0.0 && (!bonded || self.kind(i).extension > 0.0);
                if j <= i || !acts {
                    continue;
                }
                let d = self.apart(i, j);
                let r = dot(d, d).sqrt();
                if r < reach {
                    then(i, j, r);
                }
            }
        }
    }
}

/// The cells from one before to one after a cell along each axis, each once.
fn around(cell: [i32; 3], counts: [i32; 3], periodic: [bool; 3]) -> Vec<[i32; 3]> {
    let along = |a: usize| {
        let mut found: Vec<i32> = (-1..=1).map(|d| cell[a] + d).collect();
        if periodic[a] {
            found.iter_mut().for_each(|c| *c = c.rem_euclid(counts[a]));
        }
        found.sort_unstable();
        found.dedup();
        found
    };
    let [xs, ys, zs] = [along(0), along(1), along(2)];
    let mut cells = Vec::new();
    for &z in &zs {
        for &y in &ys {
            cells.extend(xs.iter().map(|&x| [x, y, z]));
        }
    }
    cells
}

/// The energy of a bond of length `r`.
pub fn bond(kind: &Kind, r: f64) -> f64 {
    if kind.extension > 0.0 {
        return -0.5 * kind.stiffness * kind.extension.powi(2) * (1.0 - (r / kind.extension).powi(2)).ln();
    }
    0.5 * kind.stiffness * (r - kind.length).powi(2)
}

/// The energy of two beads at the distance `r`: that of Lennard and Jones, 0 where it is cut.
pub fn pair(one: &Kind, other: &Kind, r: f64) -> f64 {
    let sigma = 0.5 * (one.diameter + other.diameter);
    let cutoff = one.cutoff.min(other.cutoff);
    if r >= cutoff * sigma {
        return 0.0;
    }
    let at = |x: f64| 4.0 * (one.energy * other.energy).sqrt() * (x.powi(-12) - x.powi(-6));
    at(r / sigma) - at(cutoff)
}
