//! Interpolation, spreading and moving.

use hematite_engine::{DRIFT_SCALE, FORCE_SCALE, Precision, SharedNodes, Support};
use hematite_gpu::Gpu;
use hematite_membrane::{Damage, FASTEST, LARGEST_FORCE, LARGEST_NODE_FORCE, LEAST_WEIGHT, Which};
use physics_cells::{Coupling, CouplingVariant, LEAST, SLIP, SLOW};

use crate::kernels::nodes;
use crate::sample::{Cloud, Domain, Random, gpu, run, scattered, shared};

const SUPPORTS: [Support; 3] = [Support::Two, Support::Three, Support::Four];

/// One rank: its own nodes and its arrays.
struct Rank {
    own: Vec<usize>,
    shared: SharedNodes,
    cloud: Cloud,
    coupling: Coupling,
}

impl Rank {
    fn new(
        gpu: &Gpu,
        precision: Precision,
        domain: &Domain,
        support: Support,
        points: &[[i64; 3]],
        owns: impl Fn(usize) -> bool,
    ) -> Self {
        Self::with(gpu, precision, domain, support, points, owns, false)
    }

    /// The same, whose workgroups join what their vertices spread if `joins`.
    fn with(
        gpu: &Gpu,
        precision: Precision,
        domain: &Domain,
        support: Support,
        points: &[[i64; 3]],
        owns: impl Fn(usize) -> bool,
        joins: bool,
    ) -> Self {
        let (map, wall, own) = domain.map(gpu, 12, owns);
        let dimension = domain.dimension;
        let shared = shared(gpu, dimension, precision, own.len());
        let slots = (0..points.len() as u32).collect();
        let cloud = Cloud::new(gpu, dimension, precision, points.to_vec(), slots);
        let variant = CouplingVariant { precision, support, joins };
        let coupling = Coupling::new(gpu, variant, &map, &wall, &cloud.vertices, &shared).expect("compiles");
        Self { own, shared, cloud, coupling }
    }

    fn write_velocity(&self, gpu: &Gpu, precision: Precision, velocity: impl Fn(usize) -> [f64; 3]) {
        let dimension = self.cloud.dimension;
        let of = |n: usize| [velocity(n).as_slice(), &[0.0]].concat();
        let length = if dimension == 3 { 4 } else { 2 };
        let vectors: Vec<f64> = self.own.iter().flat_map(|&n| of(n).into_iter().take(length)).collect();
        gpu.upload(&self.shared.node_velocity, 0, &precision.pack_real(&vectors)).expect("uploads");
    }

    /// Adds this rank's forces on nodes to those of the whole domain.
    fn collect(&self, gpu: &Gpu, whole: &mut [[i64; 3]]) {
        let stride = self.shared.stride as usize;
        let forces = self.shared.node_forces.read(gpu, stride).expect("reads");
        for (&n, force) in self.own.iter().zip(forces) {
            whole[n].iter_mut().zip(force).for_each(|(sum, f)| *sum += i64::from(f));
        }
    }
}

fn domains() -> Vec<Domain> {
    vec![
        Domain::random(2, [false; 3], 1),
        Domain::random(2, [true, false, false], 2),
        Domain::random(2, [true, true, false], 3),
        Domain::random(3, [false; 3], 4),
        Domain::random(3, [false, true, true], 5),
    ]
}

/// The domains, each with one kernel, another for each number `n`; with `HEMATITE_FULL` each with all kernels.
fn settings(n: usize) -> Vec<(Domain, Support)> {
    let is_full = std::env::var_os("HEMATITE_FULL").is_some();
    let kernels = |k: usize| if is_full { SUPPORTS.to_vec() } else { vec![SUPPORTS[(k + n) % SUPPORTS.len()]] };
    let with_kernels =
        |(k, domain): (usize, Domain)| kernels(k).into_iter().map(move |support| (domain.clone(), support));
    domains().into_iter().enumerate().flat_map(with_kernels).collect()
}

fn sum_of(around: &[(usize, f64)]) -> f64 {
    around.iter().map(|(_, weight)| weight).sum()
}

