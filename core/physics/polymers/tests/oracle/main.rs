//! The motion of beads on the device against velocity Verlet in plain f64, with forces from differences of the potential.

mod reference;
mod setting;

use hematite_engine::sites::SOLID;
use physics_polymers::{Bead, Chains, Conformation, Kind, Parameters, repulsive};

use reference::Reference;
use setting::{advance, beads, device, on_device, parameters, random, walk};

/// Harmonic bonds of 0.9 spacings.
fn harmonic() -> Kind {
    Kind {
        beads: 8,
        mass: 10,
        length: 0.9,
        stiffness: 5.0,
        extension: 0.0,
        bending: 0.0,
        energy: 0.0,
        diameter: 0.9,
        cutoff: 1.0,
    }
}

/// Bonds, bends and forces between beads of all forms.
fn kinds() -> Vec<Kind> {
    let wca = Kind { energy: 0.01, diameter: 0.7, cutoff: repulsive(), ..harmonic() };
    vec![
        harmonic(),
        Kind { bending: 0.05, ..harmonic() },
        Kind { extension: 1.4, stiffness: 0.4, ..harmonic() },
        wca,
        Kind { cutoff: 2.5, energy: 0.015, bending: 0.03, ..wca },
        Kind { extension: 1.4, stiffness: 0.4, diameter: 0.8, ..wca },
    ]
}

/// Chains of `lengths` beads, those with an odd number closed, of alternating populations.
fn chains(lengths: &[usize], kinds: usize) -> Chains {
    let mut found = Chains::default();
    for (k, &count) in lengths.iter().enumerate() {
        let (first, last) = (found.links.len() as u32, (found.links.len() + count - 1) as u32);
        let end = |bead: u32| if count % 2 == 1 && count > 2 { bead } else { u32::MAX };
        found.links.extend((first..=last).map(|i| {
            let before = if i == first { end(last) } else { i - 1 };
            let after = if i == last { end(first) } else { i + 1 };
            [before, after, (k % kinds) as u32]
        }));
        found.chains.push([first, count as u32]);
    }
    found
}

/// Places of chains that hardly touch: each in its own row, open ones as zigzags, closed ones on circles, somewhat shaken.
fn places(parameters: &Parameters, chains: &Chains, l: f64) -> Vec<[f64; 3]> {
    let place = |k: usize, i: u32, first: u32, count: u32| {
        let middle = [1.4 + k as f64, 2.1 * k as f64 + 1.2, 4.0];
        let turn = std::f64::consts::TAU / f64::from(count);
        let offset = if chains.links[first as usize][0] == u32::MAX {
            [0.87 * l * f64::from(i), 0.5 * l * f64::from(i % 2)]
        } else {
            let radius = l / (2.0 * (0.5 * turn).sin());
            [radius * (turn * f64::from(i)).cos(), radius * (turn * f64::from(i)).sin()]
        };
        let shaken = |a: u32| 0.1 * (random([first + i, a, 3, 3]) - 0.5);
        let z = if parameters.dimension == 3 { middle[2] + shaken(2) } else { 0.0 };
        [middle[0] + offset[0] + shaken(0), middle[1] + offset[1] + shaken(1), z]
    };
    let of_chain = |(k, &[first, count]): (usize, &[u32; 2])| {
        (0..count).map(move |i| place(k, i, first, count)).collect::<Vec<_>>()
    };
    chains.chains.iter().enumerate().flat_map(of_chain).collect()
}

#[test]
fn a_time_step_is_that_of_the_reference() {
    let gpu = device();
    for dimension in [2, 3] {
        for kind in kinds() {
            let extent = [13, 11, if dimension == 3 { 9 } else { 1 }];
            let mut parameters = parameters(dimension, extent, [true, true, dimension == 3], kind);
            parameters.kinds.push(Kind { mass: 4, diameter: 0.9 * kind.diameter, ..kind });
            let chains = chains(&[2, 6, 5, 1, 3], 2);
            let start = beads(&parameters, &chains, &places(&parameters, &chains, 0.9));
            let mut wanted = Reference::new(&parameters, &chains, &start);
            let (device_beads, _) = on_device(&gpu, &parameters, &chains, |_| 0, &start);
            assert_eq!(device_beads.states().expect("beads"), start);
            wanted.step();
            advance(&gpu, &device_beads, 1);
            device_beads.check(1, &|bead| bead.to_string()).expect("a sound state");
            let found = Reference::new(&parameters, &chains, &device_beads.states().expect("beads"));
            for i in 0..chains.beads() {
                for a in 0..dimension {
                    let (x, v) = (found.x[i][a] - wanted.x[i][a], found.v[i][a] - wanted.v[i][a]);
                    assert!(x.abs() < 2e-5 && v.abs() < 2e-5, "{kind:?}: bead {i} along {a}: off by {x}, {v}");
                }
            }
        }
    }
}

