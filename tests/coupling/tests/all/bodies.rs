//! Rigid bodies in the fluid: the same bits on any number of ranks, and momentum kept.

use physics_bodies::State;

use crate::lab::{Lab, kind};

/// A bent pipe whose bends' corners are met by several parts.
fn porous([x, y, z]: [usize; 3]) -> bool {
    let hole = |cx: usize, cy: usize, cz: usize, r: usize| {
        let d = |a: usize, b: usize| a.abs_diff(b).pow(2);
        d(x, cx) + d(y, cy) + d(z, cz) < r * r
    };
    !hole(0, 12, 12, 8) && !hole(32, 12, 12, 8) && !hole(16, 0, 0, 6) && !hole(16, 24, 24, 6) && z > 0 && z < 23
}

fn lab() -> Lab {
    let kinds = vec![kind([1.5, 1.5, 0.6], 1.0, 0.6), kind([0.7, 0.7, 1.4], 0.8, 0.4)];
    let mut lab = Lab::periodic([32, 24, 24], kinds);
    lab.fluid = porous;
    lab.wall = Some(physics_bodies::wall::Wall { epsilon: 1e-3, sigma: 0.5, largest: 0.2 });
    lab.force = [2e-5, 1e-5, 0.0];
    lab.flow = |[_, y, z]| [0.02 * (0.3 * z).sin(), 0.03, 0.01 * (0.5 * y).cos()];
    lab.fill(4, 2);
    lab
}

#[test]
fn bodies_are_the_same_on_any_number_of_ranks() {
    let lab = lab();
    assert!(lab.bodies.len() > 60, "{} bodies", lab.bodies.len());
    let solo = lab.run(1, 120, 60, |_, _| ());
    for ranks in [2, 4] {
        let other = lab.run(ranks, 120, 60, |_, _| ());
        assert_eq!(solo.states.len(), other.states.len());
        for (a, b) in solo.states.iter().zip(&other.states) {
            assert_eq!(a, b, "{ranks} ranks");
        }
        assert!(solo.velocity == other.velocity && solo.force == other.force, "{ranks} ranks");
    }
}

/// Bodies of many sizes, so that lists reach as far as tiles or not, and tiles are of several sizes: each rank sees whatever its bodies and its
/// nodes meet, also where that is more than it has room for at first.
#[test]
fn ranks_see_bodies_of_any_size() {
    let is_full = std::env::var_os("HEMATITE_FULL").is_some();
    let short = [(0.9, 2, 3), (1.4, 3, 5), (1.45, 3, 2)];
    let more: &[_] = if is_full { &[(1.9, 4, 3), (2.4, 5, 5)] } else { &[] };
    for &(size, spacing, ranks) in short.iter().chain(more) {
        let flat = kind([size, size, 0.5 * size], 1.0, 0.6);
        let mut lab = Lab::periodic([32, 24, 24], vec![flat]);
        lab.flow = |[x, y, z]| [0.04 * (0.26 * z).sin(), 0.05 * (0.2 * x).sin(), 0.04 * (0.26 * y).cos()];
        lab.fill(spacing, 0);
        let solo = lab.run(1, 60, 60, |_, _| ());
        let near = |a: &State, b: &State| {
            let apart = |k: usize| {
                let (way, period) = (a.position[k].value() - b.position[k].value(), lab.extent[k] as f64);
                way - period * (way / period).round()
            };
            (0..3).map(|k| apart(k).powi(2)).sum::<f64>() < lab.parameters().range().powi(2)
        };
        let states = &solo.states;
        let pairs: usize = (0..states.len()).map(|i| (0..i).filter(|&j| near(&states[i], &states[j])).count()).sum();
        assert!(10 * pairs > states.len(), "{pairs} of {} bodies of size {size} meet", states.len());
        let all: &[usize] = if is_full { &[2, 3, 5] } else { &[ranks] };
        for &ranks in all {
            let other = lab.run(ranks, 60, 60, |_, _| ());
            assert!(solo == other, "size {size}, {ranks} ranks");
        }
    }
}

#[test]
fn any_number_of_invocations_may_share_a_region() {
    let mut lab = lab();
    let alone = lab.run(1, 60, 60, |_, _| ());
    for (sharing, ranks) in [(2, 1), (64, 1), (16, 2)] {
        lab.sharing = Some(sharing);
        assert!(alone == lab.run(ranks, 60, 60, |_, _| ()), "shared by {sharing}, {ranks} ranks");
    }
}

