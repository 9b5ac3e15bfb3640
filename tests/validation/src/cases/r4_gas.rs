//! R4: a gas of 256 ellipsoids without a fluid, which meet by Gay and Berne's potential, repulsive.
//!
//! The integrator (Dullweber, Leimkuhler and McLachlan, J. Chem. Phys. 107, 5840, 1997, between half kicks) is symplectic and
//! reversible: energy does not drift, what it changes by goes with the square of the step, and with velocities and spins turned
//! round the gas goes back to where it began. The force has a kink where it begins, so each meeting leaves an energy of the
//! order of the square of the step behind, of either sign: the energy walks at random, hence changes from look to look, not
//! departures from the mean, for the order. The kernel's step is 1, so a step shorter by the factor s is a gas with the same
//! masses, velocities and spins times s and energies times s^2: the same trajectories, in 1 / s times as many steps.

use hematite_config::Result;
use hematite_engine::Precision;
use physics_bodies::gay_berne::{GayBerne, Shape};
use physics_bodies::rotation::axes_of;
use physics_bodies::{Kind, State, friction};

use crate::bodies::{Gas, at_rest, seen_by};
use crate::{Context, Inside, Table};

/// The box, bodies along each axis, their semi-axes and mean speed along an axis for s = 1.
const SIDE: usize = 24;
const ALONG: [u32; 3] = [8, 8, 4];
const AXES: [f64; 3] = [1.1, 1.1, 2.2];
const SPEED: f64 = 0.005;

/// Steps for s = 1 and until the gas has forgotten its start.
const STEPS: f64 = 640.0;
const UNTIL: u64 = 1280;

/// Looks at the energy.
const LOOKS: usize = 320;

/// Runs the case.
///
/// # Errors
/// When the device is lost.
pub fn run(context: &Context) -> Result<Table> {
    let mut table = Table::new("R4");
    let shares: &[f64] = if context.long { &[1.0, 0.5, 0.25, 0.125] } else { &[1.0, 0.5, 0.25] };
    let start = mixed(context)?;
    let mut points = Vec::new();
    let walk = (LOOKS as f64).sqrt();
    for &share in shares {
        let energies = energies(context, Precision::F64, &start, share)?;
        let (departure, drift) = departures(&energies);
        table.note(format!("f64, step {share}: changes of the energy, share of the kinetic"), 0.0, departure);
        table.below(
            format!("f64, step {share}: drift of the energy, over a walk of such changes"),
            drift / departure / walk,
            0.5,
        );
        points.push((share.ln(), departure.ln()));
    }
    table.absolute("f64: order of the changes in the step", 2.0, slope(&points), 0.1);
    reversal(context, &mut table, &start, Precision::F64, 1e-6)?;
    if !context.quick {
        let energies = energies(context, Precision::F32, &start, 0.5)?;
        let (departure, drift) = departures(&energies);
        table.note("f32, step 0.5: changes of the energy, share of the kinetic", 0.0, departure);
        table.below("f32, step 0.5: drift of the energy, over a walk of such changes", drift / departure / walk, 0.5);
        reversal(context, &mut table, &start, Precision::F32, 1e-2)?;
    }
    Ok(table)
}

fn kind() -> Kind {
    Kind {
        name: "gas".into(),
        shape: Shape::new(AXES),
        half_widths: [2.0; 3],
        gamma_t: [0.0; 3],
        gamma_r: [0.0; 3],
        mass: friction::mass(AXES, 1.0),
        inertia: friction::inertia(AXES, 1.0),
        lambda: [0.0; 3],
        force: [0.0; 3],
        torque: [0.0; 3],
        seeded: 0,
    }
}

/// Temperature for s = 1.
fn temperature() -> f64 {
    kind().mass * SPEED * SPEED
}

fn pairs(share: f64) -> GayBerne {
    let epsilon = share * share * temperature();
    let sigma = 0.8;
    GayBerne { epsilon, sigma, gamma: 1.0, mu: 1, upsilon: 1, largest: 1000.0 * epsilon / sigma }
}

/// On a lattice, long axes along z, moving and turning at random.
fn gas() -> Vec<State> {
    let inside = Inside { extent: [SIDE; 3], periodic: [true; 3] };
    let mut draws = Draws(7);
    let kind = kind();
    let mut bodies: Vec<State> = (0..ALONG.iter().product())
        .map(|id| {
            let number = [id % ALONG[0], id / ALONG[0] % ALONG[1], id / (ALONG[0] * ALONG[1])];
            let at = [0, 1, 2].map(|a| (f64::from(number[a]) + 0.5) * SIDE as f64 / f64::from(ALONG[a]));
            let start = at_rest(&inside, id, 0, at, [1.0, 0.0, 0.0, 0.0]);
            let velocity = [0; 3].map(|_| SPEED * draws.normal());
            let spin = kind.inertia.map(|i| (i * temperature()).sqrt() * draws.normal());
            State { velocity, spin, ..start }
        })
        .collect();
    let mean = [0, 1, 2].map(|a| bodies.iter().map(|b| b.velocity[a]).sum::<f64>() / bodies.len() as f64);
    bodies.iter_mut().for_each(|b| (0..3).for_each(|a| b.velocity[a] -= mean[a]));
    bodies
}