fn velocity(dimension: usize, n: usize) -> [f64; 3] {
    let n = n as f64;
    let u = [0.1 * (1.7 * n).sin(), 0.2 * (0.3 * n).cos() - 0.05, 0.15 * (2.9 * n).sin()];
    // As f32 holds them, so that reference and kernel read the same.
    [0, 1, 2].map(|a| if a < dimension { f64::from(u[a] as f32) } else { 0.0 })
}

#[test]
fn interpolation_and_spreading_agree_with_the_reference() {
    for (n, precision) in [Precision::F32, Precision::F64].into_iter().enumerate() {
        let gpu = gpu(precision);
        for (domain, support) in settings(n) {
            let domain = &domain;
            let mut random = Random::new(11);
            let points = scattered(domain, 300, &mut random);
            let rank = Rank::new(&gpu, precision, domain, support, &points, |_| true);
            rank.write_velocity(&gpu, precision, |n| velocity(domain.dimension, n));
            // As f32 holds them where kernels do; in f64 more digits, as drivers differ in where they round halves.
            let held = |x: f64| if precision == Precision::F32 { f64::from(x as f32) } else { x };
            let force: Vec<[f64; 3]> =
                points.iter().map(|_| [0; 3].map(|_| held(random.between(-1e-3, 1e-3)))).collect();
            rank.cloud.write_force(&gpu, precision, &force);
            run(&gpu, |recorder| {
                rank.coupling.record_interpolate(recorder, 7, 2);
                rank.coupling.record_clear(recorder, true);
                rank.coupling.record_spread(recorder, 8);
            });
            let (drift, broken) = (rank.cloud.drift(&gpu), rank.cloud.broken(&gpu));
            let mut spread = vec![[0; 3]; domain.sites.len()];
            rank.collect(&gpu, &mut spread);

            let mut expected = vec![[0.0; 3]; domain.sites.len()];
            // Of a vertex's force, each node's share may be off by a quantum and the rounding of the arithmetic.
            let mut allowed = vec![[1e-3 / FORCE_SCALE; 3]; domain.sites.len()];
            let (mut total, mut in_walls, mut held_back, mut work, mut rounding) = ([0; 3], 0, 0, [0.0; 2], 1e-9);
            let tolerance = if precision == Precision::F32 { 5e-7 } else { 4e-8 };
            let epsilon = if precision == Precision::F32 { 4.0 * f64::from(f32::EPSILON) } else { 1e-15 };
            for (v, &at) in points.iter().enumerate() {
                let around = nodes(domain, support, at);
                let sum = sum_of(&around);
                if (sum - LEAST_WEIGHT).abs() < 1e-6 {
                    continue;
                }
                if sum < LEAST_WEIGHT {
                    assert_eq!(
                        (drift[v], Damage::read(broken[v])),
                        ([0; 3], Some((7, Damage::Wall))),
                        "{support:?} at {at:?}: {sum}"
                    );
                    in_walls += 1;
                    continue;
                }
                assert_eq!(broken[v], u32::MAX, "{support:?} at {at:?}: {sum}");
                let (distance, gradient) = domain.wall_at(at);
                let steep = gradient.iter().map(|g| g * g).sum::<f64>().sqrt().max(0.1);
                let fluid = |most: f64| {
                    let mut sum = [0.0; 3];
                    for &(n, w) in &around {
                        let u = velocity(domain.dimension, n).map(|u| u.clamp(-most, most));
                        sum = [0, 1, 2].map(|a| sum[a] + w / sum_of(&around) * u[a]);
                    }
                    sum
                };
                held_back += usize::from(distance < SLOW);
                for a in 0..domain.dimension {
                    // Moves of two steps take half as much a step.
                    let wanted = if distance < SLOW {
                        let (u, d, n) = (fluid(0.05 / 2.0), distance.max(0.0), gradient.map(|g| g / steep));
                        let along = (0..3).map(|k| u[k] * n[k]).sum::<f64>();
                        (d / SLIP).min(1.0) * (u[a] - (1.0 - d / SLOW) * along * n[a])
                            + 0.05 * (LEAST - distance).clamp(0.0, 1.0) / 2.0 * n[a]
                    } else {
                        fluid(1.0)[a]
                    };
                    let error = (drift[v][a] as f64 / DRIFT_SCALE - wanted).abs();
                    assert!(error < tolerance, "{support:?} {precision:?}: {error:e}");
                    for &(n, w) in &around {
                        expected[n][a] += force[v][a] * w / sum;
                        allowed[n][a] += 1.0 / FORCE_SCALE + epsilon * force[v][a].abs();
                    }
                    total[a] += (force[v][a] * FORCE_SCALE).round_ties_even() as i64;
                    work[0] += force[v][a] * fluid(1.0)[a];
                }
            }
            assert!(in_walls > 2 && in_walls < 200 && held_back > 20, "{in_walls} in walls, {held_back} at them");
            for (n, (found, wanted)) in spread.iter().zip(&expected).enumerate() {
                for a in 0..domain.dimension {
                    let error = (found[a] as f64 / FORCE_SCALE - wanted[a]).abs();
                    assert!(error <= allowed[n][a], "{support:?} {precision:?}: {error:e} of {:e}", allowed[n][a]);
                    work[1] += found[a] as f64 / FORCE_SCALE * velocity(domain.dimension, n)[a];
                    rounding += allowed[n][a] * velocity(domain.dimension, n)[a].abs();
                }
            }
            let sum = spread.iter().fold([0; 3], |sum, f| [0, 1, 2].map(|a| sum[a] + f[a]));
            assert_eq!(sum, total, "{support:?} {precision:?}: momentum");
            assert!((work[0] - work[1]).abs() < rounding, "{support:?} {precision:?}: adjoint {work:?}");
        }
    }
}

