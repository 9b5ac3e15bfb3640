//! The motion of beads in plain f64: forces between all pairs, by the definitions of the potentials.

use physics_polymers::{Bead, Chains, Kind, Parameters};

type Vector = [f64; 3];

/// Beads in f64: places over periodic faces, velocities.
#[derive(Clone, Debug)]
pub struct Reference<'r> {
    pub parameters: &'r Parameters,
    pub chains: &'r Chains,
    pub x: Vec<Vector>,
    pub v: Vec<Vector>,
}

fn minus(a: Vector, b: Vector) -> Vector {
    [0, 1, 2].map(|k| a[k] - b[k])
}

fn length(a: Vector) -> f64 {
    a.iter().map(|x| x * x).sum::<f64>().sqrt()
}

impl<'r> Reference<'r> {
    pub fn new(parameters: &'r Parameters, chains: &'r Chains, beads: &[Bead]) -> Self {
        let one = f64::from(1_u32 << parameters.bits);
        let place = |bead: &Bead| {
            [0, 1, 2]
                .map(|a| f64::from(bead.position[a]) / one + f64::from(bead.image[a]) * parameters.extent[a] as f64)
        };
        let v = beads.iter().map(|bead| bead.velocity.map(f64::from)).collect();
        Self { parameters, chains, x: beads.iter().map(place).collect(), v }
    }

    fn kind(&self, i: usize) -> &Kind {
        &self.parameters.kinds[self.chains.kind(i)]
    }

    fn nearest(&self, i: usize, j: usize) -> Vector {
        let d = minus(self.x[j], self.x[i]);
        [0, 1, 2].map(|a| {
            let extent = self.parameters.extent[a] as f64;
            if self.parameters.periodic[a] { d[a] - extent * (d[a] / extent).round() } else { d[a] }
        })
    }

    /// The potential energy of all beads.
    pub fn potential(&self) -> f64 {
        let n = self.x.len();
        let bonded = |i: usize, j: usize| self.chains.links[i][0] == j as u32 || self.chains.links[i][1] == j as u32;
        let mut energy = 0.0;
        for i in 0..n {
            let kind = self.kind(i);
            let [before, after, _] = self.chains.links[i].map(|link| link as usize);
            if after < n {
                let r = length(self.nearest(i, after));
                energy += match kind.extension {
                    0.0 => 0.5 * kind.stiffness * (r - kind.length).powi(2),
                    most => -0.5 * kind.stiffness * most * most * (1.0 - r * r / most / most).ln(),
                };
                if before < n {
                    let (u, w) = (self.nearest(before, i), self.nearest(i, after));
                    let cosine = u.iter().zip(w).map(|(a, b)| a * b).sum::<f64>() / length(u) / length(w);
                    energy += kind.bending * (1.0 - cosine);
                }
            }
            for j in i + 1..n {
                let other = self.kind(j);
                if kind.energy == 0.0 || other.energy == 0.0 || (bonded(i, j) && kind.extension == 0.0) {
                    continue;
                }
                let sigma = 0.5 * (kind.diameter + other.diameter);
                let cutoff = kind.cutoff.min(other.cutoff);
                let r = length(self.nearest(i, j)) / sigma;
                let at = |r: f64| 4.0 * (kind.energy * other.energy).sqrt() * (r.powi(-12) - r.powi(-6));
                if r < cutoff {
                    energy += at(r) - at(cutoff);
                }
            }
        }
        energy
    }

    pub fn kinetic(&self) -> f64 {
        let of = |i: usize| 0.5 * f64::from(self.kind(i).mass) * self.v[i].iter().map(|v| v * v).sum::<f64>();
        (0..self.x.len()).map(of).sum()
    }

    /// The forces as differences of the potential energy.
    pub fn forces(&self) -> Vec<Vector> {
        const STEP: f64 = 1e-5;
        let mut moved = self.clone();
        let mut forces = vec![[0.0; 3]; self.x.len()];
        for (i, force) in forces.iter_mut().enumerate() {
            for (a, along) in force.iter_mut().enumerate().take(self.parameters.dimension) {
                let x = self.x[i][a];
                moved.x[i][a] = x + STEP;
                let up = moved.potential();
                moved.x[i][a] = x - STEP;
                let down = moved.potential();
                moved.x[i][a] = x;
                *along = -(up - down) / (2.0 * STEP);
            }
        }
        forces
    }

    /// A time step without walls.
    pub fn step(&mut self) {
        let h = 1.0 / f64::from(self.parameters.sub_steps);
        for k in 0..=self.parameters.sub_steps {
            let h_of_kick = if k == 0 || k == self.parameters.sub_steps { 0.5 * h } else { h };
            for (i, f) in self.forces().into_iter().enumerate() {
                let m = f64::from(self.kind(i).mass);
                self.v[i] = [0, 1, 2].map(|a| self.v[i][a] + h_of_kick * f[a] / m);
            }
            if k < self.parameters.sub_steps {
                for i in 0..self.x.len() {
                    self.x[i] = [0, 1, 2].map(|a| self.x[i][a] + h * self.v[i][a]);
                }
            }
        }
    }
}
