use hematite_geometry::Site;
use serde_json::{Value, json};

use super::*;
use crate::Lattice;
use crate::fixture::{set, solid};

/// A domain of fluid but for walls at the sites that `wall` tells.
fn lattice(extent: [usize; 3], periodic: [bool; 3], wall: impl Fn([usize; 3]) -> bool) -> Lattice {
    let dimension = if extent[2] == 1 { 2 } else { 3 };
    let mut domain = solid(dimension, extent, periodic);
    for z in 0..extent[2] {
        for y in 0..extent[1] {
            for x in 0..extent[0] {
                if !wall([x, y, z]) {
                    set(&mut domain, [x, y, z], Site::FLUID);
                }
            }
        }
    }
    Lattice::build(&domain).expect("a lattice")
}

fn configs(polymers: &Value) -> Vec<PolymerConfig> {
    serde_json::from_value(polymers.clone()).expect("polymers")
}

fn grown(lattice: &Lattice, polymers: &Value, seed: u64) -> Vec<ChainPopulation> {
    let plans = plan_polymers(lattice, &configs(polymers)).expect("plans");
    grow_polymers(lattice, &plans, seed, &|_| {}).expect("room")
}

/// Positions in spacings from the lowest corner.
fn places(lattice: &Lattice, population: &ChainPopulation) -> Vec<[f64; 3]> {
    let place = |at: &[f64; 3]| [0, 1, 2].map(|a| (at[a] - lattice.origin[a]) / lattice.spacing);
    population.positions.iter().map(place).collect()
}

fn distance(lattice: &Lattice, here: [f64; 3], there: [f64; 3]) -> f64 {
    let along = |a: usize| {
        let (d, extent) = (there[a] - here[a], lattice.extent[a] as f64);
        if lattice.periodic[a] { d - extent * (d / extent).round() } else { d }
    };
    (0..lattice.set.dimension()).map(|a| along(a).powi(2)).sum::<f64>().sqrt()
}

/// Checks bonds, distances of all pairs, and walls by brute force.
fn check(lattice: &Lattice, populations: &[ChainPopulation]) {
    let fluid: std::collections::HashSet<[i32; 3]> = lattice.position.iter().copied().collect();
    let is_fluid = |at: [f64; 3]| {
        fluid.contains(&[0, 1, 2].map(|a| {
            let site = at[a].floor() as i32;
            if lattice.periodic[a] { site.rem_euclid(lattice.extent[a] as i32) } else { site }
        }))
    };
    let mut all: Vec<([f64; 3], f64, usize)> = Vec::new();
    let mut bonds: std::collections::HashSet<[usize; 2]> = std::collections::HashSet::new();
    for population in populations {
        let (n, b) = (population.beads, population.bond / lattice.spacing);
        for chain in places(lattice, population).chunks_exact(n) {
            let first = all.len();
            for (k, &at) in chain.iter().enumerate() {
                all.push((at, population.diameter / lattice.spacing, first + k));
                let next = if k + 1 < n {
                    k + 1
                } else if population.ring {
                    0
                } else {
                    continue;
                };
                let length = (0..3).map(|a| (chain[next][a] - at[a]).powi(2)).sum::<f64>().sqrt();
                assert!((length - b).abs() < 1e-6, "a bond of {length}, wanted {b}");
                let middle = [0, 1, 2].map(|a| 0.5 * (at[a] + chain[next][a]));
                assert!(is_fluid(middle), "a bond through a wall at {middle:?}");
                bonds.extend([[first + k, first + next], [first + next, first + k]]);
            }
        }
    }
    for &(at, diameter, i) in &all {
        assert!(is_fluid(at), "a bead in the wall at {at:?}");
        for &(other, of_other, j) in &all[..i] {
            if diameter > 0.0 && of_other > 0.0 {
                let (r, least) = (distance(lattice, at, other), 0.5 * (diameter + of_other));
                assert!(
                    r > 0.999 * least || bonds.contains(&[i, j]),
                    "beads {i} and {j} are {r} apart, wanted {least}"
                );
            }
        }
    }
}

#[test]
fn chains_and_rings_keep_their_bonds_and_distances() {
    let walled = |[x, y, z]: [usize; 3]| y == 0 || y == 19 || (x > 10 && x < 14 && y > 8) || (z == 3 && y < 6);
    for (extent, periodic) in [([40, 20, 1], [true, false, false]), ([24, 20, 12], [true, false, true])] {
        let lattice = lattice(extent, periodic, walled);
        let polymers = json!([
            {"name": "open", "beads": 12, "bond": "1 um", "count": 9},
            {"name": "ring", "beads": 8, "bond": "0.7 um", "ring": true, "count": 4},
            {"name": "odd", "beads": 9, "bond": "0.9 um", "ring": true, "count": 3},
            {"name": "triangle", "beads": 3, "bond": "0.9 um", "ring": true, "count": 2},
            {"name": "ghost", "beads": 20, "bond": "0.5 um", "diameter": "0 m", "count": 2},
            {"name": "single", "beads": 1, "bond": "1 um", "count": 5},
            {"name": "stretched", "beads": 3, "bond": "2.4 um", "diameter": "0.3 um", "count": 6}
        ]);
        let populations = grown(&lattice, &polymers, 3);
        assert_eq!(populations.iter().map(ChainPopulation::chains).collect::<Vec<_>>(), [9, 4, 3, 2, 2, 5, 6]);
        check(&lattice, &populations);
        assert_eq!(populations, grown(&lattice, &polymers, 3), "the same seed");
        assert_ne!(populations, grown(&lattice, &polymers, 4), "another seed");
    }
}

