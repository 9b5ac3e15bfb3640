//! A plain two-lattice lattice Boltzmann code in f64: whole populations, push streaming, textbook formulas.

use hematite_case::{OpeningNode, Part, Target};
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
        self.interpolate_walls(&collided, row);
        let terms = self.parameters.openings.iter().map(Prescribed::terms).fold(1, usize::max);
        for k in 0..self.part.openings.len() {
            let mut factors = row.openings[k * terms..][..terms].to_vec();
            let per_flow = self.per_flow(k);
            if per_flow != 0.0 {
                let excess = |at: &OpeningNode| {
                    let n = at.node as usize;
                    let more = |i: usize| self.share_of_node(k, at, i) * (self.f[n][i] - collided[n][i]);
                    // Counted in whole numbers, node by node.
                    let unit = 2_f64.powi(-40);
                    ((1..self.c.len()).map(more).sum::<f64>() / unit).floor() * unit
                };
                factors[0] -= per_flow * self.part.openings[k].iter().map(excess).sum::<f64>();
            }
            for (index, node) in self.part.openings[k].clone().into_iter().enumerate() {
                let n = node.node as usize;
                for i in (1..self.c.len()).filter(|i| node.links >> i & 1 == 1) {
                    let j = self.back[i];
                    let old = self.f[n][j];
                    let share = self.share_of_node(k, &node, i);
                    let back = share * self.f[n][i] + (1.0 - share) * old;
                    self.f[n][j] = match &self.parameters.openings[k] {
                        Prescribed::Velocity(shape) | Prescribed::Wall(shape) => {
                            back + 6.0 * self.w[j] * dot(self.c[j], shape[index].map(|s| s * factors[0]))
                        }
                        Prescribed::Terms(shapes) => {
                            let u = |a: usize| shapes.iter().zip(&factors).map(|(shape, s)| s * shape[index][a]).sum();
                            back + 6.0 * self.w[j] * dot(self.c[j], std::array::from_fn(u))
                        }
                        Prescribed::Pressure => {
                            let source = self.source(k, n, i);
                            collided[source][j] + 2.0 * self.w[i] * (1.0 + factors[0] - before[source].0)
                        }
                    };
                    self.came_in[k] += self.f[n][j] - old;
                }
                self.along_the_opening(k, &node, index, &factors);
            }
        }
        self.give(&collided);
    }

    /// Brings the velocity along opening `k` to what is prescribed, where the node has links to it across one axis, and all of these.
    fn along_the_opening(&mut self, k: usize, node: &OpeningNode, index: usize, factors: &[f64]) {
        let n = node.node as usize;
        if (1..self.c.len()).any(|i| node.links >> i & 1 == 1 && self.share_of_node(k, node, i) != 1.0) {
            return;
        }
        let at_node: Vec<usize> = (1..self.c.len()).filter(|&i| self.share_of_node(k, node, i) == 1.0).collect();
        let u = match &self.parameters.openings[k] {
            Prescribed::Velocity(shape) => shape[index].map(|s| s * factors[0]),
            Prescribed::Terms(shapes) => {
                std::array::from_fn(|a| shapes.iter().zip(factors).map(|(s, f)| f * s[index][a]).sum())
            }
            Prescribed::Wall(_) | Prescribed::Pressure => return,
        };
        for (axis, way) in [(0, -1.0), (0, 1.0), (1, -1.0), (1, 1.0), (2, -1.0), (2, 1.0)] {
            let face: Vec<usize> = (1..self.c.len()).filter(|&i| self.c[i][axis] == way).collect();
            if face != at_node || face.is_empty() {
                continue;
            }
            let momentum = |a: usize| self.f[n].iter().zip(&self.c).map(|(f, c)| f * c[a]).sum::<f64>();
            let missing = [0, 1, 2].map(|a| if a == axis { 0.0 } else { u[a] - momentum(a) });
            for i in face {
                let j = self.back[i];
                self.f[n][j] += 0.5 * dot(self.c[j], missing);
            }
        }
    }

    /// The factor of an opening's first shape that lets in one unit of flow, 0 where no velocity is prescribed at nodes.
    fn per_flow(&self, k: usize) -> f64 {
        let shape = match &self.parameters.openings[k] {
            Prescribed::Velocity(shape) => shape,
            Prescribed::Terms(shapes) => &shapes[0],
            Prescribed::Wall(_) | Prescribed::Pressure => return 0.0,
        };
        let into = |(at, u): (&OpeningNode, &[f64; 3])| {
            let out = (1..self.c.len()).filter(|i| at.links >> i & 1 == 1);
            out.map(|i| 6.0 * self.w[i] * dot(self.c[self.back[i]], *u)).sum::<f64>()
        };
        let into: Vec<f64> = self.part.openings[k].iter().zip(shape).map(into).collect();
        let (net, gross) = (into.iter().sum::<f64>(), into.iter().map(|into| into.abs()).sum::<f64>());
        if net.abs() > 0.1 * gross { 1.0 / net } else { 0.0 }
    }

    /// How much of what goes back along link `i` into opening `k` is what arrives at the node.
    fn share_of_node(&self, k: usize, at: &OpeningNode, i: usize) -> f64 {
        if at.links >> i & 1 == 0 || self.per_flow(k) == 0.0 {
            return 0.0;
        }
        match self.part.links[self.back[i] - 1][at.node as usize].target() {
            Target::Node(_) => 1.0,
            Target::Wall => 0.5,
            Target::Opening(_) => 0.0,
        }
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

    /// The node of pressure opening `k`, at most two links through its nodes from `n`, that is nearest to the line along the
    /// opening's normal through `n + c_i`.
    fn source(&self, k: usize, n: usize, i: usize) -> usize {
        let nodes = &self.part.openings[k];
        let mut normal = [0.0; 3];
        for (at, out) in nodes.iter().flat_map(|at| (1..self.c.len()).map(move |out| (at, out))) {
            if at.links >> out & 1 == 1 {
                (0..3).for_each(|axis| normal[axis] -= self.w[out] * self.c[out][axis]);
            }
        }
        let length = dot(normal, normal).sqrt();
        let next = |m: usize, c: usize| match self.part.links[c - 1][m].target() {
            Target::Node(to) if nodes.iter().any(|at| at.node == to) => Some(to as usize),
            _ => None,
        };
        let mut best = (f64::INFINITY, n);
        let mut judge = |m: usize, at: [f64; 3]| {
            let from = [0, 1, 2].map(|axis| at[axis] - self.c[i][axis]);
            let along = dot(from, normal) / length;
            let cost = dot(from, from) - along * along + 0.01 * along.abs();
            if cost < best.0 - 1e-12 || (cost < best.0 + 1e-12 && m < best.1) {
                best = (cost, m);
            }
        };
        judge(n, [0.0; 3]);
        for a in 1..self.c.len() {
            let Some(m) = next(n, a) else { continue };
            judge(m, self.c[a]);
            for b in 1..self.c.len() {
                if let Some(m) = next(m, b) {
                    judge(m, [0, 1, 2].map(|axis| self.c[a][axis] + self.c[b][axis]));
                }
            }
        }
        best.1
    }

    /// Bouzidi's linear bounce-back from the populations after the collision, exact for fluid at rest under the body force.
    /// Nodes on which cells push stay half-way.
    fn interpolate_walls(&mut self, collided: &[Vec<f64>], row: &Row) {
        let Walls::Interpolated(cuts) = &self.parameters.walls else { return };
        for cut in cuts {
            let (x, i, q) = (cut.node as usize, usize::from(cut.direction), cut.fraction);
            let j = self.back[i];
            let Target::Node(behind) = self.part.links[j - 1][x].target() else { continue };
            if self.cells[x] != [0.0; 3] {
                continue;
            }
            let pressed = 3.0 * self.w[i] * dot(self.c[i], row.force);
            let wanted = if q < 0.5 {
                2.0 * q * collided[x][i] + (1.0 - 2.0 * q) * (collided[behind as usize][i] + pressed)
            } else {
                collided[x][i] / (2.0 * q) + (2.0 * q - 1.0) / (2.0 * q) * (collided[x][j] + pressed)
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
