//! Immersed walls: points that stand still on the wall, among nodes on both of its sides, push the fluid such that its
//! velocity at them is zero in every step (direct forcing). See `wall_points.rs` for how hard, and where they stand.
//!
//! After each step of the fluid, and of the bodies in it:
//!
//! 1. `wall_velocity.wgsl`: the velocity that the next step would have at nodes near the points, all other forces
//!    included;
//! 2. `interpolate.wgsl`: at the points, as integers, and `SumExchange`: the shares of other ranks are added;
//! 3. `spread.wgsl`: the force of each point to the nodes around it, as integers, for the next step.
//!
//! Nothing of this is kept from step to step: the state of the fluid fixes the forces.

use std::ops::Range;

use hematite_comm::Comm;
use hematite_config::Result;
use hematite_engine::rank_channel::Phases;
use hematite_engine::{DRIFT_SCALE, Precision, SumExchange};
use hematite_gpu::{Bound, Buffer, Gpu, Kernel, MAIN, Recorder, Template, WORKGROUP, literal, render};
use minijinja::context;

use super::buffers::Buffers;
use super::kernels::make;
use super::shaders::{Shader, Variant};
use super::wall_points::{ELSEWHERE, HeldPoints, WALL_FORCE_SCALE};

/// The fastest velocity at a node that a point answers to, lattice units: beyond the largest sane one.
const FASTEST: f64 = 0.25;

/// One rank's points and what they do.
pub(crate) struct HeldWalls {
    /// By whether populations stand as after an odd number of steps.
    near: [(Kernel, Bound); 2],
    points: Points,
    sum_exchange: SumExchange,
    stride: u32,
}

/// One rank's points on the device.
struct Points {
    interpolate: (Kernel, Bound),
    spread: (Kernel, Bound),
    /// `array<i32>` [D * points]: velocity at each point in 1 / DRIFT_SCALE.
    velocity: Buffer,
    count: u32,
    nodes: u32,
}

/// The kernels of the points.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Act {
    Interpolate,
    Spread,
}

impl HeldWalls {
    /// Puts points on the device and adds what nodes need for them to `buffers`.
    pub fn new(gpu: &Gpu, variant: &Variant, buffers: &mut Buffers, points: &HeldPoints) -> Result<Self> {
        buffers.add_held(gpu, variant, &points.nodes)?;
        let at_nodes = |odd| make(gpu, variant, Shader::WallVelocity, odd, &buffers.table(&[]));
        let device = Points::new(gpu, variant, buffers, points)?;
        let words = |points: &[u32]| -> Vec<Range<u32>> {
            let along = |axis: u32| {
                let successive = points.chunk_by(|a, b| a + 1 == *b);
                let from = axis * device.count;
                successive.map(move |points| from + points[0]..from + points[0] + points.len() as u32)
            };
            (0..variant.set.dimension() as u32).flat_map(along).collect()
        };
        let lists: Vec<(usize, Vec<Range<u32>>)> =
            points.shared.iter().map(|(rank, both)| (*rank, words(both))).collect();
        let mut sum_exchange = SumExchange::default();
        sum_exchange.share(gpu, &device.velocity, &lists, false)?;
        Ok(Self { near: [at_nodes(false)?, at_nodes(true)?], points: device, sum_exchange, stride: buffers.stride })
    }

    /// The forces for the next step, after what `recorder` holds. `odd` says how populations stand now, `row` which row of the
    /// schedule is that of the next step.
    pub fn step<'g>(&mut self, comm: &'g dyn Comm, recorder: &mut Recorder<'g>, odd: bool, row: u32) -> Result<()> {
        self.record_velocity(recorder, odd, row);
        self.sum_exchange.record_send(recorder);
        self.sum_exchange.record_receive(comm, recorder)?;
        recorder.phase("walls");
        self.points.record(recorder, &self.points.spread, self.stride);
        Ok(())
    }

    /// Seconds spent on messages so far.
    pub fn phases(&self) -> Phases {
        self.sum_exchange.phases()
    }

    fn record_velocity(&self, recorder: &mut Recorder, odd: bool, row: u32) {
        recorder.phase("walls");
        let (kernel, bound) = &self.near[usize::from(odd)];
        let nodes = self.points.nodes;
        recorder.dispatch(kernel, bound, nodes, &[0, nodes, self.stride, row]);
        self.points.record(recorder, &self.points.interpolate, self.stride);
    }
}

