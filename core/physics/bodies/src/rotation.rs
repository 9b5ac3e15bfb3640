//! Free rotation of rigid bodies; the scheme stands in `rotation.wgsl`.

/// (w, x, y, z): turns the body's frame into space.
pub type Quaternion = [f64; 4];

/// Axis, tangent of half the angle.
fn turn(q: &mut Quaternion, l: &mut [f64; 3], axis: usize, t: f64) {
    let [w, x, y, z] = *q;
    let by = match axis {
        0 => [-x, w, z, -y],
        1 => [-y, -z, w, x],
        _ => [-z, y, -x, w],
    };
    for (q, by) in q.iter_mut().zip(by) {
        *q += t * by;
    }
    let (a, b) = ((axis + 1) % 3, (axis + 2) % 3);
    l[a] += t * l[b];
    l[b] -= 2.0 * t / (1.0 + t * t) * l[a];
    l[a] += t * l[b];
}

/// A step `dt` of a body with angular momentum `l` in its own frame and principal moments of inertia `inertia`.
pub fn free_rotation(q: &mut Quaternion, l: &mut [f64; 3], inertia: [f64; 3], dt: f64) {
    for (axis, share) in [(0, 0.5), (1, 0.5), (2, 1.0), (1, 0.5), (0, 0.5)] {
        let t = 0.5 * share * dt * l[axis] / inertia[axis];
        turn(q, l, axis, t);
    }
    let norm = q.iter().map(|x| x * x).sum::<f64>().sqrt();
    *q = q.map(|x| x / norm);
}

/// The body's axes in space, one a row.
pub fn axes_of([w, x, y, z]: Quaternion) -> [[f64; 3]; 3] {
    [
        [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y + w * z), 2.0 * (x * z - w * y)],
        [2.0 * (x * y - w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z + w * x)],
        [2.0 * (x * z + w * y), 2.0 * (y * z - w * x), 1.0 - 2.0 * (x * x + y * y)],
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn energy(l: [f64; 3], inertia: [f64; 3]) -> f64 {
        (0..3).map(|k| 0.5 * l[k] * l[k] / inertia[k]).sum()
    }

    /// Mean and largest departure of the kinetic energy, and of |L|, over `steps` steps.
    fn departures(steps: usize, dt: f64) -> ([f64; 2], f64) {
        let inertia = [1.0, 1.7, 2.4];
        let (mut q, mut l) = ([1.0, 0.0, 0.0, 0.0], [0.3, 1.1, 0.9]);
        let size = |l: [f64; 3]| l.iter().map(|x| x * x).sum::<f64>().sqrt();
        let (first, initial) = (energy(l, inertia), size(l));
        let (mut largest, mut late, mut longest) = (0.0f64, 0.0f64, 0.0f64);
        for step in 0..steps {
            free_rotation(&mut q, &mut l, inertia, dt);
            let departure = (energy(l, inertia) / first - 1.0).abs();
            let half = if step < steps / 2 { &mut largest } else { &mut late };
            *half = half.max(departure);
            longest = longest.max((size(l) / initial - 1.0).abs());
            assert!((q.iter().map(|x| x * x).sum::<f64>() - 1.0).abs() < 1e-14);
        }
        ([largest, late], longest)
    }

    #[test]
    fn energy_does_not_drift_and_momentum_is_kept() {
        let ([early, late], momentum) = departures(1_000_000, 0.1);
        println!("energy {early:.3e} {late:.3e}, momentum {momentum:.1e}");
        assert!((late / early - 1.0).abs() < 1e-3);
        assert!(momentum < 1e-12);
    }

    #[test]
    fn the_error_of_energy_is_of_second_order() {
        let [[coarse, _], [fine, _]] = [(4_000, 0.1), (8_000, 0.05)].map(|(steps, dt)| departures(steps, dt).0);
        println!("energy {coarse:.3e} {fine:.3e}");
        assert!((coarse / fine - 4.0).abs() < 0.1);
    }

    #[test]
    fn momentum_stays_in_space() {
        let inertia = [1.0, 1.7, 2.4];
        let (mut q, mut l) = ([0.5, 0.5, -0.5, 0.5], [0.3, 1.1, 0.9]);
        let in_space = |q, l: [f64; 3]| [0, 1, 2].map(|i| (0..3).map(|k| axes_of(q)[k][i] * l[k]).sum::<f64>());
        let first = in_space(q, l);
        for _ in 0..10_000 {
            free_rotation(&mut q, &mut l, inertia, 0.1);
        }
        for (now, then) in in_space(q, l).into_iter().zip(first) {
            assert!((now - then).abs() < 1e-12, "{now} {then}");
        }
    }
}
