//! Chains in a domain, on the device and in plain f64.

use hematite_engine::sites::SiteMap;
use hematite_engine::{EmbeddedPoints, philox, uniform};
use hematite_gpu::{Gpu, Needs, Recorder};
use physics_polymers::{Bead, Beads, Chains, Kind, Parameters};

/// A device whose kernels check their accesses.
pub fn device() -> Gpu {
    Gpu::open(0, Needs { checks: true, ..Needs::default() }).expect("a device")
}

/// A number from 0 to 1.
pub fn random(counter: [u32; 4]) -> f64 {
    uniform(philox(counter, [11, 5])[0])
}

/// The positions of chains: a walk with bonds of length `l` that turns by less than a right angle, from a place.
pub fn walk(parameters: &Parameters, count: usize, start: [f64; 3], l: f64, seed: u32) -> Vec<[f64; 3]> {
    let d = parameters.dimension;
    let mut at = start;
    let mut way = [0.0; 3];
    (0..count as u32)
        .map(|i| {
            let mut new = [0, 1, 2].map(|a| if a < d { random([seed, i, a as u32, 1]) - 0.5 + way[a] } else { 0.0 });
            let length = new.iter().map(|x| x * x).sum::<f64>().sqrt();
            new.iter_mut().for_each(|x| *x /= length);
            way = new;
            let here = at;
            at = [0, 1, 2].map(|a| at[a] + l * way[a]);
            here
        })
        .collect()
}

/// Beads at places in lattice units, with thermal velocities.
pub fn beads(parameters: &Parameters, chains: &Chains, places: &[[f64; 3]]) -> Vec<Bead> {
    let one = f64::from(1_u32 << parameters.bits);
    let bead = |(x, i): (&[f64; 3], u32)| {
        let mut bead = Bead::default();
        let m = f64::from(parameters.kinds[chains.kind(i as usize)].mass);
        for (a, x) in x.iter().enumerate().take(parameters.dimension) {
            let extent = parameters.extent[a] as f64;
            let image = if parameters.periodic[a] { (x / extent).floor() } else { 0.0 };
            bead.image[a] = image as i32;
            bead.position[a] = ((x - image * extent) * one) as i32;
            bead.velocity[a] = ((random([i, a as u32, 0, 2]) - 0.5) * 2.0 * parameters.speed / m.sqrt()) as f32;
        }
        bead
    };
    places.iter().zip(0..).map(bead).collect()
}

/// Puts `beads` on the device, in a domain whose fluid `is_fluid` tells; sites of number 1 or more belong to moving walls.
pub fn on_device(
    gpu: &Gpu,
    parameters: &Parameters,
    chains: &Chains,
    wall: impl Fn([i32; 3]) -> u32,
    beads: &[Bead],
) -> (Beads, EmbeddedPoints) {
    let n = chains.beads() as u32;
    let [x, y, z] = parameters.extent.map(|n| n as i32);
    let all = (0..z).flat_map(|z| (0..y).flat_map(move |y| (0..x).map(move |x| [x, y, z])));
    let known: Vec<([i32; 3], u32)> =
        all.map(|site| (site, wall(site))).filter(|&(_, wall)| wall != hematite_engine::sites::SOLID).collect();
    let fluid: Vec<[i32; 3]> = known.iter().filter(|(_, wall)| *wall == 0).map(|&(site, _)| site).collect();
    let mut map = SiteMap::builder(parameters.dimension, &fluid, 1, parameters.extent, parameters.periodic);
    map.number_as(&known);
    let array = |words: u32| gpu.buffer("test", 4 * u64::from(words)).expect("room");
    let d = parameters.dimension as u32;
    let points = EmbeddedPoints { position: array(d * n), velocity: array(d * n), mass: array(n), count: n };
    let map = map.build(gpu).expect("a map");
    let beads = Beads::new(gpu, (parameters, chains), (map, &points), beads).expect("beads");
    (beads, points)
}

/// Moves beads for so many time steps.
pub fn advance(gpu: &Gpu, beads: &Beads, steps: usize) {
    for _ in 0..steps {
        let mut recorder = Recorder::new(gpu);
        // Late enough that nothing is let pass.
        beads.record_step(&mut recorder, 1000);
        recorder.submit();
    }
}

/// Numbers of a domain of `extent` sites with one population of beads of mass 10.
pub fn parameters(dimension: usize, extent: [usize; 3], periodic: [bool; 3], kind: Kind) -> Parameters {
    Parameters {
        dimension,
        extent,
        periodic,
        bits: 22,
        speed: 0.1,
        flows: true,
        no_slip: true,
        wall_velocities: vec![[0.0; 3]],
        kinds: vec![kind],
        sub_steps: 40,
    }
}
