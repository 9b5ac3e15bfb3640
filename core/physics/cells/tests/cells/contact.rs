//! Contact between cells and from walls, against sums over all pairs.

use hematite_engine::{DRIFT_SCALE, Precision, Support};
use hematite_gpu::Gpu;
use hematite_membrane::Which;
use physics_cells::{
    BoundingBoxes, Contact, ContactParameters, Coupling, CouplingVariant, LARGEST_PUSH, Morse, SlotContact,
};

use crate::sample::{Cloud, Domain, Random, gpu, run, scattered, shared, value};

/// Quanta of a pair's force in a lattice unit.
const SCALE: f64 = 536_870_912.0;

fn repulsion(r: f64, range: f64) -> f64 {
    (1.0 - r / range).max(0.0).powi(2)
}

fn pressure(parameters: &ContactParameters, r: f64, others: bool) -> f64 {
    let attraction = parameters.morse.filter(|_| others).map_or(0.0, |Morse { energy, distance, width }| {
        let e = ((distance - r) / width).min(1.0).exp();
        let t = ((2.5 * distance - r) / (0.5 * distance)).clamp(0.0, 1.0);
        2.0 * energy / width * (e * e - e) * t * t * (3.0 - 2.0 * t)
    });
    parameters.strength * repulsion(r, parameters.range) + attraction
}

/// From q to p, to the nearest image.
fn apart(domain: &Domain, p: [i64; 3], q: [i64; 3]) -> [f64; 3] {
    [0, 1, 2].map(|a| {
        let (d, n) = (value(p[a] - q[a]), domain.extent[a] as f64);
        if domain.periodic[a] { d - n * (d / n).round() } else { d }
    })
}

fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// Vertices of the cell in each slot but the last, which may have fewer.
const RING: usize = 6;

/// Whether two vertices of one cell are far enough apart along their ring to touch.
fn touch(dimension: usize, count: usize, slot: SlotContact, u: usize, v: usize) -> bool {
    let first = v / RING * RING;
    let ring = RING.min(count - first);
    let apart = u.abs_diff(v);
    dimension == 2 && apart.min(ring - apart) as f32 > slot.beside
}

fn pairs(domain: &Domain, parameters: &ContactParameters, cloud: &Cloud, slots: &[SlotContact]) -> Vec<[f64; 3]> {
    let count = cloud.at.len();
    let of = |v: usize| slots[cloud.slot[v] as usize];
    let force = |v: usize| {
        let mut sum = [0.0; 3];
        let others = |u: usize| cloud.slot[u] != cloud.slot[v];
        for u in (0..count).filter(|&u| others(u) || touch(domain.dimension, count, of(v), u, v)) {
            let d = apart(domain, cloud.at[v], cloud.at[u]);
            let r = dot(d, d).sqrt();
            if r < parameters.range() && r > 0.0 {
                let area = 0.5 * (f64::from(of(v).area) + f64::from(of(u).area));
                sum = [0, 1, 2].map(|a| sum[a] + area * pressure(parameters, r, others(u)) * d[a] / r);
            }
        }
        sum
    };
    (0..count).map(force).collect()
}

struct Setup {
    cloud: Cloud,
    slots: Vec<SlotContact>,
    force: Vec<[f64; 3]>,
}

