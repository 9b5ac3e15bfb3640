//! A time step of the solvent against the same in f64, and what many steps make of velocities against theory.

use hematite_engine::{PointNeeds, normals, philox};
use hematite_gpu::{Gpu, Needs, Recorder};
use physics_langevin::{Parameters, Solvent};

/// Velocities of points by axis and point, and their masses.
struct Points {
    gpu: Gpu,
    solvent: Solvent,
    masses: Vec<u32>,
    dimension: usize,
    step: u64,
}

impl Points {
    fn new(parameters: &Parameters, masses: Vec<u32>, velocities: &[f32]) -> Self {
        let gpu = Gpu::open(0, Needs { checks: true, ..Needs::default() }).expect("a device");
        let heaviest = masses.iter().copied().max().unwrap_or(1);
        let solvent =
            Solvent::new(&gpu, parameters, PointNeeds { count: masses.len() as u32, heaviest }).expect("room");
        gpu.write(&solvent.points().mass, 0, &masses);
        gpu.write(&solvent.points().velocity, 0, velocities);
        Self { gpu, solvent, masses, dimension: parameters.dimension, step: 0 }
    }

    fn advance(&mut self, steps: u64) {
        let mut recorder = Recorder::new(&self.gpu);
        (0..steps).for_each(|k| self.solvent.record_step(&mut recorder, self.step + k));
        recorder.submit();
        self.step += steps;
    }

    fn velocities(&self) -> Vec<f32> {
        let count = self.masses.len() * self.dimension;
        self.gpu.download(&self.solvent.points().velocity, 0, count).expect("velocities")
    }
}

/// Numbers that look random, from -1 to 1.
fn scatter(k: usize) -> f32 {
    let [word, ..] = philox([k as u32, 0, 0, 0], [7, 7]);
    (f64::from(word) / f64::from(u32::MAX) * 2.0 - 1.0) as f32
}

#[test]
fn a_step_is_that_of_the_formula() {
    for dimension in [2, 3] {
        for friction in [1e-4, 0.03, 0.5] {
            let parameters = Parameters { dimension, speed: 0.04, friction, seed: [5, 9] };
            let masses: Vec<u32> = (0..321).map(|i| 1 + i * 7 % 200).collect();
            let before: Vec<f32> = (0..masses.len() * dimension).map(|k| 0.1 * scatter(k)).collect();
            let mut points = Points::new(&parameters, masses.clone(), &before);
            points.advance(3);
            let mut wanted: Vec<f64> = before.iter().map(|&v| f64::from(v)).collect();
            for step in 0..3 {
                for (i, &m) in masses.iter().enumerate() {
                    let [a, b, c, d] = philox([i as u32, step, 32, 2], parameters.seed);
                    let [first, second] = [normals([a, b]), normals([c, d])];
                    let kept = (-friction / f64::from(m)).exp();
                    let stirred = parameters.speed * ((1.0 - kept * kept) / f64::from(m)).sqrt();
                    for (axis, noise) in [first[0], first[1], second[0]][..dimension].iter().enumerate() {
                        let v = &mut wanted[axis * masses.len() + i];
                        *v = kept * *v + stirred * noise;
                    }
                }
            }
            let off =
                points.velocities().iter().zip(&wanted).map(|(&v, w)| (f64::from(v) - w).abs()).fold(0.0, f64::max);
            assert!(off < 1e-7, "{dimension}-D, friction {friction}: off by {off:e}");
        }
    }
}

#[test]
fn velocities_have_the_temperature_and_forget_themselves_by_friction() {
    let parameters = Parameters { dimension: 3, speed: 0.05, friction: 0.2, seed: [1, 0] };
    let count = 20_000;
    let masses: Vec<u32> = (0..count).map(|i| if i % 2 == 0 { 1 } else { 5 }).collect();
    let mut points = Points::new(&parameters, masses.clone(), &vec![0.0; 3 * count as usize]);
    // From rest, for 10 times of friction of the heavier.
    points.advance(250);
    let first = points.velocities();
    points.advance(4);
    let later = points.velocities();
    for (parity, m) in [(0, 1.0), (1, 5.0)] {
        let of = |v: &[f32], w: &[f32]| {
            let all = (0..v.len()).filter(|k| (k % count as usize) % 2 == parity);
            let products: Vec<f64> = all.map(|k| f64::from(v[k]) * f64::from(w[k])).collect();
            products.iter().sum::<f64>() / products.len() as f64
        };
        let square = 0.05 * 0.05 / m;
        // 30 000 numbers: the standard error of their mean square is 0.8 %, that of products less.
        let (found, wanted) = (of(&later, &later), square);
        assert!((found / wanted - 1.0).abs() < 0.035, "<v^2> of mass {m}: {found:e}, wanted {wanted:e}");
        let (found, wanted) = (of(&first, &later), square * (-4.0 * 0.2 / m).exp());
        assert!((found - wanted).abs() < 0.035 * square, "<v(0) v(4)> of mass {m}: {found:e}, wanted {wanted:e}");
    }
}
