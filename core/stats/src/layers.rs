//! Means over the layers of nodes normal to an axis: profiles of flows that do not change along the other axes, and the
//! only smooth ones of fluids that fluctuate.

use hematite_dump::Field;
use hematite_units::number::exact;

use crate::lookup::Nodes;
use crate::plane::AXES;
use crate::table::Table;
use crate::weights::Weights;

/// The means of fields over one layer of nodes.
#[derive(Clone, Debug, PartialEq)]
pub struct Layer {
    /// Where it lies on the axis, m.
    pub at: f64,
    /// Number of its nodes.
    pub nodes: usize,
    /// Mean of each component of each field; NaN where no node weighs anything.
    pub means: Vec<f64>,
}

/// Means over the layers normal to `axis`, ascending; layers without fluid are left out. Each field has its values, node
/// after node, component after component; in means nodes have `weights`.
pub fn layers(nodes: &Nodes, axis: usize, fields: &[(Field, Vec<f64>)], weights: &Weights) -> Vec<Layer> {
    let (first, last) = (nodes.low()[axis], nodes.high()[axis]);
    let width: usize = fields.iter().map(|(field, _)| field.components()).sum();
    let mut found: Vec<Layer> = (first..=last).map(|_| Layer { at: 0.0, nodes: 0, means: vec![0.0; width] }).collect();
    let mut weight_of = vec![vec![0.0; width]; found.len()];
    for (n, position) in nodes.grid().position.iter().enumerate() {
        let at = (i64::from(position[axis]) - first) as usize;
        let layer = &mut found[at];
        layer.at = nodes.centre(n)[axis];
        layer.nodes += 1;
        let of_node = fields.iter().flat_map(|(field, values)| {
            let values = &values[n * field.components()..][..field.components()];
            values.iter().map(move |&value| (value, weights.at(*field, n, value)))
        });
        for ((sum, weight_sum), (value, weight)) in layer.means.iter_mut().zip(&mut weight_of[at]).zip(of_node) {
            *sum += weight * value;
            *weight_sum += weight;
        }
    }
    for (layer, weights) in found.iter_mut().zip(&weight_of) {
        layer.means.iter_mut().zip(weights).for_each(|(sum, weight)| *sum /= weight);
    }
    found.retain(|layer| layer.nodes > 0);
    found
}

/// The layers as a table, one row a layer.
pub fn table(axis: usize, fields: &[(Field, Vec<f64>)], layers: &[Layer]) -> Table {
    let mut header = vec![format!("{}_m", AXES[axis]), "nodes".to_owned()];
    for (field, _) in fields {
        let unit = match field.unit() {
            "1" => String::new(),
            unit => format!("_{}", unit.replace('/', "_per_").replace(' ', "_")),
        };
        header.extend((0..field.components()).map(|c| format!("{}{unit}", field.component(c))));
    }
    let mut table = Table::new(header);
    for layer in layers {
        let row = [exact(layer.at), layer.nodes.to_string()];
        table.push(row.into_iter().chain(layer.means.iter().map(|&mean| exact(mean))));
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{duct, grid_of};

    #[test]
    fn means_are_those_of_the_nodes_of_each_layer() {
        let grid = duct(4, 3, 2, 1e-6);
        let nodes = Nodes::new(&grid).expect("nodes");
        let along: Vec<f64> = grid.position.iter().map(|p| f64::from(10 * p[1] + p[0])).collect();
        let vectors: Vec<f64> = grid.position.iter().flat_map(|p| p.map(f64::from)).collect();
        let fields = [(Field::DENSITY, along), (Field::VELOCITY, vectors)];
        let found = layers(&nodes, 1, &fields, &Weights::default());
        let wanted = [1.0, 2.0, 3.0].map(|y| vec![10.0 * y + 2.5, 2.5, y, 1.5]);
        assert_eq!(found.iter().map(|layer| layer.means.clone()).collect::<Vec<_>>(), wanted);
        assert!(found.iter().all(|layer| layer.nodes == 8));
        assert!((found[0].at - 1.5e-6).abs() < 1e-18, "{}", found[0].at);
        let table = table(1, &fields, &found);
        assert_eq!(table.header[..3], ["y_m", "nodes", "density_kg_per_m3"]);
        assert_eq!(table.header[3..], ["velocity_x_m_per_s", "velocity_y_m_per_s", "velocity_z_m_per_s"]);
    }

    #[test]
    fn layers_without_fluid_are_left_out() {
        let grid = grid_of(2, 1.0, [[0, 0, 0], [0, 3, 0]].into_iter());
        let nodes = Nodes::new(&grid).expect("nodes");
        assert_eq!(layers(&nodes, 1, &[(Field::DENSITY, vec![1.0, 2.0])], &Weights::default()).len(), 2);
    }

    #[test]
    fn nodes_of_particles_weigh_what_mass_they_have() {
        let grid = grid_of(2, 1.0, [[0, 0, 0], [1, 0, 0], [2, 0, 0], [0, 1, 0]].into_iter());
        let nodes = Nodes::new(&grid).expect("nodes");
        let density = vec![3.0, 0.0, 1.0, 0.0];
        let velocity = vec![2.0, 1.0, 0.0, 0.0, 0.0, 0.0, -2.0, 5.0, 0.0, 0.0, 0.0, 0.0];
        let fields = [(Field::DENSITY, density.clone()), (Field::VELOCITY, velocity)];
        let found = layers(&nodes, 1, &fields, &Weights::of_particles(density));
        assert_eq!(found[0].means, [4.0 / 3.0, 1.0, 2.0, 0.0]);
        assert!(found[1].means[1].is_nan() && found[1].means[0] == 0.0);
    }
}