#[test]
fn linear_fields_are_exact_away_from_walls() {
    let gpu = gpu(Precision::F64);
    for (dimension, extent) in [(2, [24, 20, 1]), (3, [14, 12, 13])] {
        let domain = Domain::new(dimension, extent, [false; 3], |_| true);
        let mut random = Random::new(5);
        let inner = |a: usize, random: &mut Random| {
            if a < dimension { random.between(2.0, extent[a] as f64 - 4.0) } else { 0.0 }
        };
        let points: Vec<[i64; 3]> =
            (0..200).map(|_| [0, 1, 2].map(|a| crate::sample::fixed(inner(a, &mut random)))).collect();
        let field = |x: [f64; 3]| {
            [0.01 + 0.003 * x[0] - 0.002 * x[1], 0.004 * x[2] - 0.001 * x[0], 0.02 - 0.003 * x[1] + 0.001 * x[2]]
        };
        for support in SUPPORTS {
            let rank = Rank::new(&gpu, Precision::F64, &domain, support, &points, |_| true);
            rank.write_velocity(&gpu, Precision::F64, |n| field(domain.sites[n].map(f64::from)));
            run(&gpu, |recorder| rank.coupling.record_interpolate(recorder, 0, 1));
            for (at, drift) in points.iter().zip(rank.cloud.drift(&gpu)) {
                let wanted = field(at.map(crate::sample::value));
                for a in 0..dimension {
                    // Half a quantum for each node.
                    let error = (drift[a] as f64 - wanted[a] * DRIFT_SCALE).abs();
                    assert!(error <= 0.5 * 64.0, "{support:?}: {error}");
                }
            }
        }
    }
}

