//! The kernels against a time step in plain f64, and what a fluid in equilibrium must be.

mod domain;
mod equilibrium;
mod reference;

use hematite_comm::Solo;
use hematite_engine::{PointNeeds, philox};
use hematite_gpu::{Gpu, Needs, Recorder};
use physics_srd::{Cells, Collision, Particle, Solvent, Walls, at_start};

use domain::Setting;
use reference::Body;

fn device() -> Gpu {
    Gpu::open(0, Needs { checks: true, ..Needs::default() }).expect("a device")
}

/// The particles at the start of a run in `setting`, and a solvent with them.
fn solvent(gpu: &Gpu, setting: &Setting) -> (Vec<Particle>, Solvent) {
    let cells = Cells::new(gpu, &Solo, &setting.ground, &setting.parameters).expect("cells");
    let particles = at_start(&Solo, &setting.ground, &setting.parameters).expect("particles");
    let mut solvent = Solvent::new(gpu, &Solo, (&setting.parameters, cells), &particles).expect("a solvent");
    solvent.count(&Solo, 0).expect("counts");
    (particles, solvent)
}

/// Does the steps `steps`, with a look after every 64th.
fn advance(gpu: &Gpu, solvent: &mut Solvent, steps: std::ops::Range<u64>, kick: [f64; 3]) {
    for step in steps {
        let mut recorder = Recorder::new(gpu);
        solvent.record_step(&Solo, &mut recorder, step, kick).expect("steps");
        solvent.record_sums(&Solo, &mut recorder, step, kick).expect("sums");
        recorder.submit();
        if (step + 1) % 64 == 0 {
            solvent.look(&Solo, step + 1).expect("a sound state");
        }
    }
}

fn sorted(mut particles: Vec<Particle>) -> Vec<Particle> {
    particles.sort_by_key(|particle| particle.label);
    particles
}

/// A third of the sites are wall, at random.
fn random_sites(seed: u32) -> impl Fn([usize; 3]) -> bool {
    move |[x, y, z]| !philox([x as u32, y as u32, z as u32, seed], [0, 0])[0].is_multiple_of(3)
}

/// Compares one step of the device with the reference; `kick` is half a step's acceleration.
fn one_step(setting: &Setting, kick: [f64; 3], lid: [f64; 3]) {
    let gpu = device();
    let (particles, mut solvent) = solvent(&gpu, setting);
    let particles = sorted(particles);
    let mut bodies: Vec<Body> = particles.iter().map(|particle| Body::of(setting, particle)).collect();
    match setting.parameters.collision {
        Collision::Rotation => reference::collide(setting, &mut bodies, 0),
        Collision::Andersen => andersen(setting, &particles, &mut bodies),
    }
    for body in &mut bodies {
        body.v = [0, 1, 2].map(|a| body.v[a] + kick[a]);
        reference::fly(setting, body, lid);
        body.v = [0, 1, 2].map(|a| body.v[a] + kick[a]);
    }
    advance(&gpu, &mut solvent, 0..1, kick);
    let found = sorted(solvent.particles().expect("particles"));
    assert_eq!(found.len(), bodies.len());
    let (mut compared, mut bounced) = (0, 0);
    for ((body, found), before) in bodies.iter().zip(&found).zip(&particles) {
        if body.doubt < 1e-4 {
            continue;
        }
        let at = Body::of(setting, found);
        for a in 0..3 {
            let extent = setting.parameters.extent[a] as f64;
            let wrapped = if setting.parameters.periodic[a] { body.x[a].rem_euclid(extent) } else { body.x[a] };
            let off = (at.x[a] - wrapped).abs();
            assert!(off < 2e-5 || extent - off < 2e-5, "{before:?}: at {:?}, wanted {body:?}", at.x);
            assert!((at.v[a] - body.v[a]).abs() < 3e-6, "{before:?}: {:?}, wanted {body:?}", at.v);
        }
        compared += 1;
        let free = Body::of(setting, before);
        bounced += usize::from((0..3).any(|a| (at.x[a] - free.x[a] - at.v[a]).abs() > 1e-3));
    }
    assert!(compared > bodies.len() * 9 / 10, "{compared} of {} compared", bodies.len());
    assert!(bounced > bodies.len() / 20, "{bounced} met walls or wrapped");
}

