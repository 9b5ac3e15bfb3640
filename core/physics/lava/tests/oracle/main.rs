//! Steps of the kernels against the same in f64, on random maps with holes.

mod reference;

use std::collections::HashMap;

use hematite_case::{Link, NodeId, Part, VelocitySet};
use hematite_comm::Solo;
use hematite_engine::philox;
use hematite_gpu::{Gpu, Needs, Recorder};
use physics_lava::{Automaton, Parameters, Rheology, State, VentCells, amount, number};
use reference::{Cell, Map};

/// A number from 0 to 1.
fn random(counter: [u32; 4]) -> f64 {
    f64::from(philox(counter, [3, 14])[0]) / f64::from(u32::MAX)
}

fn part(position: &[[i32; 3]]) -> Part {
    let number: HashMap<[i32; 3], u32> = position.iter().copied().zip(0..).collect();
    let link = |at: &[i32; 3], c: [i32; 3]| {
        number.get(&[at[0] + c[0], at[1] + c[1], 0]).map_or(Link::WALL, |&n| Link::node(n))
    };
    let velocities = VelocitySet::D2Q9.velocities();
    let links = velocities[1..].iter().map(|&c| position.iter().map(|at| link(at, c)).collect());
    Part {
        rank: 0,
        parts: 1,
        interior: position.len(),
        own: position.len(),
        id: (0..position.len() as u64).map(NodeId).collect(),
        position: position.to_vec(),
        links: links.collect(),
        neighbours: Vec::new(),
        openings: Vec::new(),
    }
}

fn parameters(isotropic: bool, strength: f64) -> Parameters {
    let rheology = Rheology { a: 2.0, b: 10_000.0, c: 200.0, s_0: strength, t_0: 1360.0, e: 0.01 };
    Parameters {
        dx: 5.0,
        density: 2600.0,
        gravity: 9.81,
        heat_capacity: 1150.0,
        emissivity: 0.9,
        solidus: 1143.0,
        latent_heat: if isotropic { 350e3 } else { 0.0 },
        rheology,
        isotropic,
    }
}

/// A map of `extent` cells with holes, lava in about a third of them.
fn map(extent: [i32; 2], seed: u32, parameters: Parameters) -> Map {
    let mut cells = HashMap::new();
    for y in 0..extent[1] {
        for x in 0..extent[0] {
            let of = |what: u32| random([x as u32, y as u32, seed, what]);
            let lava = if of(0) < 0.4 { 0.1 + 3.0 * of(1) } else { 0.0 };
            let solid = if of(2) < 0.3 { of(3) } else { 0.0 };
            let ground = 0.8 * f64::from(x) + 4.0 * of(4);
            let t = if lava > 0.0 { 1150.0 + 210.0 * of(5) } else { 0.0 };
            if of(6) < 0.85 {
                cells.insert([x, y], Cell { ground, h: lava, t, solid });
            }
        }
    }
    Map { cells, parameters }
}

/// A map on the device.
struct OnDevice {
    gpu: Gpu,
    position: Vec<[i32; 3]>,
    automaton: Automaton,
}

fn on_device(map: &Map, vents: &VentCells) -> OnDevice {
    let gpu = Gpu::open(0, Needs { checks: true, ..Needs::default() }).expect("a device");
    let mut position: Vec<[i32; 3]> = map.cells.keys().map(|at| [at[0], at[1], 0]).collect();
    position.sort_unstable();
    let cells: Vec<Cell> = position.iter().map(|at| map.cells[&[at[0], at[1]]]).collect();
    let elevation: Vec<f32> = cells.iter().map(|cell| cell.ground as f32).collect();
    let mut state = State::empty(cells.len());
    for (n, cell) in cells.iter().enumerate() {
        state.thickness[n] = amount(cell.h);
        state.heat[n] = amount(cell.h * cell.t);
        state.solid[n] = amount(cell.solid);
    }
    let part = part(&position);
    let automaton =
        Automaton::new(&gpu, &Solo, (&part, &map.parameters), (&elevation, vents), (&state, 0, 0.0)).expect("room");
    OnDevice { gpu, position, automaton }
}