#[test]
fn any_split_of_the_nodes_gives_the_same_bits() {
    let gpu = gpu(Precision::F32);
    for (domain, support) in settings(2) {
        let domain = &domain;
        let mut random = Random::new(23);
        let points = scattered(domain, 300, &mut random);
        let force: Vec<[f64; 3]> = points.iter().map(|_| [0; 3].map(|_| random.between(-1e-3, 1e-3))).collect();
        let owner: Vec<u64> = domain.sites.iter().map(|site| (site[0] as u64 / 5 + random.bits() % 2) % 3).collect();
        // As GPUs do it, or as devices do that neither join nor add two components at once.
        let answer = |owns: &dyn Fn(usize) -> bool, joins: bool| {
            let gpu = if joins { gpu.clone() } else { gpu.clone().without_wide_additions() };
            let rank = Rank::with(&gpu, Precision::F32, domain, support, &points, owns, joins);
            rank.write_velocity(&gpu, Precision::F32, |n| velocity(domain.dimension, n));
            rank.cloud.write_force(&gpu, Precision::F32, &force);
            run(&gpu, |recorder| {
                rank.coupling.record_interpolate(recorder, 3, 1);
                rank.coupling.record_spread(recorder, 3);
            });
            let mut spread = vec![[0; 3]; domain.sites.len()];
            rank.collect(&gpu, &mut spread);
            (rank.cloud.drift(&gpu), spread, rank.cloud.broken(&gpu))
        };
        let whole = answer(&|_| true, false);
        assert!(answer(&|_| true, true) == whole, "{support:?}: joined, two components at once");
        let parts: Vec<_> = (0..3).map(|part| answer(&|n| owner[n] == part, part > 0)).collect();
        let sum = |rows: Vec<&Vec<[i64; 3]>>| -> Vec<[i64; 3]> {
            (0..rows[0].len()).map(|k| [0, 1, 2].map(|a| rows.iter().map(|row| row[k][a]).sum())).collect()
        };
        assert!(sum(parts.iter().map(|part| &part.0).collect()) == whole.0, "{support:?}: drift");
        assert!(sum(parts.iter().map(|part| &part.1).collect()) == whole.1, "{support:?}: force");
        let least = |k: usize| parts.iter().map(|part| part.2[k]).min();
        assert!(whole.2.iter().enumerate().all(|(k, &broken)| least(k) == Some(broken)), "{support:?}: broken");
    }
}

#[test]
fn cells_that_others_hold_too_may_come_later() {
    let gpu = gpu(Precision::F32);
    let domain = Domain::random(3, [false, true, true], 5);
    let points = scattered(&domain, 300, &mut Random::new(29));
    // The second workgroup has no cell that others hold.
    let elsewhere = |slot: u32| slot < 256 && slot % 7 < 3;
    let of = |which: &[Which]| {
        let mut rank = Rank::new(&gpu, Precision::F32, &domain, Support::Two, &points, |_| true);
        rank.write_velocity(&gpu, Precision::F32, |n| velocity(3, n));
        let cells = (0..300).map(|slot| (slot, slot..slot + 1, elsewhere(slot)));
        rank.coupling.tell_apart(&gpu, cells).expect("uploads");
        run(&gpu, |recorder| {
            rank.coupling.record_interpolate(recorder, 3, 1);
            for &which in which {
                rank.coupling.record_advance(recorder, which, 3, 1);
            }
        });
        let stride = rank.cloud.vertices.stride as usize;
        let place: Vec<[i32; 2]> = gpu.download(&rank.cloud.vertices.position, 0, 3 * stride).expect("reads");
        (0..300).map(|v| [0, 1, 2].map(|axis| place[axis * stride + v])).collect::<Vec<_>>()
    };
    let (all, none) = (of(&[Which::All]), of(&[]));
    assert!(of(&[Which::HeldHere, Which::HeldElsewhere]) == all);
    let here = of(&[Which::HeldHere]);
    assert!((0..300).all(|v| here[v] == if elsewhere(v as u32) { none[v] } else { all[v] }));
    assert!((0..300).filter(|v| all[*v] != none[*v]).count() > 200, "most points move");
}

