//! The flow at one step in a few numbers.

use hematite_units::groups::reynolds;
use serde::Serialize;

use crate::map::speeds;
use crate::weights::Weights;

/// Speed and pressure over all fluid nodes, in SI.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Summary {
    /// Fluid nodes.
    pub nodes: usize,
    /// Largest speed, m/s.
    pub max_speed_m_per_s: f64,
    /// Mean speed, m/s; in a fluid of particles, whose nodes fluctuate, the size of its mean velocity.
    pub mean_speed_m_per_s: f64,
    /// Lowest pressure, Pa.
    pub min_pressure_pa: Option<f64>,
    /// Highest pressure, Pa.
    pub max_pressure_pa: Option<f64>,
    /// Number of values that are not finite; the other statistics leave them out.
    pub not_finite: usize,
    /// Hydraulic diameter, m: four times the fluid volume over the wall area.
    pub hydraulic_diameter_m: Option<f64>,
    /// Reynolds number of the mean speed and the hydraulic diameter.
    pub reynolds: Option<f64>,
}

/// Summarises a velocity field (x, y, z a node, m/s) and a pressure field (Pa).
///
/// `room_per_wall`: volume of a node over the area of all walls, where known, m. `nu`: kinematic viscosity, m2/s.
/// `weights`: what nodes weigh.
pub fn summary(
    velocity: &[f64],
    pressure: Option<&[f64]>,
    room_per_wall: Option<f64>,
    nu: f64,
    weights: &Weights,
) -> Summary {
    let speed = speeds(velocity);
    let nodes = speed.len();
    let finite = || speed.iter().copied().filter(|v| v.is_finite());
    let counted = finite().count();
    let mean_of_speeds = if counted == 0 { 0.0 } else { finite().sum::<f64>() / counted as f64 };
    let mean = weights.mean_velocity(velocity).map_or(mean_of_speeds, |u| u.map(|u| u * u).iter().sum::<f64>().sqrt());
    let pressures = || pressure.into_iter().flatten().copied().filter(|v| v.is_finite());
    let broken_pressures = pressure.map_or(0, |p| p.len() - pressures().count());
    let diameter = room_per_wall.map(|room| 4.0 * nodes as f64 * room).filter(|diameter| diameter.is_finite());
    Summary {
        nodes,
        max_speed_m_per_s: finite().fold(0.0, f64::max),
        mean_speed_m_per_s: mean,
        min_pressure_pa: pressures().reduce(f64::min),
        max_pressure_pa: pressures().reduce(f64::max),
        not_finite: nodes - counted + broken_pressures,
        hydraulic_diameter_m: diameter,
        reynolds: diameter.filter(|_| nu > 0.0).map(|d| reynolds(mean, d, nu)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_channel_has_twice_its_width_as_hydraulic_diameter() {
        // 10 columns of 8 nodes, dx = 0.5, so the channel is 4 wide and its walls are 10 long.
        let velocity: Vec<f64> = (0..80).flat_map(|_| [3.0, 4.0, 0.0]).collect();
        let s = summary(&velocity, Some(&[1.0, -2.0, f64::NAN]), Some(0.25 / 10.0), 2.0, &Weights::default());
        assert_eq!((s.nodes, s.max_speed_m_per_s, s.mean_speed_m_per_s), (80, 5.0, 5.0));
        assert_eq!(s.hydraulic_diameter_m, Some(8.0));
        assert_eq!(s.reynolds, Some(20.0));
        assert_eq!((s.min_pressure_pa, s.max_pressure_pa, s.not_finite), (Some(-2.0), Some(1.0), 1));
    }

    #[test]
    fn fluctuations_of_particles_are_no_flow() {
        let velocity = [3.0, 0.0, 0.0, -3.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0];
        let at_rest = |density: [f64; 4]| {
            let weights = Weights::of_particles(density.to_vec());
            summary(&velocity, None, None, 1.0, &weights).mean_speed_m_per_s
        };
        assert_eq!(at_rest([1.0, 1.0, 2.0, 0.0]), 0.0);
        assert_eq!(at_rest([1.0, 1.0, 0.0, 2.0]), 0.5);
    }
}
