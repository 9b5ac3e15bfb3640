//! Equilibrium populations, in f64 on the host.

use hematite_case::VelocitySet;

/// Density deviation and velocity of a node, lattice units.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct State {
    /// `rho - 1`.
    pub drho: f64,
    /// Velocity; z = 0 in 2-D.
    pub u: [f64; 3],
}

/// Shifted equilibrium population `e_i - w_i = w_i (drho + 3 c.u + 9/2 (c.u)^2 - 3/2 u^2)` of direction `i` with
/// velocity `c`. He and Luo, J. Stat. Phys. 88 (1997) 927, with `rho_0 = 1`.
pub fn equilibrium(set: VelocitySet, i: usize, c: [i32; 3], state: &State) -> f64 {
    let dot = |a: [f64; 3]| a.iter().zip(state.u).map(|(a, u)| a * u).sum::<f64>();
    let cu = dot(c.map(f64::from));
    let uu = dot(state.u);
    set.weight(i) * (state.drho + 3.0 * cu + 4.5 * cu * cu - 1.5 * uu)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn its_moments_are_the_state() {
        let state = State { drho: 0.01, u: [0.02, -0.03, 0.05] };
        for set in [VelocitySet::D2Q9, VelocitySet::D3Q19] {
            let state = State { u: if set == VelocitySet::D2Q9 { [0.02, -0.03, 0.0] } else { state.u }, ..state };
            let e: Vec<f64> =
                set.velocities().iter().enumerate().map(|(i, &c)| equilibrium(set, i, c, &state)).collect();
            let sum: f64 = e.iter().sum();
            assert!((sum - state.drho).abs() < 1e-16);
            for axis in 0..3 {
                let momentum: f64 = e.iter().zip(set.velocities()).map(|(e, c)| e * f64::from(c[axis])).sum();
                assert!((momentum - state.u[axis]).abs() < 1e-16);
            }
        }
    }
}