impl Points {
    fn new(gpu: &Gpu, variant: &Variant, buffers: &Buffers, points: &HeldPoints) -> Result<Self> {
        let (precision, dimension) = (variant.precision, variant.set.dimension());
        let filled = |label: &str, bytes: &[u8]| -> Result<Buffer> {
            let buffer = gpu.buffer(label, bytes.len() as u64)?;
            gpu.upload(&buffer, 0, bytes)?;
            Ok(buffer)
        };
        let sites = if points.is_empty() { 1 } else { points.at.len() / points.len() };
        let at = filled("nodes around wall points", bytemuck::cast_slice(&points.at))?;
        let upto = filled("weights of wall points", &precision.pack_real(&points.upto))?;
        let gain = filled("gains of wall points", &precision.pack_real(&points.gain))?;
        let velocity = gpu.buffer("velocities at wall points", (4 * dimension * points.len()) as u64)?;
        let mut table = buffers.table(&[]);
        table.extend([("at", &at), ("upto", &upto), ("gain", &gain), ("velocity", &velocity)]);
        let made = |act: Act| -> Result<(Kernel, Bound)> {
            let wgsl = wgsl(act, precision, dimension, sites);
            let kernel = Kernel::new(gpu, &format!("walls {act:?}"), &wgsl, 12)?;
            let bound = kernel.bind(gpu, &table);
            Ok((kernel, bound))
        };
        Ok(Self {
            interpolate: made(Act::Interpolate)?,
            spread: made(Act::Spread)?,
            count: points.len() as u32,
            nodes: points.nodes.len() as u32,
            velocity,
        })
    }

    fn record(&self, recorder: &mut Recorder, (kernel, bound): &(Kernel, Bound), stride: u32) {
        recorder.dispatch(kernel, bound, self.count, &[self.count, self.nodes, stride]);
    }
}

fn wgsl(act: Act, precision: Precision, dimension: usize, sites: usize) -> String {
    let template = match act {
        Act::Interpolate => Template { name: "interpolate.wgsl", text: include_str!("interpolate.wgsl") },
        Act::Spread => Template { name: "spread.wgsl", text: include_str!("spread.wgsl") },
    };
    let prelude = Template { name: "prelude.wgsl", text: include_str!("prelude.wgsl") };
    let axes = ["x", "y", "z"].into_iter().zip(0..dimension);
    let context = context! {
        real => precision.real(),
        workgroup => WORKGROUP,
        sites,
        elsewhere => ELSEWHERE,
        axes => axes.map(|(name, index)| context! { name, index }).collect::<Vec<_>>(),
        velocity_scale => literal(DRIFT_SCALE),
        force_over_velocity => literal(WALL_FORCE_SCALE / DRIFT_SCALE),
        fastest => literal(FASTEST),
    };
    render(template, &[prelude, MAIN], &context)
}

#[cfg(test)]
mod tests {
    use hematite_case::VelocitySet;
    use hematite_gpu::Needs;

    use super::*;

    /// A number from 0 to 1, another for each `k`.
    fn draw(k: usize) -> f64 {
        (k as f64 * 0.754_877_666).fract()
    }