/// Forces of contact on `points`, which were zero before.
fn answer(
    gpu: &Gpu,
    precision: Precision,
    domain: &Domain,
    parameters: &ContactParameters,
    points: &[[i64; 3]],
    owns: impl Fn(usize) -> bool,
) -> Setup {
    let (map, wall, _) = domain.map(gpu, 12, owns);
    let slot: Vec<u32> = (0..points.len() as u32).map(|v| v / RING as u32).collect();
    let cloud = Cloud::new(gpu, domain.dimension, precision, points.to_vec(), slot);
    let area = |slot: u32| if parameters.alike { 0.7 } else { 0.5 + 0.01 * slot as f32 };
    let sized = |slot: u32| SlotContact { area: area(slot), beside: (slot % 3) as f32 };
    let slots: Vec<SlotContact> = (0..cloud.vertices.slots).map(sized).collect();
    let mut contact = Contact::new(gpu, precision, parameters, 1, &map, &cloud.vertices, &wall).expect("fits");
    contact.write_slots(gpu, &slots).expect("uploads");
    run(gpu, |recorder| contact.record(recorder, 0));
    let once = cloud.force(gpu, precision);
    run(gpu, |recorder| contact.record(recorder, 1));
    let twice = cloud.force(gpu, precision);
    // The second time lists are in another order; forces add up, and do not change.
    assert!(once.iter().zip(&twice).all(|(f, g)| (0..3).all(|a| 2.0 * f[a] == g[a])));
    // Neither do they in other arrays.
    let mut more = (points.to_vec(), cloud.slot.clone());
    more.0.extend([[0; 3]; 100]);
    more.1.extend([hematite_membrane::NONE; 100]);
    let moved = Cloud::with_slots(gpu, domain.dimension, precision, more.0, more.1, cloud.vertices.slots);
    contact.rebind(gpu, &moved.vertices).expect("fits");
    contact.write_slots(gpu, &slots).expect("uploads");
    run(gpu, |recorder| contact.record(recorder, 2));
    assert!(moved.force(gpu, precision)[..once.len()] == once);
    Setup { cloud, slots, force: once }
}

fn domain(dimension: usize, periodic: [bool; 3]) -> Domain {
    let extent = if dimension == 2 { [37, 29, 1] } else { [21, 18, 23] };
    Domain::new(dimension, extent, periodic, |_| true)
}

#[test]
fn pairs_agree_with_the_sum_over_all_and_cancel() {
    let morse = Some(Morse { energy: 2e-4, distance: 0.6, width: 0.3 });
    let laws = [(1.0, None), (0.4, None), (1.7, None), (3.3, None), (0.5, morse)];
    for precision in [Precision::F32, Precision::F64] {
        let gpu = gpu(precision);
        for (k, (range, morse)) in laws.into_iter().enumerate() {
            let is_full = std::env::var_os("HEMATITE_FULL").is_some();
            let other = 2 + (k + usize::from(precision == Precision::F64)) % 2;
            for dimension in if is_full { vec![2, 3] } else { vec![other] } {
                let periodic = [[true, true, dimension == 3], [false; 3], [false, true, false]][k % 3];
                let alike = k / 2 % 2 == 1;
                let domain = domain(dimension, periodic);
                let parameters = ContactParameters { range, strength: 1e-3, wall_strength: 0.0, morse, alike };
                let points = scattered(&domain, 700, &mut Random::new(3 + k as u64));
                let found = answer(&gpu, precision, &domain, &parameters, &points, |_| true);
                let wanted = pairs(&domain, &parameters, &found.cloud, &found.slots);
                let largest = wanted.iter().flatten().fold(0.0_f64, |m, f| m.max(f.abs()));
                assert!(largest > 1e-5);
                for (f, g) in found.force.iter().zip(&wanted) {
                    for a in 0..dimension {
                        let error = (f[a] - g[a]).abs();
                        let tolerance = 30.0 / SCALE + if precision == Precision::F32 { 2e-6 * largest } else { 0.0 };
                        // exp is f32 everywhere.
                        let tolerance = tolerance + if morse.is_some() { 1e-6 * largest } else { 0.0 };
                        assert!(
                            error < tolerance,
                            "range {range} {dimension}-D {precision:?}: {error:e} of {largest:e}"
                        );
                    }
                }
                for a in 0..dimension {
                    assert_eq!(found.force.iter().map(|f| f[a] * SCALE).sum::<f64>(), 0.0, "range {range}");
                }
            }
        }
    }
}

#[test]
fn a_part_finds_the_same_bits_near_its_nodes() {
    let gpu = gpu(Precision::F32);
    let parameters = ContactParameters { range: 1.7, strength: 1e-3, wall_strength: 2e-3, morse: None, alike: false };
    for dimension in [2, 3] {
        let domain = domain(dimension, [true; 3]);
        let points = scattered(&domain, 700, &mut Random::new(77));
        let all = answer(&gpu, Precision::F32, &domain, &parameters, &points, |_| true);
        let mine = |n: usize| domain.sites[n][0] < 6;
        let part = answer(&gpu, Precision::F32, &domain, &parameters, &points, mine);
        let mut compared = 0;
        for (v, at) in points.iter().enumerate() {
            let x = value(at[0]).rem_euclid(domain.extent[0] as f64);
            if x < 8.0 {
                assert_eq!(all.force[v], part.force[v]);
                compared += 1;
            }
        }
        assert!(compared > 80);
    }
}

