//! A plain two-lattice lattice Boltzmann code in f64: whole populations, push streaming, textbook formulas.

use hematite_case::{Part, Target};
use physics_lattice_boltzmann::equilibrium::State;
use physics_lattice_boltzmann::{Moment, Parameters, Prescribed, Row, Walls};

pub struct Reference {
    part: Part,
    parameters: Parameters,
    c: Vec<[f64; 3]>,
    w: Vec<f64>,
    back: Vec<usize>,
    f: Vec<Vec<f64>>,
    pub came_in: Vec<f64>,
    pub came_in_at_walls: f64,
    /// Momentum that walls got in the last step, then that each opening got.
    pub given: Vec<[f64; 3]>,
    /// Force of cells on each node.
    pub cells: Vec<[f64; 3]>,
    /// Bits of each node inside cells: bit k says that the fluid has the k-th rates of those inside there.
    pub inside: Vec<u32>,
}

fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

impl Reference {
    pub fn new(part: &Part, parameters: &Parameters, state: impl Fn(usize) -> State) -> Self {
        let c: Vec<[f64; 3]> = parameters.set.velocities().iter().map(|c| c.map(f64::from)).collect();
        let opposite = |c: &[f64; 3]| [-c[0], -c[1], -c[2]];
        let back = c.iter().map(|a| c.iter().position(|b| *b == opposite(a)).expect("a pair")).collect();
        let w: Vec<f64> = (0..c.len()).map(|i| parameters.set.weight(i)).collect();
        let mut reference = Self {
            part: part.clone(),
            parameters: parameters.clone(),
            back,
            f: Vec::new(),
            came_in: vec![0.0; part.openings.len()],
            came_in_at_walls: 0.0,
            given: Vec::new(),
            cells: vec![[0.0; 3]; part.own],
            inside: vec![0; part.own],
            c,
            w,
        };
        reference.f = (0..part.own).map(|n| reference.equilibrium(1.0 + state(n).drho, state(n).u)).collect();
        reference
    }

    fn equilibrium(&self, rho: f64, u: [f64; 3]) -> Vec<f64> {
        let term = |c: &[f64; 3]| rho + 3.0 * dot(*c, u) + 4.5 * dot(*c, u).powi(2) - 1.5 * dot(u, u);
        self.c.iter().zip(&self.w).map(|(c, w)| w * term(c)).collect()
    }

    /// Force on node n where the row prescribes `body`.
    fn force(&self, n: usize, body: [f64; 3]) -> [f64; 3] {
        [0, 1, 2].map(|axis| body[axis] + self.cells[n][axis])
    }

    /// How many viscosities there are inside cells.
    pub fn kinds_inside(&self) -> usize {
        self.parameters.immersed.map_or(0, |immersed| immersed.inside.iter().flatten().count())
    }

    /// Relaxation rates at node n.
    fn rates(&self, n: usize) -> (f64, f64) {
        let inside = self.parameters.immersed.map(|immersed| immersed.inside).unwrap_or_default();
        match inside.iter().enumerate().rfind(|(k, _)| self.inside[n] >> k & 1 == 1) {
            Some((_, Some([plus, minus]))) => (*plus, *minus),
            _ => (self.parameters.omega_plus, self.parameters.omega_minus),
        }
    }

    fn density_velocity(&self, n: usize, body: [f64; 3]) -> (f64, [f64; 3]) {
        let force = self.force(n, body);
        let mut u = force.map(|f| f / 2.0);
        for (f, c) in self.f[n].iter().zip(&self.c) {
            for axis in 0..3 {
                u[axis] += f * c[axis];
            }
        }
        (self.f[n].iter().sum(), u)
    }

    /// One step, in which `row` is prescribed.
    pub fn advance(&mut self, row: &Row) {
        let before: Vec<(f64, [f64; 3])> = (0..self.part.own).map(|n| self.density_velocity(n, row.force)).collect();
        let old_f = self.f.clone();
        let mut collided = vec![vec![f64::NAN; self.c.len()]; self.part.own];
        let mut streamed = collided.clone();
        for n in 0..self.part.own {
            let (rho, u) = self.density_velocity(n, row.force);
            let (plus, minus) = self.rates(n);
            let force = self.force(n, row.force);
            let e = self.equilibrium(rho, u);
            let f = &self.f[n];
            for i in 0..self.c.len() {
                let j = self.back[i];
                let c = self.c[i];
                let even = (f[i] + f[j]) / 2.0 - (e[i] + e[j]) / 2.0;
                let odd = (f[i] - f[j]) / 2.0 - (e[i] - e[j]) / 2.0;
                let force_even = self.w[i] * (9.0 * dot(c, u) * dot(c, force) - 3.0 * dot(u, force));
                let force_odd = self.w[i] * 3.0 * dot(c, force);
                let after = f[i] - plus * even - minus * odd
                    + (1.0 - plus / 2.0) * force_even
                    + (1.0 - minus / 2.0) * force_odd;
                collided[n][i] = after;
                if i == 0 {
                    streamed[n][0] = after;
                    continue;
                }
                match self.part.links[i - 1][n].target() {
                    Target::Node(m) => streamed[m as usize][i] = after,
                    Target::Wall | Target::Opening(_) => streamed[n][j] = after,
                }
            }
        }
        self.f = streamed;
        self.interpolate_walls(&collided);
        let terms = self.parameters.openings.iter().map(Prescribed::terms).fold(1, usize::max);
        for k in 0..self.part.openings.len() {
            let factors = &row.openings[k * terms..][..terms];
            for (index, node) in self.part.openings[k].clone().into_iter().enumerate() {
                let n = node.node as usize;
                for i in (1..self.c.len()).filter(|i| node.links >> i & 1 == 1) {
                    let j = self.back[i];
                    let old = self.f[n][j];
                    self.f[n][j] = match &self.parameters.openings[k] {
                        Prescribed::Velocity(shape) => {
                            old + 6.0 * self.w[j] * dot(self.c[j], shape[index].map(|s| s * factors[0]))
                        }
                        Prescribed::Terms(shapes) => {
                            let u = |a: usize| shapes.iter().zip(factors).map(|(shape, s)| s * shape[index][a]).sum();
                            old + 6.0 * self.w[j] * dot(self.c[j], std::array::from_fn(u))
                        }
                        Prescribed::Pressure => {
                            let side = self.beside(n, i);
                            let [here, there] = [n, side].map(|m| self.even_and_odd(&old_f[m], before[m], m, i, row));
                            let even = (here.0 + there.0) / 2.0;
                            let odd = (there.1 - here.1) / 2.0;
                            -old + 2.0 * self.w[i] * (1.0 + factors[0]) + even + odd
                        }
                    };
                    self.came_in[k] += self.f[n][j] - old;
                }
            }
        }
        self.give(&collided);
    }