const NO_VENTS: VentCells = VentCells { cells: Vec::new(), vents: 0 };

impl OnDevice {
    fn advance(&mut self, steps: u64, dt: f64) {
        let mut recorder = Recorder::new(&self.gpu);
        for step in 0..steps {
            let time = dt * (step + 1) as f64;
            self.automaton.record_step(&Solo, &mut recorder, (step, step), (dt, time)).expect("records");
        }
        recorder.submit();
    }
}

#[test]
fn a_step_is_that_of_the_formula() {
    for (seed, (isotropic, strength)) in (0..).zip([(true, 900.0), (false, 900.0), (true, 0.0), (true, 20_000.0)]) {
        let map = map([23, 17], seed, parameters(isotropic, strength));
        for dt in [0.0, 0.003, 0.2, 300.0] {
            let mut device = on_device(&map, &NO_VENTS);
            device.advance(1, dt);
            let (state, wanted) = (device.automaton.state().expect("a state"), map.step(dt));
            for (n, at) in device.position.iter().enumerate() {
                let cell = wanted[&[at[0], at[1]]];
                let h = number(state.thickness[n]);
                let near = |found: f64, wanted: f64, most: f64| (found - wanted).abs() < most;
                let told = format!("seed {seed}, dt {dt}, cell {at:?}: wanted {cell:?}");
                assert!(near(h, cell.h, 2e-5) && near(number(state.solid[n]), cell.solid, 2e-5), "{told}, h {h}");
                if cell.h > 1e-3 {
                    let t = state.heat[n] as f64 / state.thickness[n] as f64;
                    assert!(near(t, cell.t, 0.05), "{told}, t {t}");
                }
                let had = map.cells[&[at[0], at[1]]].h > 0.0;
                let has = cell.h > 0.0 || cell.solid > map.cells[&[at[0], at[1]]].solid;
                let wanted = if had {
                    0.0
                } else if has {
                    dt as f32
                } else {
                    -1.0
                };
                assert_eq!(state.arrival[n], wanted, "{told}");
            }
        }
    }
}

#[test]
fn nothing_is_lost_in_many_steps() {
    let map = map([40, 33], 9, parameters(true, 300.0));
    let mut device = on_device(&map, &NO_VENTS);
    let before = device.automaton.look().expect("sums").sums;
    // Longer steps than flows allow: then they are limited, and still nothing is lost.
    device.advance(200, 2.0);
    let found = device.automaton.look().expect("sums");
    let after = found.sums;
    assert_eq!(before[0] + before[2], after[0] + after[2], "volume");
    assert_eq!(before[1] + before[3], after[1] + after[3], "heat");
    assert!(after[2] > before[2] && after[3] > before[3] && found.limited > 0, "{found:?}");
}

#[test]
fn steps_are_bounded_by_what_a_bit_more_lava_changes() {
    for (seed, strength) in [(4, 0.0), (5, 500.0)] {
        let parameters = Parameters { isotropic: false, ..parameters(true, strength) };
        let mut map = map([19, 21], seed, parameters);
        // So flat that differences of the surface by a bit of solid lava do not count as slopes of the ground.
        map.cells.values_mut().for_each(|cell| cell.ground *= 0.1);
        let mut device = on_device(&map, &NO_VENTS);
        device.automaton.find_bounds(0);
        let found = device.automaton.bounds().expect("bounds").step;
        let wanted = map.longest_step();
        assert!((found / wanted - 1.0).abs() < 0.02, "found {found}, by differences {wanted}");
    }
}