#[test]
fn a_wall_nearby_changes_no_bit_of_what_cells_do() {
    // Vertices near a wall have a kernel of their own, and lists made anew may find that it is not near any more.
    let gpu = gpu(Precision::F32);
    for (dimension, periodic) in [(2, [false; 3]), (3, [true, false, true])] {
        let domain = Domain::random(dimension, periodic, 6);
        let points = scattered(&domain, 1500, &mut Random::new(21));
        for (range, alike) in [(1.2, false), (1.7, true)] {
            let forces = |wall_strength: f64| {
                let parameters = ContactParameters { range, strength: 1e-3, wall_strength, morse: None, alike };
                answer(&gpu, Precision::F32, &domain, &parameters, &points, |_| true).force
            };
            let (without, with) = (forces(0.0), forces(1e-2));
            let beyond = |&v: &usize| (range..range + 0.25).contains(&domain.wall_at(points[v]).0);
            let pushed: Vec<usize> = (0..points.len()).filter(beyond).filter(|&v| without[v] != [0.0; 3]).collect();
            assert!(pushed.len() > 40, "{dimension}-D: {}", pushed.len());
            for v in pushed {
                assert_eq!(without[v], with[v], "{dimension}-D, range {range}");
            }
        }
    }
}

#[test]
fn walls_push_along_the_gradient_of_the_distance() {
    for precision in [Precision::F32, Precision::F64] {
        let gpu = gpu(precision);
        for (dimension, periodic) in [(2, [true, true, false]), (3, [true; 3]), (2, [false; 3]), (3, [false; 3])] {
            let domain = Domain::random(dimension, periodic, 6);
            for (range, strength) in [(1.2, 1e-2), (0.7, 0.2)] {
                let parameters =
                    ContactParameters { range, strength: 0.0, wall_strength: strength, morse: None, alike: false };
                let points = scattered(&domain, 500, &mut Random::new(8));
                let found = answer(&gpu, precision, &domain, &parameters, &points, |_| true);
                let (mut largest, mut worst, mut held) = (0.0_f64, 0.0_f64, 0);
                for (v, &at) in points.iter().enumerate() {
                    let (distance, gradient) = domain.wall_at(at);
                    let steep = dot(gradient, gradient).sqrt().max(0.1);
                    let area = f64::from(found.slots[found.cloud.slot[v] as usize].area);
                    let gap = repulsion(distance.max(0.0), range);
                    let push = (strength * area * gap * (1.0 + 2.0 * gap)).min(LARGEST_PUSH);
                    held += usize::from(push > 0.0);
                    for (a, slope) in gradient.into_iter().enumerate().take(dimension) {
                        let wanted = push * slope / steep;
                        largest = largest.max(wanted.abs());
                        worst = worst.max((wanted - found.force[v][a]).abs());
                    }
                }
                let tolerance = if precision == Precision::F32 { 1e-5 } else { 1e-12 };
                assert!(held > 40 && largest > 5e-3 && largest <= LARGEST_PUSH);
                assert!(worst < tolerance, "{dimension}-D {precision:?} {periodic:?}: {worst:e} of {largest:e}");
            }
        }
    }
}

#[test]
fn periods_too_short_for_the_range_are_refused() {
    let gpu = gpu(Precision::F32);
    let domain = Domain::new(2, [9, 40, 1], [true, true, false], |_| true);
    let (map, wall, _) = domain.map(&gpu, 12, |_| true);
    let cloud = Cloud::new(&gpu, 2, Precision::F32, vec![[0; 3]], vec![0]);
    for (range, words) in [(3.0, "along x over 9 sites"), (9.0, "at most 8")] {
        let parameters = ContactParameters { range, strength: 1e-3, wall_strength: 0.0, morse: None, alike: false };
        let fault =
            Contact::new(&gpu, Precision::F32, &parameters, 1, &map, &cloud.vertices, &wall).err().expect("refused");
        assert!(fault.message.contains(words), "{fault}");
    }
}