#[test]
fn energies_are_those_of_the_reference_and_are_conserved() {
    let gpu = device();
    for dimension in [2, 3] {
        for kind in kinds() {
            let extent = [13, 11, if dimension == 3 { 9 } else { 1 }];
            let parameters = parameters(dimension, extent, [true, true, dimension == 3], kind);
            let chains = chains(&[2, 6, 5, 1, 3], 1);
            let start = beads(&parameters, &chains, &places(&parameters, &chains, 0.9));
            let (moving, _) = on_device(&gpu, &parameters, &chains, |_| 0, &start);
            let total = |after: usize| {
                let states = moving.states().expect("beads");
                let energy = Conformation::new(&parameters, &chains, &states).energy();
                let reference = Reference::new(&parameters, &chains, &states);
                let potential = energy.bonds + energy.bends + energy.pairs;
                assert!((energy.kinetic - reference.kinetic()).abs() < 1e-9, "{energy:?}");
                assert!((potential - reference.potential()).abs() < 1e-9, "{energy:?} after {after}");
                let momentum = [0, 1, 2].map(|a| reference.v.iter().map(|v| 10.0 * v[a]).sum::<f64>());
                (energy.kinetic + potential, momentum)
            };
            let before = total(0);
            advance(&gpu, &moving, 300);
            moving.check(300, &|bead| bead.to_string()).expect("a sound state");
            let after = total(300);
            let thermal = 0.01 * chains.beads() as f64;
            assert!((after.0 - before.0).abs() < 0.02 * thermal, "{kind:?}: {before:?}, then {after:?}");
            for a in 0..3 {
                assert!((after.1[a] - before.1[a]).abs() < 1e-3, "{kind:?}: {before:?}, then {after:?}");
            }
        }
    }
}

#[test]
fn many_beads_move_as_few() {
    // More beads than one workgroup takes: lists and one dispatch a sub-step; then the same beads in a domain of their own.
    let gpu = device();
    let kind = Kind { energy: 0.01, diameter: 0.7, cutoff: repulsive(), ..harmonic() };
    let parameters = parameters(3, [24, 24, 24], [true; 3], kind);
    let lengths = vec![4; 100];
    let many = chains(&lengths, 1);
    let spread: Vec<[f64; 3]> = (0..100)
        .flat_map(|k| {
            let start = [f64::from(k % 5) * 4.8, f64::from(k / 5 % 5) * 4.8 + 0.5, f64::from(k / 25) * 5.7 + 0.5];
            walk(&parameters, 4, start, 0.9, 7 * k as u32)
        })
        .collect();
    let start = beads(&parameters, &many, &spread);
    let (all, _) = on_device(&gpu, &parameters, &many, |_| 0, &start);
    advance(&gpu, &all, 10);
    all.check(10, &|bead| bead.to_string()).expect("a sound state");
    let together = all.states().expect("beads");
    let (again, _) = on_device(&gpu, &parameters, &many, |_| 0, &start);
    advance(&gpu, &again, 10);
    assert_eq!(together, again.states().expect("beads"), "the same bits again");
    let few = chains(&lengths[..60], 1);
    let (alone, _) = on_device(&gpu, &parameters, &few, |_| 0, &start[..240]);
    advance(&gpu, &alone, 10);
    assert_eq!(together[..100], alone.states().expect("beads")[..100], "beads far from those left out");
}