    /// The momentum that leaves the nodes along links into walls and openings in a step, less what comes back, of the deviations
    /// from rest.
    fn give(&mut self, collided: &[Vec<f64>]) {
        self.given = vec![[0.0; 3]; 1 + self.part.openings.len()];
        for (n, collided) in collided.iter().enumerate() {
            for (i, out) in collided.iter().enumerate().skip(1) {
                let to = match self.part.links[i - 1][n].target() {
                    Target::Node(_) => continue,
                    Target::Wall => 0,
                    Target::Opening(k) => 1 + k,
                };
                let both = out + self.f[n][self.back[i]] - 2.0 * self.w[i];
                (0..3).for_each(|axis| self.given[to][axis] += self.c[i][axis] * both);
            }
        }
    }

    /// What a pair has of the quadratic part of the equilibrium and of the shear, before and after a collision; and what the
    /// collision takes from the odd part of direction `i`.
    fn even_and_odd(&self, f: &[f64], (rho, u): (f64, [f64; 3]), n: usize, i: usize, row: &Row) -> (f64, f64) {
        let (plus, minus) = self.rates(n);
        let (j, e) = (self.back[i], self.equilibrium(rho, u));
        let even = |f: &[f64]| (f[i] + f[j]) / 2.0;
        let odd = |f: &[f64]| (f[i] - f[j]) / 2.0;
        let force = (1.0 - minus / 2.0) * self.w[i] * 3.0 * dot(self.c[i], self.force(n, row.force));
        let mirrored =
            |d: &[f64; 3]| (0..3).all(|a| d[a].abs() == self.c[i][a].abs()) && *d != self.c[i] && *d != self.c[j];
        let shear = self.c.iter().position(mirrored).map_or(0.0, |d| {
            let of_pair = |f: &[f64], i: usize| f[i] + f[self.back[i]];
            (of_pair(f, i) - of_pair(f, d) - of_pair(&e, i) + of_pair(&e, d)) / 4.0
        });
        (2.0 * (even(&e) - self.w[i] * rho) + (2.0 - plus) * shear, minus * (odd(f) - odd(&e)) - force)
    }

    /// The node on the other side of a diagonal link into an opening, where there is one, else `n`.
    fn beside(&self, n: usize, i: usize) -> usize {
        let mut sides = Vec::new();
        for axis in (0..3).filter(|&axis| self.c[i][axis] != 0.0) {
            let mut along = [0.0; 3];
            along[axis] = self.c[i][axis];
            if let Some(k) = self.c.iter().position(|&c| c == along)
                && k != i
                && let Target::Node(m) = self.part.links[k - 1][n].target()
            {
                sides.push(m as usize);
            }
        }
        if sides.len() == 1 { sides[0] } else { n }
    }

    /// Bouzidi's linear bounce-back from the populations after the collision.
    fn interpolate_walls(&mut self, collided: &[Vec<f64>]) {
        let Walls::Interpolated(cuts) = &self.parameters.walls else { return };
        for cut in cuts {
            let (x, i, q) = (cut.node as usize, usize::from(cut.direction), cut.fraction);
            let j = self.back[i];
            let Target::Node(behind) = self.part.links[j - 1][x].target() else { continue };
            let wanted = if q < 0.5 {
                2.0 * q * collided[x][i] + (1.0 - 2.0 * q) * collided[behind as usize][i]
            } else {
                collided[x][i] / (2.0 * q) + (2.0 * q - 1.0) / (2.0 * q) * collided[x][j]
            };
            self.came_in_at_walls += wanted - self.f[x][j];
            self.f[x][j] = wanted;
        }
    }

    pub fn moment(&self, moment: Moment, now: &Row) -> Vec<f64> {
        let mut out = Vec::new();
        for n in 0..self.part.own {
            let (rho, u) = self.density_velocity(n, now.force);
            let (plus, _) = self.rates(n);
            let force = self.force(n, now.force);
            match moment {
                Moment::Density => out.push(rho - 1.0),
                Moment::Velocity => out.extend(u),
                Moment::Stress => {
                    let e = self.equilibrium(rho, u);
                    for (a, b) in [(0, 0), (1, 1), (2, 2), (0, 1), (1, 2), (0, 2)] {
                        let flux: f64 =
                            (0..self.c.len()).map(|i| self.c[i][a] * self.c[i][b] * (self.f[n][i] - e[i])).sum();
                        let guo = (u[a] * force[b] + force[a] * u[b]) / 2.0;
                        out.push(-(1.0 - plus / 2.0) * (flux + guo));
                    }
                }
            }
        }
        out
    }
}