/// Andersen's collision in the reference: v' = u + v_ran - sum m v_ran / sum m. The first bodies are `particles`, the others points.
fn andersen(setting: &Setting, particles: &[Particle], bodies: &mut [Body]) {
    let cells = reference::cells(setting, bodies, 0);
    let of_points =
        (0..(bodies.len() - particles.len()) as u32).map(|number| reference::thermal(setting, number, 1, 0));
    let drawn: Vec<[f64; 3]> =
        particles.iter().map(|p| reference::thermal(setting, p.label, 0, 0)).chain(of_points).collect();
    let drawn: Vec<[f64; 3]> = drawn.iter().zip(&*bodies).map(|(v, body)| v.map(|v| v / body.m.sqrt())).collect();
    let before = bodies.to_vec();
    let mean = |of: &dyn Fn(usize) -> [f64; 3], cell: [i32; 3]| {
        let inside: Vec<usize> = (0..cells.len()).filter(|&i| cells[i] == cell).collect();
        let mass: f64 = inside.iter().map(|&i| before[i].m).sum();
        [0, 1, 2].map(|a| inside.iter().map(|&i| before[i].m * of(i)[a]).sum::<f64>() / mass)
    };
    for (i, body) in bodies.iter_mut().enumerate() {
        let (u, drift) = (mean(&|k| before[k].v, cells[i]), mean(&|k| drawn[k], cells[i]));
        body.v = [0, 1, 2].map(|a| u[a] + drawn[i][a] - drift[a]);
    }
}

/// Points of several masses among the particles of `setting`: they collide as the reference has it, and fly nowhere.
fn points_collide(mut setting: Setting) {
    let kick = [2e-3, -1e-3, 0.0];
    setting.parameters.points = Some(PointNeeds { count: 50, heaviest: 12 });
    let gpu = device();
    let (particles, mut solvent) = solvent(&gpu, &setting);
    let particles = sorted(particles);
    let points: Vec<Particle> = particles.iter().step_by(particles.len() / 50).take(50).copied().collect();
    let masses: Vec<u32> = (0..50).map(|i| 1 + i % 12).collect();
    let embedded = solvent.points().expect("points").clone();
    for axis in 0..setting.parameters.dimension {
        let positions: Vec<i32> = points.iter().map(|point| point.position[axis]).collect();
        let velocities: Vec<f32> = points.iter().map(|point| -0.5 * point.velocity[axis]).collect();
        gpu.upload(&embedded.position, 50 * axis, &positions).expect("room");
        gpu.upload(&embedded.velocity, 50 * axis, &velocities).expect("room");
    }
    gpu.upload(&embedded.mass, 0, &masses).expect("room");
    let mut bodies: Vec<Body> = particles.iter().map(|particle| Body::of(&setting, particle)).collect();
    bodies.extend(points.iter().zip(&masses).map(|(point, &m)| {
        let body = Body::of(&setting, point);
        Body { v: body.v.map(|v| -0.5 * v), m: f64::from(m), ..body }
    }));
    let momentum = |bodies: &[Body]| [0, 1, 2].map(|a| bodies.iter().map(|body| body.m * body.v[a]).sum::<f64>());
    let start = momentum(&bodies);
    match setting.parameters.collision {
        Collision::Rotation => reference::collide(&setting, &mut bodies, 0),
        Collision::Andersen => andersen(&setting, &particles, &mut bodies),
    }
    solvent.count(&Solo, 0).expect("counts");
    let totals = solvent.totals(&Solo).expect("totals");
    assert_eq!(totals.mass, particles.len() as i64 + i64::from(masses.iter().sum::<u32>()));
    for a in 0..3 {
        assert!((totals.momentum[a] - start[a]).abs() < 1e-3, "{:?}, wanted {start:?}", totals.momentum);
        assert!((momentum(&bodies)[a] - start[a]).abs() < 1e-9, "the reference");
    }
    advance(&gpu, &mut solvent, 0..1, kick);
    let found: Vec<f32> = gpu.download(&embedded.velocity, 0, 50 * setting.parameters.dimension).expect("velocities");
    for (i, body) in bodies[particles.len()..].iter().enumerate() {
        for a in 0..setting.parameters.dimension {
            let (v, wanted) = (f64::from(found[50 * a + i]), body.v[a] + 2.0 * kick[a]);
            assert!((v - wanted).abs() < 5e-6, "point {i} of mass {}: {v}, wanted {wanted}", body.m);
        }
    }
    // Particles feel the points.
    let after = sorted(solvent.particles().expect("particles"));
    let all = momentum(&bodies[particles.len()..]);
    let of_particles = [0, 1, 2].map(|a| after.iter().map(|p| f64::from(p.velocity[a])).sum::<f64>());
    let n = particles.len() as f64;
    for a in 0..setting.parameters.dimension {
        let wanted = start[a] - all[a] + 2.0 * kick[a] * n;
        assert!((of_particles[a] - wanted).abs() < 1e-3, "{of_particles:?}, wanted {wanted} along {a}");
    }
}