#[test]
fn moving_is_exact_over_many_steps() {
    let gpu = gpu(Precision::F32);
    for dimension in [2, 3] {
        let domain = Domain::random(dimension, [true; 3], 9);
        let mut random = Random::new(31);
        let points = scattered(&domain, 100, &mut random);
        let rank = Rank::new(&gpu, Precision::F32, &domain, Support::Two, &points, |_| true);
        let limit = (FASTEST * DRIFT_SCALE) as i32;
        let mut drift: Vec<i32> = (0..dimension * rank.cloud.stride())
            .map(|_| (f64::from(limit) * random.between(-1.0, 1.0)) as i32)
            .collect();
        drift[..4].copy_from_slice(&[-limit, limit, -1, 0]);
        gpu.upload(&rank.cloud.vertices.drift, 0, &drift).expect("uploads");
        gpu.upload(&rank.cloud.vertices.before, 0, &drift).expect("uploads");
        run(&gpu, |recorder| {
            (0..1000).for_each(|step| rank.coupling.record_advance(recorder, Which::All, step, 1));
            (0..99).for_each(|step| rank.coupling.record_advance(recorder, Which::All, step, 1000));
        });
        for (v, (before, after)) in points.iter().zip(rank.cloud.positions(&gpu)).enumerate() {
            for a in 0..dimension {
                let moved = 2 * 100_000 * i64::from(drift[a * rank.cloud.stride() + v]);
                assert_eq!(after[a], before[a] + moved);
            }
        }
        assert!(rank.cloud.broken(&gpu).iter().all(|&step| step == u32::MAX));
    }
}

#[test]
fn what_no_method_bears_marks_its_cell() {
    let gpu = gpu(Precision::F32);
    let domain = Domain::new(2, [20, 20, 1], [true, true, false], |_| true);
    let points: Vec<[i64; 3]> = (0..6).map(|v| [crate::sample::fixed(2.25 + 2.5 * f64::from(v)); 3]).collect();
    let rank = Rank::new(&gpu, Precision::F32, &domain, Support::Two, &points, |_| true);
    let mut force = vec![[1e-3; 3]; 6];
    force[1][0] = 1.01 * LARGEST_FORCE;
    force[2][1] = f64::NAN;
    force[3][0] = f64::NEG_INFINITY;
    rank.cloud.write_force(&gpu, Precision::F32, &force);
    let drift = [0, 0, 0, 0, (1.01 * FASTEST * DRIFT_SCALE) as i32, i32::MIN];
    gpu.upload(&rank.cloud.vertices.drift, 0, &drift).expect("uploads");
    run(&gpu, |recorder| {
        rank.coupling.record_spread(recorder, 4);
        rank.coupling.record_advance(recorder, Which::All, 9, 1);
        rank.coupling.record_spread(recorder, 12);
    });
    let marks: Vec<_> = rank.cloud.broken(&gpu).into_iter().map(Damage::read).collect();
    let (pushed, fast) = (Some((4, Damage::Contact)), Some((9, Damage::Speed)));
    assert_eq!(marks, [None, pushed, pushed, pushed, fast, fast]);
    let mut spread = vec![[0; 3]; domain.sites.len()];
    rank.collect(&gpu, &mut spread);
    let total: i64 = spread.iter().map(|f| f[1]).sum();
    assert_eq!(total, 6 * (f64::from(1e-3_f32) * FORCE_SCALE).round() as i64);
}

