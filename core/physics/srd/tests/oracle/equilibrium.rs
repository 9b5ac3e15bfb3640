//! What a fluid in equilibrium must be: Maxwell's velocities, Poisson's occupancy, one temperature.

use hematite_comm::Solo;
use physics_srd::{Collision, Walls};

use crate::domain::Setting;
use crate::{advance, device, solvent};

/// Moments of the velocities along an axis over the thermal speed.
fn moments(velocities: &[f64]) -> [f64; 3] {
    [2, 4, 6].map(|power| velocities.iter().map(|v| v.powi(power)).sum::<f64>() / velocities.len() as f64)
}

#[test]
fn velocities_become_maxwells_and_occupancies_poissons() {
    for (extent, collision, thermostat) in [
        ([32, 32, 1], Collision::Rotation, 0.0),
        ([12, 12, 12], Collision::Rotation, 1.0),
        ([12, 12, 12], Collision::Andersen, 0.0),
    ] {
        let mut setting = Setting::new(extent, [true, true, extent[2] > 1], None, |_| true);
        setting.parameters.collision = collision;
        setting.parameters.thermostat = thermostat;
        let (dimension, speed, bits) =
            (setting.parameters.dimension, setting.parameters.speed, setting.parameters.bits());
        let gpu = device();
        let (mut particles, _) = solvent(&gpu, &setting);
        // All particles as fast as each other along each axis: far from Maxwell's distribution.
        for (k, particle) in particles.iter_mut().enumerate() {
            let sign = |a: usize| if (k >> a) & 1 == 0 { 1.0 } else { -1.0 };
            particle.velocity = [0, 1, 2].map(|a| if a < dimension { (speed * sign(a)) as f32 } else { 0.0 });
        }
        let cells = physics_srd::Cells::new(&gpu, &Solo, &setting.ground, &setting.parameters).expect("cells");
        let mut solvent =
            physics_srd::Solvent::new(&gpu, &Solo, (&setting.parameters, cells), &particles).expect("a solvent");
        solvent.count(&Solo, 0).expect("counts");
        let (mut velocities, mut counts) = (Vec::new(), Vec::new());
        let mut step = 30;
        advance(&gpu, &mut solvent, 0..step, [0.0; 3]);
        for _ in 0..12 {
            advance(&gpu, &mut solvent, step..step + 20, [0.0; 3]);
            step += 20;
            let now = solvent.particles().expect("particles");
            velocities.extend(now.iter().flat_map(|p| p.velocity[..dimension].to_vec()).map(|v| f64::from(v) / speed));
            let mut of_site = vec![0.0; extent.iter().product()];
            for particle in &now {
                let [x, y, z] = particle.site(bits).map(|s| s as usize);
                of_site[(z * extent[1] + y) * extent[0] + x] += 1.0;
            }
            counts.extend(of_site);
        }
        // Samples 20 steps apart are nearly independent: five standard deviations of each moment.
        let independent = velocities.len() as f64 / 3.0;
        for (found, (wanted, variance)) in
            moments(&velocities).into_iter().zip([(1.0, 2.0), (3.0, 96.0), (15.0, 10_170.0)])
        {
            let error = 5.0 * f64::sqrt(variance / independent);
            assert!(
                (found - wanted).abs() < error,
                "{collision:?} {extent:?}: moment {found}, not {wanted} +- {error}"
            );
        }
        let mean = counts.iter().sum::<f64>() / counts.len() as f64;
        let variance = counts.iter().map(|n| (n - mean).powi(2)).sum::<f64>() / counts.len() as f64;
        // Poisson's has the variance of the mean, but for the particles being as many as they are.
        let error = 5.0 * mean * (2.0 * 3.0 / counts.len() as f64).sqrt();
        assert!((variance - mean).abs() < error, "{extent:?}: variance {variance}, mean {mean} +- {error}");
    }
}

#[test]
fn walls_leave_the_fluid_in_equilibrium() {
    for walls in [Walls::NoSlip, Walls::BounceBack, Walls::Slip] {
        let mut setting = Setting::new([12, 14, 10], [true, false, true], None, |[_, y, _]| (1..13).contains(&y));
        setting.parameters.walls = walls;
        setting.parameters.thermostat = 0.1;
        setting.parameters.sample_every = 5;
        let gpu = device();
        let (_, mut solvent) = solvent(&gpu, &setting);
        advance(&gpu, &mut solvent, 0..640, [0.0; 3]);
        let (samples, sums) = solvent.averages().expect("averages");
        let scale = setting.parameters.energy_scale() * setting.parameters.speed.powi(2);
        for y in 1..13 {
            let nodes = setting.ground.own_positions().iter().zip(&sums).filter(|(at, _)| at[1] == y);
            let (count, energy) = nodes.fold((0, 0), |(n, e), (_, sums)| (n + sums[0], e + sums[4]));
            let density = count as f64 / samples as f64 / 120.0 / setting.parameters.particles;
            let temperature = energy as f64 / scale / (3.0 * count as f64);
            assert!((density - 1.0).abs() < 0.03, "{walls:?}, layer {y}: density {density}");
            assert!((temperature - 1.0).abs() < 0.02, "{walls:?}, layer {y}: temperature {temperature}");
        }
    }
}