#[test]
fn beads_stay_in_the_fluid() {
    let gpu = device();
    let lid = [0.05, 0.0, -0.02];
    for (dimension, no_slip) in [(2, true), (2, false), (3, true), (3, false)] {
        let extent = [12, 10, if dimension == 3 { 8 } else { 1 }];
        let kind = Kind { stiffness: 0.5, ..harmonic() };
        let mut parameters = parameters(dimension, extent, [true, false, dimension == 3], kind);
        (parameters.no_slip, parameters.wall_velocities) = (no_slip, vec![[0.0; 3], lid]);
        let wall = |[x, y, z]: [i32; 3]| {
            if y == 9 {
                return 1;
            }
            let block = x > 7 && y > 5 && random([x as u32, y as u32, z as u32, 9]) < 0.6;
            if y == 0 || block { SOLID } else { 0 }
        };
        let chains = chains(&[4, 4, 4, 6, 6], 1);
        let start: Vec<[f64; 3]> =
            (0..chains.beads()).map(|i| [0.5 + 0.25 * i as f64, 2.2, if dimension == 3 { 3.5 } else { 0.0 }]).collect();
        let start = beads(&parameters, &chains, &start);
        let (moving, _) = on_device(&gpu, &parameters, &chains, wall, &start);
        let mut near_lid = 0;
        for step in 0..200 {
            advance(&gpu, &moving, 5);
            moving.check(step, &|bead| bead.to_string()).expect("a sound state");
            for bead in moving.states().expect("beads") {
                let site = bead.position.map(|x| x >> parameters.bits);
                assert_eq!(wall(site), 0, "a bead at {site:?}");
                near_lid += u32::from(site[1] == 8);
            }
        }
        assert!(near_lid > 10, "{near_lid} beads near the lid");
    }
}

#[test]
fn a_moving_wall_pushes_a_bead_along() {
    let gpu = device();
    let lid = [0.05, 0.0, 0.0];
    let mut parameters = parameters(2, [12, 10, 1], [true, false, false], harmonic());
    parameters.wall_velocities = vec![[0.0; 3], lid];
    let chains = chains(&[1], 1);
    let mut start = beads(&parameters, &chains, &[[3.0, 8.9, 0.0]]);
    start[0].velocity = [0.01, 0.3, 0.0];
    let (moving, _) = on_device(&gpu, &parameters, &chains, |[_, y, _]| u32::from(y == 9), &start);
    advance(&gpu, &moving, 1);
    let v = moving.states().expect("beads")[0].velocity;
    assert!((v[0] - 0.09).abs() < 1e-6 && (v[1] + 0.3).abs() < 1e-6, "{v:?}");
}

#[test]
fn a_bond_near_half_a_period_is_told() {
    let gpu = device();
    let kind = Kind { stiffness: 1e-6, ..harmonic() };
    let parameters = parameters(2, [12, 30, 1], [true, false, false], kind);
    let chains = chains(&[2], 1);
    // Along x, half a period is 6; along y there is none.
    for (end, said) in [([7.2, 8.0], false), ([7.6, 8.0], true), ([3.0, 25.0], false)] {
        let mut start = beads(&parameters, &chains, &[[2.0, 8.0, 0.0], [end[0], end[1], 0.0]]);
        start.iter_mut().for_each(|bead| bead.velocity = [0.0; 3]);
        let (pair, _) = on_device(&gpu, &parameters, &chains, |_| 0, &start);
        advance(&gpu, &pair, 1);
        let outcome = pair.check(1, &|bead| format!("bead {bead}"));
        assert_eq!(outcome.is_err_and(|fault| fault.message.contains("half the period")), said, "{end:?}");
    }
}

#[test]
fn the_temperature_of_beads_is_about_the_motion_of_their_chains() {
    let parameters = parameters(3, [20, 20, 20], [true; 3], harmonic());
    let chains = chains(&[2000, 1, 1, 1], 1);
    let mut moving = beads(&parameters, &chains, &vec![[5.0; 3]; 2003]);
    // Uniform velocities of variance (0.1 / sqrt 10)^2 / 3 about 0.
    let wanted = 10.0 * (0.1 / 10.0_f64.sqrt()).powi(2) / 3.0;
    let temperature = |of: &[Bead]| Conformation::new(&parameters, &chains, of).temperature();
    let at_rest = temperature(&moving);
    assert!((at_rest / wanted - 1.0).abs() < 0.05, "{at_rest}, wanted {wanted}");
    moving.iter_mut().for_each(|bead| bead.velocity = [0, 1, 2].map(|a| bead.velocity[a] + [0.3, -0.1, 0.05][a]));
    assert!(
        (temperature(&moving) / at_rest - 1.0).abs() < 1e-4,
        "{} in motion, {at_rest} at rest",
        temperature(&moving)
    );
}
