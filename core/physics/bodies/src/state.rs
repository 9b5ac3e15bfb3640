//! The state of one body, as checkpoints keep it and as dumps see it.

use hematite_engine::Precision;
use hematite_engine::sites::Coordinate;

use super::Kind;
use super::rotation::axes_of;

/// A body's state, lattice units; velocities and spins half a step after positions.
#[derive(Clone, Debug, PartialEq)]
pub struct State {
    /// Its global number.
    pub id: u32,
    /// Its population.
    pub kind: u32,
    /// Its centre; nodes at whole numbers, not wrapped.
    pub position: [Coordinate; 3],
    /// Unit quaternion (w, x, y, z).
    pub orientation: [f64; 4],
    /// Velocity.
    pub velocity: [f64; 3],
    /// Angular momentum about its own axes.
    pub spin: [f64; 3],
    /// Force in the last kick.
    pub force: [f64; 3],
    /// Torque in the last kick, in space.
    pub torque: [f64; 3],
    /// What it answers the fluid: force over the region's weights, alpha over them, and their centre.
    pub answer: [f64; 9],
    /// The fluid's velocity that it saw last, and the angular one about its axes.
    pub seen: [f64; 6],
    /// The last drag, and its torque about the body's axes.
    pub drag: [f64; 6],
}

impl State {
    /// A body at rest that has not met the fluid yet.
    pub fn at_rest(id: u32, kind: u32, position: [Coordinate; 3], orientation: [f64; 4]) -> Self {
        let zero = [0.0; 3];
        let (velocity, spin, force, torque) = (zero, zero, zero, zero);
        let (answer, seen, drag) = ([0.0; 9], [0.0; 6], [0.0; 6]);
        Self { id, kind, position, orientation, velocity, spin, force, torque, answer, seen, drag }
    }

    /// Words of [`State::record`].
    pub const RECORD: usize = 40;

    /// The state as whole numbers, for checkpoints: coordinates, then the bits of all other numbers.
    pub fn record(&self) -> Vec<i64> {
        let moving = [&self.orientation[..], &self.velocity, &self.spin, &self.force, &self.torque];
        let numbers = [moving.as_slice(), &[&self.answer[..], &self.seen, &self.drag]].concat();
        let bits = numbers.concat().into_iter().map(|x| x.to_bits() as i64);
        self.position.iter().map(|x| x.word()).chain(bits).collect()
    }

    /// The body with number `id` of population `kind` from its words; `None` where they are no record.
    pub fn from_record(id: u32, kind: u32, words: &[i64]) -> Option<Self> {
        let (position, bits) = words.split_at_checked(3)?;
        let numbers: Vec<f64> = bits.iter().map(|&bits| f64::from_bits(bits as u64)).collect();
        if words.len() != Self::RECORD || numbers.iter().any(|x| !x.is_finite()) {
            return None;
        }
        let three = |first: usize| [numbers[first], numbers[first + 1], numbers[first + 2]];
        Some(Self {
            id,
            kind,
            position: [0, 1, 2].map(|a| Coordinate::from_word(position[a])),
            orientation: [numbers[0], numbers[1], numbers[2], numbers[3]],
            velocity: three(4),
            spin: three(7),
            force: three(10),
            torque: three(13),
            answer: std::array::from_fn(|a| numbers[16 + a]),
            seen: std::array::from_fn(|a| numbers[25 + a]),
            drag: std::array::from_fn(|a| numbers[31 + a]),
        })
    }

    /// The raw words of each property, in the order in which they are declared.
    pub(super) fn words(&self, precision: Precision) -> Vec<Vec<u32>> {
        let reals = |values: &[f64]| bytemuck::pod_collect_to_vec::<u8, u32>(&precision.pack_real(values));
        let position = self.position.iter().flat_map(|x| [x.site as u32, x.fraction]).collect();
        vec![
            position,
            vec![self.id],
            vec![0],
            vec![self.kind],
            vec![0],
            reals(&self.orientation),
            reals(&self.velocity),
            reals(&self.spin),
            reals(&self.force),
            reals(&self.torque),
            vec![0; 6],
            vec![0; 22],
            vec![0],
            reals(&self.answer),
            reals(&self.seen),
            reals(&self.drag),
        ]
    }
}

impl Kind {
    /// Momentum and kinetic energy of a body of this kind at the time of its position: half a kick before its velocity and spin.
    pub fn kinetic_energy(&self, state: &State) -> f64 {
        let half = |v: [f64; 3], kick: [f64; 3], per: f64| [0, 1, 2].map(|a| v[a] - 0.5 * per * kick[a]);
        let velocity = half(state.velocity, state.force, 1.0 / self.mass);
        let spin = half(state.spin, turned_back(state.orientation, state.torque), 1.0);
        let moving: f64 = velocity.iter().map(|v| 0.5 * self.mass * v * v).sum();
        let turning: f64 = spin.iter().zip(self.inertia).map(|(l, i)| 0.5 * l * l / i).sum();
        moving + turning
    }

    /// Angular velocity in space at the time of the position.
    pub fn angular_velocity(&self, state: &State) -> [f64; 3] {
        let torque = turned_back(state.orientation, state.torque);
        turned(state.orientation, [0, 1, 2].map(|a| (state.spin[a] - 0.5 * torque[a]) / self.inertia[a]))
    }

    /// Velocity at the time of the position.
    pub fn velocity(&self, state: &State) -> [f64; 3] {
        [0, 1, 2].map(|a| state.velocity[a] - 0.5 * state.force[a] / self.mass)
    }
}

/// From the body's frame into space.
fn turned(orientation: [f64; 4], v: [f64; 3]) -> [f64; 3] {
    let axes = axes_of(orientation);
    [0, 1, 2].map(|k| axes[0][k] * v[0] + axes[1][k] * v[1] + axes[2][k] * v[2])
}

/// From space into the body's frame.
fn turned_back(orientation: [f64; 4], v: [f64; 3]) -> [f64; 3] {
    axes_of(orientation).map(|axis| axis.iter().zip(v).map(|(a, b)| a * b).sum())
}