/// Kinetic energy and that of pairs.
fn energy(states: &[State], kind: &Kind, pairs: &GayBerne) -> f64 {
    let kinetic: f64 = states.iter().map(|state| kind.kinetic_energy(state)).sum();
    let axes: Vec<_> = states.iter().map(|state| axes_of(state.orientation)).collect();
    let range = pairs.range(&kind.shape, &kind.shape);
    let mut potential = 0.0;
    for i in 0..states.len() {
        for j in i + 1..states.len() {
            let r = apart(&states[i], &states[j]);
            if r.iter().map(|r| r * r).sum::<f64>() < range * range {
                potential += pairs.energy(r, [&axes[i], &axes[j]], [&kind.shape; 2]);
            }
        }
    }
    kinetic + potential
}

/// The nearest image of the second, from the first.
fn apart(first: &State, second: &State) -> [f64; 3] {
    let l = SIDE as f64;
    [0, 1, 2].map(|a| {
        let d = second.position[a].value() - first.position[a].value();
        d - l * (d / l).round()
    })
}

/// The gas when it has forgotten its start.
fn mixed(context: &Context) -> Result<Vec<State>> {
    let mut gas = Gas::new(context, Precision::F64, SIDE, kind(), pairs(1.0), gas())?;
    gas.advance(context, UNTIL)?;
    Ok(gas.states()?.iter().map(|state| paced(state, 1.0)).collect())
}

/// A body at the time of its position, as `Gas::new` takes it, velocity and spin times `factor`.
fn paced(state: &State, factor: f64) -> State {
    let kind = kind();
    let omega = seen_by(state.orientation, kind.angular_velocity(state));
    let spin = [0, 1, 2].map(|a| factor * omega[a] * kind.inertia[a]);
    let velocity = kind.velocity(state).map(|v| factor * v);
    let (force, torque) = ([0.0; 3], [0.0; 3]);
    State { velocity, spin, force, torque, ..state.clone() }
}

/// Energies along a run from `start`, over the kinetic energy then.
fn energies(context: &Context, precision: Precision, start: &[State], share: f64) -> Result<Vec<f64>> {
    let (kind, pairs) = (kind(), pairs(share));
    let start: Vec<State> = start.iter().map(|state| paced(state, share)).collect();
    let unit: f64 = start.iter().map(|state| kind.kinetic_energy(state)).sum();
    let mut gas = Gas::new(context, precision, SIDE, kind.clone(), pairs, start)?;
    let every = (STEPS / share / LOOKS as f64) as u64;
    let mut energies = Vec::new();
    for _ in 0..LOOKS {
        gas.advance(context, every)?;
        energies.push(energy(&gas.states()?, &kind, &pairs) / unit);
    }
    Ok(energies)
}

/// The root mean square of what they change by from look to look, and how far the means of the first and the last third
/// lie apart.
fn departures(energies: &[f64]) -> (f64, f64) {
    let mean = |part: &[f64]| part.iter().sum::<f64>() / part.len() as f64;
    let changes: Vec<f64> = energies.windows(2).map(|e| (e[1] - e[0]).powi(2)).collect();
    let third = energies.len() / 3;
    (mean(&changes).sqrt(), (mean(&energies[energies.len() - third..]) - mean(&energies[..third])).abs())
}

/// The line through points that fits best.
fn slope(points: &[(f64, f64)]) -> f64 {
    let count = points.len() as f64;
    let (x, y) = points.iter().fold((0.0, 0.0), |(x, y), p| (x + p.0 / count, y + p.1 / count));
    let sum = |of: fn(f64, f64) -> f64| points.iter().map(|p| of(p.0 - x, p.1 - y)).sum::<f64>();
    sum(|x, y| x * y) / sum(|x, _| x * x)
}

/// There and back again.
fn reversal(context: &Context, table: &mut Table, start: &[State], precision: Precision, tolerance: f64) -> Result<()> {
    const THERE: u64 = 160;
    let (kind, pairs) = (kind(), pairs(1.0));
    let mut there = Gas::new(context, precision, SIDE, kind.clone(), pairs, start.to_vec())?;
    there.advance(context, THERE)?;
    let far: Vec<State> = there.states()?.iter().map(|state| paced(state, -1.0)).collect();
    let way = |some: &[State], others: &[State]| {
        let length = |(a, b)| apart(a, b).iter().map(|d| d * d).sum::<f64>().sqrt();
        some.iter().zip(others).map(length).fold(0.0, f64::max)
    };
    table.at_least(format!("{}: way of a body before it turns round", precision.name()), 1.0, way(start, &far));
    let mut back = Gas::new(context, precision, SIDE, kind, pairs, far)?;
    back.advance(context, THERE)?;
    let left = way(start, &back.states()?);
    table.below(format!("{}: how far from its start a body comes back to", precision.name()), left, tolerance);
    Ok(())
}

/// Small numbers without a pattern.
struct Draws(u64);

impl Draws {
    fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Of variance 1, nearly normal.
    fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.unit()).sum::<f64>() - 6.0
    }
}