#[test]
fn embedded_points_collide_with_their_masses() {
    for (extent, periodic) in [([12, 9, 1], [true, true, false]), ([7, 8, 6], [true, true, true])] {
        for collision in [Collision::Rotation, Collision::Andersen] {
            let mut setting = Setting::new(extent, periodic, None, |_| true);
            setting.parameters.collision = collision;
            points_collide(setting);
        }
    }
}

#[test]
fn rotations_and_flights_are_those_of_the_reference() {
    for (extent, periodic) in [([19, 14, 1], [true, false, false]), ([11, 9, 8], [true, true, false])] {
        for walls in [Walls::BounceBack, Walls::Slip] {
            let edges = move |[x, y, z]: [usize; 3]| {
                let inner = |a: usize, at: usize| periodic[a] || extent[a] == 1 || (1..extent[a] - 1).contains(&at);
                inner(0, x) && inner(1, y) && inner(2, z)
            };
            let random = random_sites(5);
            let mut setting = Setting::new(extent, periodic, None, move |at| edges(at) && random(at));
            setting.parameters.walls = walls;
            one_step(&setting, [1e-3, -2e-3, 0.0], [0.0; 3]);
        }
    }
}

#[test]
fn moving_walls_push_particles_along() {
    let lid = [0.02, 0.0, -0.01];
    let setting = Setting::new([8, 9, 7], [true, false, true], Some(lid), |[_, y, _]| (1..8).contains(&y));
    one_step(&setting, [0.0; 3], lid);
}

#[test]
fn velocities_are_drawn_anew_by_andersen() {
    let mut setting = Setting::new([7, 6, 5], [true, true, true], None, |_| true);
    setting.parameters.collision = Collision::Andersen;
    one_step(&setting, [0.0; 3], [0.0; 3]);
}

#[test]
fn momentum_and_energy_are_conserved_to_the_last_units() {
    for extent in [[16, 16, 1], [8, 8, 8]] {
        let setting = Setting::new(extent, [true, true, extent[2] > 1], None, |_| true);
        let (gpu, steps) = (device(), 640);
        let (particles, mut solvent) = solvent(&gpu, &setting);
        let start = solvent.totals(&Solo).expect("totals");
        advance(&gpu, &mut solvent, 0..steps, [0.0; 3]);
        let end = solvent.totals(&Solo).expect("totals");
        assert_eq!((start.mass, end.mass), (particles.len() as i64, particles.len() as i64));
        // Each step rounds each momentum to a unit and each velocity to the last bit of f32: they add up like a random walk.
        let unit = 1.0 / setting.parameters.momentum_scale() + f64::from(f32::EPSILON) * setting.parameters.speed;
        let walk = unit * (steps as f64 * particles.len() as f64).sqrt();
        for a in 0..3 {
            let off = (end.momentum[a] - start.momentum[a]).abs();
            assert!(off < 4.0 * walk, "momentum changed by {off:e}, {walk:e} by rounding");
        }
        let off = (end.energy / start.energy - 1.0).abs();
        assert!(off < 5e-9 * steps as f64, "energy changed by {off:e} of itself");
    }
}

/// Cells of two particles that hardly move about their mean, with sums as coarse as for many: an energy that is smaller than what
/// rounding adds to it must not be scaled up.
#[test]
fn the_thermostat_draws_no_energy_from_what_rounding_left() {
    let mut setting = Setting::new([16, 16, 16], [true; 3], None, |_| true);
    setting.parameters.thermostat = 1.0;
    setting.parameters.particles = 200.0;
    let speed = setting.parameters.speed;
    let one = f64::from(1_u32 << setting.parameters.bits());
    let number = |k: u32, purpose: u32| f64::from(philox([k, 0, 0, purpose], [3, 3])[0]) / f64::from(u32::MAX);
    // Half the distance of both velocities, thermal speeds: from 0.0005 to 1.6.
    let apart = |cell: u32| 10.0_f64.powf(3.5 * number(cell, 0) - 3.3);
    let particle = |label: u32| {
        let (cell, sign) = (label / 2, if label.is_multiple_of(2) { 1.0 } else { -1.0 });
        let site = [cell % 16, cell / 16 % 16, cell / 256];
        let common = [4, 5, 6].map(|k| 0.5 * number(cell, k));
        let along = [1.0, 0.0, 0.0].map(|x| x * sign * apart(cell));
        Particle {
            // At the same place of all sites, so that no cell holds particles of two.
            position: site.map(|x| ((f64::from(x) + 0.3) * one) as i32),
            velocity: [0, 1, 2].map(|a| (speed * (common[a] + along[a])) as f32),
            label,
        }
    };
    let particles: Vec<Particle> = (0..2 * 4096).map(particle).collect();
    let gpu = device();
    let cells = Cells::new(&gpu, &Solo, &setting.ground, &setting.parameters).expect("cells");
    let mut solvent = Solvent::new(&gpu, &Solo, (&setting.parameters, cells), &particles).expect("a solvent");
    solvent.count(&Solo, 0).expect("counts");
    advance(&gpu, &mut solvent, 0..1, [0.0; 3]);
    let after = sorted(solvent.particles().expect("particles"));
    // Twice the energy about the mean, kT, before and after.
    let both = after.chunks(2).zip(0..).map(|(pair, cell)| {
        let off = [0, 1, 2].map(|a| f64::from(pair[0].velocity[a] - pair[1].velocity[a]) / speed);
        (2.0 * apart(cell).powi(2), 0.5 * off.iter().map(|v| v * v).sum::<f64>())
    });
    let both: Vec<(f64, f64)> = both.collect();
    let most = both.iter().map(|&(_, energy)| energy).fold(0.0, f64::max);
    assert!(most < 30.0, "an energy of {most:.1} kT was drawn");
    // What the sums know well has the distribution of the temperature: three degrees of freedom.
    let drawn: Vec<f64> = both.iter().filter(|of| of.0 > 0.1).map(|&(_, energy)| energy).collect();
    let mean = drawn.iter().sum::<f64>() / drawn.len() as f64;
    let error = (6.0 / drawn.len() as f64).sqrt();
    assert!((mean - 3.0).abs() < 4.0 * error, "{mean} kT, standard error {error}, of {} cells", drawn.len());
}

