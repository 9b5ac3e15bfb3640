//! Means over the layers of nodes normal to an axis: profiles of flows that do not change along the other axes, and the
//! only smooth ones of fluids that fluctuate.

use hematite_dump::Field;
use hematite_units::number::exact;

use crate::lookup::Nodes;
use crate::plane::AXES;
use crate::table::Table;

/// The means of fields over one layer of nodes.
#[derive(Clone, Debug, PartialEq)]
pub struct Layer {
    /// Where it lies on the axis, m.
    pub at: f64,
    /// Number of its nodes.
    pub nodes: usize,
    /// Mean of each component of each field.
    pub means: Vec<f64>,
}

/// Means over the layers normal to `axis`, ascending; layers without fluid are left out. Each field has its values, node
/// after node, component after component.
pub fn layers(nodes: &Nodes, axis: usize, fields: &[(Field, Vec<f64>)]) -> Vec<Layer> {
    let (first, last) = (nodes.low()[axis], nodes.high()[axis]);
    let width: usize = fields.iter().map(|(field, _)| field.components()).sum();
    let mut found: Vec<Layer> = (first..=last).map(|_| Layer { at: 0.0, nodes: 0, means: vec![0.0; width] }).collect();
    for (n, position) in nodes.grid().position.iter().enumerate() {
        let layer = &mut found[(i64::from(position[axis]) - first) as usize];
        layer.at = nodes.centre(n)[axis];
        layer.nodes += 1;
        let values = fields.iter().flat_map(|(field, values)| &values[n * field.components()..][..field.components()]);
        layer.means.iter_mut().zip(values).for_each(|(sum, value)| *sum += value);
    }
    found.retain(|layer| layer.nodes > 0);
    for layer in &mut found {
        let count = layer.nodes as f64;
        layer.means.iter_mut().for_each(|sum| *sum /= count);
    }
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
        let found = layers(&nodes, 1, &fields);
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
        assert_eq!(layers(&nodes, 1, &[(Field::DENSITY, vec![1.0, 2.0])]).len(), 2);
    }
}