#[test]
fn boxes_are_those_of_the_vertices() {
    let gpu = gpu(Precision::F32);
    for dimension in [2, 3] {
        let domain = domain(dimension, [true; 3]);
        let mut points = scattered(&domain, 300, &mut Random::new(2));
        // Vertices on sites count as their site alone.
        points[1] = [5 << 32, -3 << 32, if dimension == 3 { 7 << 32 } else { 0 }];
        points[0] = points[1];
        let slot: Vec<u32> = (0..300).map(|v| if v < 2 { 0 } else { 1 + v / 7 }).collect();
        let cloud = Cloud::new(&gpu, dimension, Precision::F32, points, slot);
        let boxes = BoundingBoxes::new(&gpu, dimension, &cloud.vertices).expect("fits");
        for found in [0, 1].map(|_| boxes.read(&gpu).expect("reads")) {
            for (slot, bounds) in (0_u32..).zip(&found) {
                let of = || cloud.at.iter().zip(&cloud.slot).filter(|(_, s)| **s == slot).map(|(at, _)| at);
                for a in 0..dimension {
                    let low = of().map(|at| (at[a] >> 32) as i32).min();
                    let high = of().map(|at| -((-at[a]) >> 32) as i32).max();
                    assert_eq!((Some(bounds.low[a]), Some(bounds.high[a])), (low, high));
                }
            }
        }
    }
}

#[test]
fn kept_lists_give_what_new_ones_would() {
    let gpu = gpu(Precision::F32);
    for dimension in [2, 3] {
        let domain = domain(dimension, [true, false, dimension == 3]);
        let (map, wall, own) = domain.map(&gpu, 12, |_| true);
        let mut random = Random::new(17);
        let points = scattered(&domain, 700, &mut random);
        let slot: Vec<u32> = (0..points.len() as u32).map(|v| v / RING as u32).collect();
        let cloud = Cloud::new(&gpu, dimension, Precision::F32, points, slot);
        let slots = vec![SlotContact { area: 0.8, beside: 1.0 }; cloud.vertices.slots as usize];
        let parameters =
            ContactParameters { range: 0.9, strength: 1e-3, wall_strength: 0.0, morse: None, alike: false };
        let made = || {
            let contact =
                Contact::new(&gpu, Precision::F32, &parameters, 2, &map, &cloud.vertices, &wall).expect("fits");
            contact.write_slots(&gpu, &slots).expect("uploads");
            contact
        };
        let (kept, anew) = (made(), made());
        let nodes = shared(&gpu, dimension, Precision::F32, own.len());
        let variant = CouplingVariant::new(&gpu, Precision::F32, Support::Two);
        let coupling = Coupling::new(&gpu, variant, &map, &wall, &cloud.vertices, &nodes).expect("compiles");
        let still = vec![[0.0; 3]; cloud.at.len()];
        let forces = |contact: &Contact| {
            cloud.write_force(&gpu, Precision::F32, &still);
            run(&gpu, |recorder| contact.record(recorder, 0));
            cloud.force(&gpu, Precision::F32)
        };
        let (mut before, mut changes) = (Vec::new(), 0);
        for step in 0..40 {
            let most = [0.02, 0.1, 0.2][step % 3] * DRIFT_SCALE;
            let count = dimension * cloud.vertices.stride as usize;
            let drift: Vec<i32> = (0..count).map(|_| random.between(-most, most) as i32).collect();
            gpu.upload(&cloud.vertices.drift, 0, &drift).expect("uploads");
            run(&gpu, |recorder| {
                coupling.record_advance(recorder, Which::All, 0, 1);
                coupling.record_advance(recorder, Which::All, 0, 1);
            });
            let found = forces(&kept);
            anew.forget(&gpu);
            assert!(found == forces(&anew), "{dimension}-D, step {step}");
            changes += usize::from(found != before);
            before = found;
        }
        assert_eq!(changes, 40, "vertices meet others all the time");
    }
}