/// Of each cell, the sums of velocities, of r x v about the middle of the cell, and of v v, with the number of particles.
fn of_cells(setting: &Setting, cells: &[[i32; 3]], at: &[Body], velocities: &[[f64; 3]]) -> Vec<(usize, [f64; 7])> {
    let s = reference::shift(setting, 0);
    let mut sums: std::collections::BTreeMap<[i32; 3], (usize, [f64; 7])> = std::collections::BTreeMap::new();
    for ((cell, body), v) in cells.iter().zip(at).zip(velocities) {
        let (count, sum) = sums.entry(*cell).or_insert((0, [0.0; 7]));
        let r = [0, 1, 2].map(|a| (body.x[a] + s[a]).rem_euclid(1.0) - 0.5);
        let turning = [r[1] * v[2] - r[2] * v[1], r[2] * v[0] - r[0] * v[2], r[0] * v[1] - r[1] * v[0]];
        let squared = v.iter().map(|v| v * v).sum();
        let all = [v[0], v[1], v[2], turning[0], turning[1], turning[2], squared];
        *count += 1;
        sum.iter_mut().zip(all).for_each(|(sum, term)| *sum += term);
    }
    sums.into_values().collect()
}

#[test]
fn angular_momentum_is_conserved_in_each_cell() {
    for (extent, collision) in [
        ([20, 20, 1], Collision::Rotation),
        ([20, 20, 1], Collision::Andersen),
        ([10, 10, 10], Collision::Rotation),
        ([10, 10, 10], Collision::Andersen),
    ] {
        let mut setting = Setting::new(extent, [true, true, extent[2] > 1], None, |_| true);
        setting.parameters.angular_momentum = true;
        setting.parameters.collision = collision;
        let gpu = device();
        let (particles, mut solvent) = solvent(&gpu, &setting);
        let particles = sorted(particles);
        let at: Vec<Body> = particles.iter().map(|particle| Body::of(&setting, particle)).collect();
        let cells = reference::cells(&setting, &at, 0);
        advance(&gpu, &mut solvent, 0..1, [0.0; 3]);
        let found = sorted(solvent.particles().expect("particles"));
        let now: Vec<[f64; 3]> = found.iter().map(|particle| particle.velocity.map(f64::from)).collect();
        let before: Vec<[f64; 3]> = at.iter().map(|body| body.v).collect();
        let changed = before.iter().zip(&now).filter(|(a, b)| (a[0] - b[0]).abs() > 1e-3).count();
        assert!(changed > particles.len() * 9 / 10, "{changed} of {} collided", particles.len());
        let pairs = of_cells(&setting, &cells, &at, &before).into_iter().zip(of_cells(&setting, &cells, &at, &now));
        for ((count, before), (_, after)) in pairs {
            for k in 0..6 {
                // Two particles very near each other hardly turn: the little that keeps the inverse finite matters there.
                let most = if k < 3 || count > 3 { 2e-5 } else { 3e-3 };
                let off = (before[k] - after[k]).abs();
                assert!(off < most, "{collision:?} {extent:?}: {count} particles, sum {k} changed by {off:e}");
            }
            if collision == Collision::Rotation && count > 3 {
                // The energies of a cell before and after the turn, of which the ratio is taken, are sums of rounded numbers.
                let off = (before[6] - after[6]).abs();
                assert!(off < 1e-3, "{extent:?}: {count} particles, energy changed by {off:e}");
            }
        }
    }
}