#[test]
fn what_a_node_cannot_hold_is_told() {
    let gpu = gpu(Precision::F32);
    // Two strong ones together are less than the limit, a third is too much; the sum of nine is more than a node can
    // hold. A thousand weak ones do not look. Four that cancel are not too much, in any order.
    let [strong, weak] = [[0.43, 0.0, 0.0], [9e-4, 0.0, 0.0]];
    let [down, back, slant] = [[0.0, -0.43, 0.0], [0.0, 0.0, -0.43], [0.3, -0.43, 0.2]];
    for (dimension, count, force, turns, told) in [
        (2, 2, strong, false, false),
        (2, 3, strong, false, true),
        (2, 9, strong, false, true),
        (2, 900, weak, false, false),
        (2, 3, down, false, true),
        (3, 2, slant, false, false),
        (3, 3, slant, false, true),
        (3, 3, down, false, true),
        (3, 3, back, false, true),
        (3, 9, back, false, true),
        (2, 4, down, true, false),
        (3, 4, slant, true, false),
    ] {
        let extent = [20, 20, if dimension == 3 { 20 } else { 1 }];
        let domain = Domain::new(dimension, extent, [true, true, dimension == 3], |_| true);
        let points = vec![[crate::sample::fixed(5.0); 3]; count];
        let rank = Rank::new(&gpu, Precision::F32, &domain, Support::Two, &points, |_| true);
        let sign = |k: usize| if turns && k % 2 == 1 { -1.0 } else { 1.0 };
        let forces: Vec<[f64; 3]> = (0..count).map(|k| force.map(|f: f64| sign(k) * f64::from(f as f32))).collect();
        rank.cloud.write_force(&gpu, Precision::F32, &forces);
        run(&gpu, |recorder| rank.coupling.record_spread(recorder, 4));
        let marks: Vec<_> = rank.cloud.broken(&gpu).into_iter().filter_map(Damage::read).collect();
        assert_eq!(!marks.is_empty(), told, "{count} of {force:?} in {dimension}-D");
        assert!(marks.iter().all(|&mark| mark == (4, Damage::Crowd)));
        let mut spread = vec![[0; 3]; domain.sites.len()];
        rank.collect(&gpu, &mut spread);
        for axis in 0..dimension {
            let whole: f64 = forces.iter().map(|force| force[axis]).sum();
            let found = spread.iter().map(|f| f[axis] as f64 / FORCE_SCALE).sum::<f64>();
            assert!(told || (found - whole).abs() < 1e-6 && whole < LARGEST_NODE_FORCE, "{found} of {whole}");
        }
    }
}

/// A pillar of one site, a corner, a septum of one site, a flat wall.
fn obstacles(dimension: usize) -> Domain {
    let extent = if dimension == 2 { [24, 20, 1] } else { [24, 20, 12] };
    let solid = move |[x, y, z]: [i32; 3]| {
        let speck = [x, y, if dimension == 3 { z } else { 5 }] == [6, 9, 5];
        let septum = x == 12 && y > 6;
        !(2..=17).contains(&y) || (dimension == 3 && !(1..=10).contains(&z)) || speck || septum || (x >= 17 && y < 8)
    };
    Domain::new(dimension, extent, [true, false, false], move |site| !solid(site))
}

#[test]
fn no_flow_takes_a_vertex_into_the_wall() {
    let gpu = gpu(Precision::F32);
    for (dimension, support, steps) in [
        (2, Support::Two, 1),
        (2, Support::Four, 1),
        (2, Support::Three, 8),
        (3, Support::Two, 1),
        (3, Support::Four, 3),
    ] {
        let domain = obstacles(dimension);
        let mut random = Random::new(41);
        let mut points = scattered(&domain, 600, &mut random);
        points.retain(|&at| domain.wall_at(at).0 > 0.05);
        assert!(points.len() > 200);
        let rank = Rank::new(&gpu, Precision::F32, &domain, support, &points, |_| true);
        // Straight at each wall in turn, with no heed of it.
        let (fastest, mut near) = (0.15 / f64::from(steps), 0);
        for turn in 0..12 {
            let flow = [0, 1, 2].map(|a| fastest * [1.0, -1.0, 0.7][(turn / 4 + a) % 3] * [1.0, -1.0][turn >> a & 1]);
            rank.write_velocity(&gpu, Precision::F32, |_| [0, 1, 2].map(|a| if a < dimension { flow[a] } else { 0.0 }));
            run(&gpu, |recorder| {
                for step in 0..200 / steps {
                    rank.coupling.record_interpolate(recorder, step, steps);
                    rank.coupling.record_advance(recorder, Which::All, step, steps);
                }
            });
            for at in rank.cloud.positions(&gpu) {
                let (distance, _) = domain.wall_at(at);
                assert!(
                    distance > 0.0,
                    "{dimension}-D {support:?} turn {turn}: {distance} at {:?}",
                    at.map(crate::sample::value)
                );
                near += usize::from(distance < SLOW);
            }
        }
        assert!(near > 200, "{near} at walls");
        assert!(rank.cloud.broken(&gpu).iter().all(|&word| word == u32::MAX));
    }
}