#[test]
fn vents_fill_their_cells_to_the_last_unit() {
    let parameters = parameters(true, 1e9);
    let mut map = map([12, 9], 2, parameters);
    map.cells.values_mut().for_each(|cell| (cell.h, cell.t) = (0.0, 0.0));
    let cells = vec![[3, 0], [50, 1], [51, 1]];
    let mut device = on_device(&map, &VentCells { cells, vents: 2 });
    let emission = |thickness: u64| {
        let heat = thickness * 1300;
        [thickness as u32, (thickness >> 32) as u32, heat as u32, (heat >> 32) as u32]
    };
    // So strong that nothing flows.
    let steps: Vec<[u32; 4]> = (0..7).flat_map(|k| [emission(amount(0.3) + k), emission(5 * k)]).collect();
    device.automaton.set_emissions(&steps);
    device.advance(7, 1e-9);
    let state = device.automaton.state().expect("a state");
    assert_eq!(state.thickness[3], 7 * amount(0.3) + 21);
    assert_eq!((state.thickness[50], state.thickness[51]), (105, 105));
    assert_eq!(state.thickness.iter().filter(|&&h| h > 0).count(), 3);
    device.automaton.find_bounds(7);
    let depths = device.automaton.bounds().expect("bounds").depths;
    assert!((depths[0] - 2.1).abs() < 1e-6 && depths[1] < 1e-9, "{depths:?}");
}

#[test]
fn lava_freezes_as_fast_as_it_radiates() {
    let parameters = parameters(true, 0.0);
    let (dt, steps, h) = (0.1, 3000, 5.0);
    let cell = Cell { ground: 0.0, h, t: 1143.2, solid: 0.0 };
    let map = Map { cells: HashMap::from([([0, 0], cell)]), parameters };
    let mut device = on_device(&map, &NO_VENTS);
    device.advance(steps, dt);
    let state = device.automaton.state().expect("a state");
    // eps sigma T^4 / (rho L), once the solidus is reached.
    let flux = parameters.cooling() / 3.0 * parameters.heat_of_volume() * parameters.solidus.powi(4);
    let cooled = parameters.heat_of_volume() * h * (cell.t - parameters.solidus) / flux;
    let wanted = flux * (dt * steps as f64 - cooled) / (parameters.density * parameters.latent_heat);
    let found = number(state.solid[0]);
    assert!((found / wanted - 1.0).abs() < 0.005, "{found} m of {wanted} m");
    let t = state.heat[0] as f64 / state.thickness[0] as f64;
    assert!((t - parameters.solidus).abs() < 0.01, "{t} K");
}

#[test]
fn dry_walls_hold_lava_as_missing_cells_do() {
    let parameters = parameters(true, 2000.0);
    // A canyon three cells wide that falls along x, with lava at its upper end.
    let canyon = |wall: Option<f64>| {
        let mut cells = HashMap::new();
        for x in 0..40 {
            for y in 0..5 {
                let ground = 0.1 * f64::from(40 - x);
                let is_floor = (1..4).contains(&y);
                let h = if is_floor && x < 6 { 4.0 } else { 0.0 };
                let t = if h > 0.0 { 1350.0 } else { 0.0 };
                match (is_floor, wall) {
                    (true, _) => cells.insert([x, y], Cell { ground, h, t, solid: 0.0 }),
                    (false, Some(wall)) => cells.insert([x, y], Cell { ground: ground + wall, ..Cell::default() }),
                    (false, None) => None,
                };
            }
        }
        let mut device = on_device(&Map { cells, parameters }, &NO_VENTS);
        device.advance(2000, 0.02);
        let state = device.automaton.state().expect("a state");
        let of = |(n, at): (usize, &[i32; 3])| (*at, state.thickness[n]);
        device.position.iter().enumerate().map(of).filter(|(at, _)| (1..4).contains(&at[1])).collect::<Vec<_>>()
    };
    let alone = canyon(None);
    assert!(alone.iter().any(|(at, h)| at[0] == 8 && *h > 0), "it flows");
    assert_eq!(canyon(Some(20.0)), alone);
}