    /// Velocities to points, and forces of points to nodes, against sums in f64; no quantum of force is lost.
    #[test]
    fn points_see_and_push_with_their_weights_and_nothing_is_lost() {
        let gpu = Gpu::open(0, Needs::default()).expect("a device");
        let (count, sites, nodes, stride) = (300, 16, 90, 128);
        let weights: Vec<Vec<f64>> = (0..count)
            .map(|k| {
                let weights: Vec<f64> = (0..sites).map(|i| draw(sites * k + i)).collect();
                let sum: f64 = weights.iter().sum();
                weights.into_iter().map(|w| w / sum).collect()
            })
            .collect();
        // Every node stands further on in the part.
        let near: Vec<u32> = (0..nodes as u32).map(|n| n + 20).collect();
        let at = |i: usize, k: usize| ((7 * k + 5 * i) % nodes) as u32;
        let upto = |i: usize, k: usize| if i + 1 == sites { 1.0 } else { weights[k][..=i].iter().sum() };
        let pairs = || (0..sites).flat_map(|i| (0..count).map(move |k| (i, k)));
        let points = HeldPoints {
            nodes: near.clone(),
            at: pairs().map(|(i, k)| at(i, k)).collect(),
            upto: pairs().map(|(i, k)| upto(i, k)).collect(),
            gain: (0..count).map(|k| 0.5 + 3.0 * draw(k)).collect(),
            shared: Vec::new(),
        };
        let variant = Variant {
            set: VelocitySet::D2Q9,
            precision: Precision::F32,
            omega_plus: 1.0,
            omega_minus: 1.0,
            force: false,
            immersed: None,
            held: true,
            openings: 0,
            terms: 1,
            tuning: crate::Tuning::default(),
            delivery: crate::shaders::Delivery::Host,
        };
        let mut buffers = Buffers::bare(stride as u32);
        buffers.add_held(&gpu, &variant, &points.nodes).expect("fits");
        let device = Points::new(&gpu, &variant, &buffers, &points).expect("fits");
        let u: Vec<f32> = (0..2 * nodes).map(|k| 0.1 * (draw(3 * k) as f32 - 0.5)).collect();
        gpu.upload(buffers.get("near_velocity"), 0, &u).expect("writes");
        let mut recorder = Recorder::new(&gpu);
        device.record(&mut recorder, &device.interpolate, stride as u32);
        device.record(&mut recorder, &device.spread, stride as u32);
        recorder.submit();

        let velocity: Vec<i32> = gpu.download(&device.velocity, 0, 2 * count).expect("reads");
        let force: Vec<i32> = gpu.download(buffers.get("wall_force"), 0, 2 * stride).expect("reads");
        for axis in 0..2 {
            let mut expected = vec![0.0; stride];
            let mut total = 0_i64;
            for k in 0..count {
                let seen: f64 =
                    (0..sites).map(|i| weights[k][i] * f64::from(u[axis * nodes + at(i, k) as usize])).sum();
                let found = velocity[axis * count + k];
                assert!((f64::from(found) / DRIFT_SCALE - seen).abs() < 1e-7, "point {k}: {found} and {seen}");
                let scaled = -(points.gain[k] as f32) * (found as f32 * (WALL_FORCE_SCALE / DRIFT_SCALE) as f32);
                total += i64::from(scaled.round_ties_even() as i32);
                (0..sites)
                    .for_each(|i| expected[near[at(i, k) as usize] as usize] += weights[k][i] * f64::from(scaled));
            }
            let of_axis = &force[axis * stride..][..stride];
            assert_eq!(of_axis.iter().map(|&f| i64::from(f)).sum::<i64>(), total);
            for (n, (&found, expected)) in of_axis.iter().zip(expected).enumerate() {
                // Each of some 50 points rounds twice.
                let rounding = 100.0 + 1e-5 * expected.abs();
                assert!((f64::from(found) - expected).abs() < rounding, "node {n}: {found} and {expected}");
            }
        }
    }

    #[test]
    fn every_permutation_is_valid_wgsl() {
        for precision in [Precision::F32, Precision::F16, Precision::F64] {
            for (dimension, sites) in [(2, 4), (2, 16), (3, 27)] {
                for act in [Act::Interpolate, Act::Spread] {
                    let source = wgsl(act, precision, dimension, sites);
                    wgsl_checks::validate((act, precision, dimension, sites), &source);
                }
            }
        }
    }
}
