//! Profiles of rigid bodies across a vessel.

use hematite_cells::vector::length;

use super::Body;
use super::order::alignment;
use crate::lookup::Nodes;
use crate::suspension::bins::Bins;

/// Surroundings of a body, as far as known.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Place {
    /// The node in whose cube the body's centre lies.
    pub node: Option<usize>,
    /// Unit normal of the nearest wall.
    pub wall: Option<[f64; 3]>,
    /// Unit vector along the flow.
    pub flow: Option<[f64; 3]>,
}

/// Means over the bodies whose centres lie in each bin; NaN for bins without bodies.
#[derive(Clone, Debug, PartialEq)]
pub struct Across {
    /// Number density of bodies, 1/m3.
    pub density: Vec<f64>,
    /// (3 (n e)^2 - 1)/2 of the axis of symmetry n and the normal e of the nearest wall.
    pub wall_order: Vec<f64>,
    /// (3 (n e)^2 - 1)/2 of the axis of symmetry n and the direction e of the flow.
    pub flow_order: Vec<f64>,
    /// Speed, m/s.
    pub speed: Vec<f64>,
    /// Magnitude of the angular velocity, rad/s.
    pub spin: Vec<f64>,
}

/// The node in whose cube a point lies.
pub fn node_of(nodes: &Nodes, point: [f64; 3]) -> Option<usize> {
    nodes.at(nodes.coordinate(point).map(|x| x.round() as i64))
}

/// Alignment of a body with a direction, where both are known.
pub fn order(body: &Body, direction: Option<[f64; 3]>) -> Option<f64> {
    Some(alignment(body.symmetry_axis()?, direction?))
}

/// Averages bodies in bins. `spacing`: of the lattice, m. `places`: the surroundings of each body.
pub fn across(bins: &Bins, spacing: f64, bodies: &[Body], places: &[Place]) -> Across {
    let mut number = vec![0.0; bins.nodes.len()];
    let mut sums = vec![[Mean::default(); 4]; bins.nodes.len()];
    for (body, place) in bodies.iter().zip(places) {
        let Some(bin) = place.node.and_then(|node| bins.bin(node)) else { continue };
        number[bin] += 1.0;
        let values = [
            order(body, place.wall),
            order(body, place.flow),
            Some(length(body.velocity)),
            Some(length(body.angular_velocity)),
        ];
        for (sum, value) in sums[bin].iter_mut().zip(values) {
            sum.add(value);
        }
    }
    let mean = |k: usize| sums.iter().map(|sums| sums[k].value()).collect();
    let volume = bins.nodes.iter().map(|&nodes| nodes as f64 * spacing.powi(3));
    Across {
        density: number.iter().zip(volume).map(|(number, volume)| number / volume).collect(),
        wall_order: mean(0),
        flow_order: mean(1),
        speed: mean(2),
        spin: mean(3),
    }
}

/// Sum and number of the values of a mean.
#[derive(Clone, Copy, Default)]
struct Mean {
    sum: f64,
    number: f64,
}

impl Mean {
    fn add(&mut self, value: Option<f64>) {
        if let Some(value) = value {
            self.sum += value;
            self.number += 1.0;
        }
    }

    fn value(self) -> f64 {
        self.sum / self.number
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bodies::bodies;
    use crate::bodies::testing::{frame, z_to};
    use crate::testing::duct;

    #[test]
    fn bodies_are_counted_where_their_centres_are() {
        let grid = duct(8, 8, 8, 0.5);
        let nodes = Nodes::new(&grid).expect("nodes");
        let height: Vec<f64> = (0..grid.position.len()).map(|n| nodes.centre(n)[1] - 0.5).collect();
        let bins = Bins::by_wall(&nodes, &height);
        // Two bodies below with axes normal to the wall, one above with its axis along the wall, one outside.
        let (up, along) = (z_to([0.0, 1.0, 0.0]), z_to([1.0, 0.0, 0.0]));
        let (kinds, mut f) = frame(
            [0.6, 0.6, 0.2],
            &[([2.0, 0.7, 2.0], up), ([3.0, 0.9, 2.0], up), ([2.0, 3.2, 2.0], along), ([9.0, 9.0, 9.0], up)],
        );
        f.velocity = vec![[3.0, 0.0, 4.0], [1.0, 0.0, 0.0], [0.0, 2.0, 0.0], [9.0; 3]];
        f.angular_velocity = vec![[0.0, 0.0, -2.0], [0.0, 0.0, 4.0], [0.0; 3], [9.0; 3]];
        let all = bodies(&kinds, &f).expect("sound");
        let place = |body: &Body| Place {
            node: node_of(&nodes, body.position),
            wall: Some([0.0, 1.0, 0.0]),
            flow: Some([1.0, 0.0, 0.0]),
        };
        let places: Vec<Place> = all.iter().map(place).collect();
        assert_eq!(places[3].node, None);
        let found = across(&bins, 0.5, &all, &places);
        // A layer has 4 x 4 nodes and is 0.5 thick.
        assert!((found.density[0] - 2.0 / 8.0).abs() < 1e-12 && (found.density[5] - 1.0 / 8.0).abs() < 1e-12);
        assert!((found.wall_order[0] - 1.0).abs() < 1e-6 && (found.flow_order[0] + 0.5).abs() < 1e-6, "{found:?}");
        assert!((found.wall_order[5] + 0.5).abs() < 1e-6 && (found.flow_order[5] - 1.0).abs() < 1e-6);
        assert!((found.speed[0] - 3.0).abs() < 1e-6 && (found.spin[0] - 3.0).abs() < 1e-6);
        assert!(found.speed[1].is_nan() && found.density[1] == 0.0);
    }
}