/// Lists reach as far as large bodies touch, so that many small ones are in each.
#[test]
fn any_number_of_small_bodies_is_near_large_ones() {
    let mut lab = Lab::periodic([40, 24, 24], vec![kind([4.0, 4.0, 3.0], 1.0, 0.6), kind([0.7, 0.7, 0.5], 0.8, 0.4)]);
    lab.sharing = None;
    lab.periodic = [true, false, false];
    lab.fluid = |[_, y, z]| (1..23).contains(&y) && (1..23).contains(&z);
    lab.flow = |[x, y, z]| [0.04 * (0.26 * z).sin(), 0.03 * (0.15 * x).sin(), 0.04 * (0.26 * y).cos()];
    let large = [[10.3, 12.2, 11.7], [30.1, 11.6, 12.4]];
    large.iter().for_each(|&at| lab.put(0, at, [1.0, 0.0, 0.0, 0.0]));
    for (x, y, z) in (0..20 * 100).map(|k| (2 * (k % 20), 3 + 2 * (k / 20 % 10), 3 + 2 * (k / 200))) {
        let at = [x, y, z].map(|place| f64::from(place) + 0.1 * f64::from((x + 2 * y + 3 * z) % 4));
        if large.iter().all(|centre| (0..3).map(|a| (at[a] - centre[a]).powi(2)).sum::<f64>() > 5.5 * 5.5) {
            lab.put(1, at, [1.0, 0.0, 0.0, 0.0]);
        }
    }
    let near = |a: &State, b: &State| {
        (0..3).map(|k| (a.position[k].value() - b.position[k].value()).powi(2)).sum::<f64>()
            < lab.parameters().reach().powi(2)
    };
    let most = lab.bodies.iter().map(|a| lab.bodies.iter().filter(|b| near(a, b)).count()).max();
    assert!(most.is_some_and(|most| most > 200), "{most:?}");
    let solo = lab.run(1, 30, 30, |_, _| ());
    assert_eq!(solo.states.len(), lab.bodies.len());
    assert!(solo == lab.run(3, 30, 30, |_, _| ()));
}

/// More bodies change owners at once than any number before let expect.
#[test]
fn a_sheet_of_bodies_goes_over_to_another_rank() {
    let mut lab = Lab::periodic([48, 24, 24], vec![kind([0.8, 0.8, 0.8], 1.0, 0.6)]);
    lab.flow = |_| [0.09, 0.0, 0.0];
    for (y, z) in (0..36).map(|k| (4 * (k % 6) + 2, 4 * (k / 6) + 2)) {
        lab.put(0, [10.3, f64::from(y), f64::from(z)], [1.0, 0.0, 0.0, 0.0]);
    }
    let lattice_x = |states: &[physics_bodies::State]| states[0].position[0].value();
    let solo = lab.run(1, 300, 300, |_, _| ());
    assert!(lattice_x(&solo.states) > 10.3 + 24.0, "half the domain: at {}", lattice_x(&solo.states));
    let two = lab.run(2, 300, 300, |_, _| ());
    assert!(solo == two);
}

#[test]
fn momentum_is_kept_to_the_quantum_of_forces() {
    let mut lab = Lab::periodic([24, 24, 24], vec![kind([1.5, 1.5, 0.6], 1.0, 0.6), kind([0.7, 0.7, 1.4], 0.8, 0.4)]);
    lab.precision = hematite_engine::Precision::F64;
    lab.flow = |[_, y, z]| [0.02 * (0.26 * z).sin(), 0.03, 0.01 * (0.26 * y).cos()];
    lab.fill(4, 2);
    let early = lab.run(1, 10, 10, |_, _| ()).momentum(&lab.kinds);
    let late = lab.run(1, 210, 100, |_, _| ());
    let moved =
        late.states.iter().zip(&lab.bodies).map(|(now, then)| now.position[1].value() - then.position[1].value());
    assert!(moved.fold(0.0, f64::max) > 2.0, "bodies go with the fluid");
    // Each of a region's nodes rounds its share of the force once a step.
    let quantum = 1.0 / hematite_engine::FORCE_SCALE;
    let roundings = 200.0 * lab.bodies.len() as f64 * 125.0;
    for (a, b) in early.iter().zip(late.momentum(&lab.kinds)) {
        assert!((a - b).abs() < quantum * roundings.sqrt() * 3.0, "{a} became {b}, {:e}", a - b);
    }
}
