//! The cap on forces while cells grow.

use hematite_engine::Precision;
use hematite_membrane::NONE;
use physics_cells::Cap;

use crate::sample::{Cloud, Random, gpu, run};

#[test]
fn forces_beyond_the_cap_keep_their_direction() {
    for precision in [Precision::F32, Precision::F64] {
        let gpu = gpu(precision);
        for dimension in [2, 3] {
            let largest = 0.01;
            let mut random = Random::new(dimension as u64);
            let count = 500;
            let mut slot: Vec<u32> = (0..count as u32).collect();
            slot[9] = NONE;
            let cloud = Cloud::with_slots(&gpu, dimension, precision, vec![[0; 3]; count], slot, count as u32);
            let mut force: Vec<[f64; 3]> = (0..count)
                .map(|_| {
                    let size = 10f64.powf(random.between(-5.0, 5.0));
                    [0, 1, 2]
                        .map(|a| if a < dimension { f64::from((size * random.between(-1.0, 1.0)) as f32) } else { 0.0 })
                })
                .collect();
            force[7][0] = f64::NAN;
            force[9] = [0, 1, 2].map(|a| if a < dimension { 1.0 } else { 0.0 });
            cloud.write_force(&gpu, precision, &force);
            let cap = Cap::new(&gpu, precision, dimension, largest, &cloud.vertices).expect("compiles");
            run(&gpu, |recorder| cap.record(recorder));
            let capped = cloud.force(&gpu, precision);
            let mut cut = 0;
            for (v, (before, after)) in force.iter().zip(&capped).enumerate() {
                let length = before.iter().map(|f| f * f).sum::<f64>().sqrt();
                if v == 7 {
                    assert!(after[0].is_nan(), "what is no number is left for others to find");
                } else if v == 9 || length < 0.999_999 * largest {
                    assert_eq!(before, after, "{precision:?} {dimension}-D vertex {v}");
                } else {
                    cut += 1;
                    for a in 0..dimension {
                        let expected = before[a] * (largest / length).min(1.0);
                        assert!((after[a] - expected).abs() < 1e-6 * largest, "{precision:?} {dimension}-D vertex {v}");
                    }
                }
            }
            assert!(cut > 100 && cut < count - 100, "{cut}");
        }
    }
}
