//! What nodes weigh in means. Nodes of a fluid of particles fluctuate, and some had no particle when they were sampled:
//! these have no velocity, and those with one particle no temperature.

use hematite_dump::Field;

/// Temperature of a fluid of particles.
const TEMPERATURE: Field = Field::new("temperature", "K", 1);

/// What each node weighs in means of velocities and temperatures.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Weights(Option<Vec<f64>>);

impl Weights {
    /// Whether a dump with these fields is of a fluid of particles.
    pub fn are_due(fields: &[Field]) -> bool {
        fields.contains(&TEMPERATURE) && fields.contains(&Field::DENSITY)
    }

    /// A fluid of particles with this density at each node.
    pub fn of_particles(density: Vec<f64>) -> Self {
        Self(Some(density))
    }

    /// What node `n` weighs in the mean of a field with this value there.
    pub fn at(&self, field: Field, n: usize, value: f64) -> f64 {
        match &self.0 {
            Some(density) if field == Field::VELOCITY => density[n],
            Some(density) if field == TEMPERATURE && value != 0.0 => density[n],
            Some(_) if field == TEMPERATURE => 0.0,
            _ => 1.0,
        }
    }

    /// Number of nodes without a particle.
    pub fn empty(&self) -> usize {
        self.0.iter().flatten().filter(|&&density| density == 0.0).count()
    }

    /// The mean velocity of a fluid of particles, from x, y, z of each node.
    pub fn mean_velocity(&self, velocity: &[f64]) -> Option<[f64; 3]> {
        let density = self.0.as_ref()?;
        let all = density.iter().sum::<f64>();
        let sum = |a: usize| velocity.iter().skip(a).step_by(3).zip(density).map(|(u, rho)| u * rho).sum::<f64>();
        Some([0, 1, 2].map(|a| sum(a) / all))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_without_particles_weigh_nothing() {
        assert!(Weights::are_due(&[Field::VELOCITY, Field::DENSITY, TEMPERATURE]));
        assert!(!Weights::are_due(&[Field::VELOCITY, Field::DENSITY, Field::PRESSURE]));
        let weights = Weights::of_particles(vec![2.0, 0.0, 6.0]);
        assert_eq!([0, 1, 2].map(|n| weights.at(Field::VELOCITY, n, 0.0)), [2.0, 0.0, 6.0]);
        assert_eq!([300.0, 0.0].map(|value| weights.at(TEMPERATURE, 2, value)), [6.0, 0.0]);
        assert_eq!(weights.at(Field::PRESSURE, 1, -3.0), 1.0);
        assert_eq!(weights.empty(), 1);
        let velocity = [4.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 8.0, 1.0];
        assert_eq!(weights.mean_velocity(&velocity), Some([1.0, 6.0, 1.0]));
        assert_eq!(Weights::default().mean_velocity(&velocity), None);
        assert_eq!(Weights::default().at(Field::VELOCITY, 1, 0.0), 1.0);
    }
}