#[test]
fn long_rings_and_dense_chains_find_room() {
    let flat = lattice([120, 120, 1], [true, true, false], |_| false);
    check(&flat, &grown(&flat, &json!([{"name": "long", "beads": 513, "bond": "1 um", "ring": true, "count": 1}]), 1));
    let wide = lattice([44, 44, 44], [true; 3], |_| false);
    check(&wide, &grown(&wide, &json!([{"name": "long", "beads": 512, "bond": "1 um", "ring": true, "count": 1}]), 1));
    let deep = lattice([30, 30, 30], [true; 3], |_| false);
    let dense = json!([{"name": "dense", "beads": 100, "bond": "1 um", "volume_fraction": 0.2}]);
    let populations = grown(&deep, &dense, 1);
    let share = 0.512 * std::f64::consts::PI / 6.0 * populations[0].positions.len() as f64 / 27_000.0;
    assert!((share - 0.2).abs() < 1e-3, "{share}");
    check(&deep, &populations);
}

#[test]
fn ideal_chains_are_random_walks() {
    let lattice = lattice([60, 60, 60], [true; 3], |_| false);
    let polymers = json!([{"name": "ideal", "beads": 33, "bond": "1 um", "diameter": "0 m", "count": 2000}]);
    let populations = grown(&lattice, &polymers, 1);
    let squared = |chain: &[[f64; 3]]| (0..3).map(|a| (chain[32][a] - chain[0][a]).powi(2)).sum::<f64>();
    let mean = places(&lattice, &populations[0]).chunks_exact(33).map(squared).sum::<f64>() / 2000.0;
    // The relative error of the mean is sqrt(2 / 3 / 2000), 1.8 %.
    assert!((mean / 32.0 - 1.0).abs() < 0.06, "<R^2> = {mean}, wanted 32");
    let centre = places(&lattice, &populations[0]).iter().map(|at| at[0].rem_euclid(60.0)).sum::<f64>() / 66_000.0;
    assert!((centre - 30.0).abs() < 2.0, "{centre}");
}

#[test]
fn what_cannot_be_is_refused() {
    let closed = lattice([30, 12, 1], [true, false, false], |[_, y, _]| y == 0 || y == 11);
    let narrow = lattice([300, 4, 1], [true, false, false], |[_, y, _]| y == 0 || y == 3);
    let chain = json!({"name": "a", "beads": 8, "bond": "1 um", "count": 2});
    let with = |key: &str, value: Value| {
        let mut changed = chain.clone();
        changed[key] = value;
        changed
    };
    let refused = |lattice: &Lattice, polymers: Value, said: &str| {
        let plans = plan_polymers(lattice, &configs(&polymers));
        let fault = plans.and_then(|plans| grow_polymers(lattice, &plans, 1, &|_| {})).expect_err(said);
        assert!(fault.message.contains(said), "{fault}, wanted {said}");
    };
    refused(&closed, json!([with("beads", json!(0))]), "key \"beads\" is 0");
    refused(&closed, json!([with("bond", json!("0 um"))]), "key \"bond\" is 0");
    refused(&closed, json!([with("diameter", json!("2 um"))]), "key \"diameter\" is 2.000e-6 m");
    refused(&closed, json!([with("diameter", json!("-1 um"))]), "key \"diameter\"");
    refused(&closed, json!([with("count", json!(0))]), "key \"count\" is 0");
    refused(&closed, json!([with("count", Value::Null)]), "exactly one of");
    refused(&closed, json!([with("volume_fraction", json!(0.1))]), "exactly one of");
    refused(&closed, json!([with("name", json!(""))]), "polymers[0]");
    refused(&closed, json!([chain, chain]), "the same name");
    refused(&closed, json!([with("beads", json!(60))]), "more than half the period");
    refused(&closed, json!([with("count", json!(40))]), "the limit is 0.2");
    let ring = json!({"name": "r", "beads": 2, "bond": "1 um", "ring": true, "count": 1});
    refused(&closed, json!([ring]), "rings 3 or more");
    let share = json!({"name": "v", "beads": 8, "bond": "1 um", "volume_fraction": 0.6});
    refused(&closed, json!([share]), "key \"volume_fraction\" is 0.6");
    let fat = json!({"name": "f", "beads": 30, "bond": "4 um", "diameter": "1 um", "ring": true, "count": 1});
    refused(&narrow, json!([fat]), "found room between walls");
}

#[test]
fn shares_at_the_limit_and_single_beads_in_narrow_periods_are_taken() {
    let flat = lattice([80, 80, 1], [true, true, false], |_| false);
    let counts = |polymers: &Value| -> Vec<u64> {
        plan_polymers(&flat, &configs(polymers)).expect("plans").iter().map(|plan| plan.count).collect()
    };
    // 0.1 of 6400 sites over chains of circles 0.8 wide: 181.9 of 7 beads, 424.4 of 3.
    let both = json!([
        {"name": "a", "beads": 7, "bond": "1 um", "volume_fraction": 0.1},
        {"name": "b", "beads": 3, "bond": "1 um", "volume_fraction": 0.1}
    ]);
    assert_eq!(counts(&both), [181, 424]);
    assert_eq!(counts(&json!([{"name": "a", "beads": 1, "bond": "1 um", "volume_fraction": 0.2}])), [2546]);
    let narrow = lattice([1, 20, 1], [true, true, false], |_| false);
    assert_eq!(grown(&narrow, &json!([{"name": "a", "beads": 1, "bond": "1 um", "count": 3}]), 1)[0].chains(), 3);
    let refused = plan_polymers(&narrow, &configs(&json!([{"name": "a", "beads": 2, "bond": "1 um", "count": 1}])));
    let said = refused.expect_err("no room").message;
    assert!(said.contains("key \"bond\" is 1.000e-6 m, more than half the period of 1.000e-6 m along x"), "{said}");
}
