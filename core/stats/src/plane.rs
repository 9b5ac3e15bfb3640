//! Planes normal to an axis: the layers of nodes beside them, and the flow through them.

use hematite_config::{Fault, Result};

use crate::lookup::Nodes;

/// A plane normal to an axis.
#[derive(Clone, Debug, PartialEq)]
pub struct Plane {
    /// Its name, used in file names and tables.
    pub name: String,
    /// The axis it is normal to: 0, 1, 2 for x, y, z.
    pub axis: usize,
    /// Where it cuts that axis, in metres.
    pub at: f64,
}

/// The two layers of nodes next to a plane.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Layers {
    /// Lattice position of the lower layer along the axis; the upper one follows it.
    pub lower: i64,
    /// Weight of the upper layer, from 0 to 1.
    pub upper_weight: f64,
}

impl Plane {
    /// The planes through the middle of the domain, `mid_x`, `mid_y` and in 3-D `mid_z`.
    pub fn middles(nodes: &Nodes) -> Vec<Self> {
        let (low, high) = nodes.bounds();
        (0..nodes.grid().dimension.min(3))
            .map(|axis| Self { name: format!("mid_{}", AXES[axis]), axis, at: 0.5 * (low[axis] + high[axis]) })
            .collect()
    }

    /// The layers of nodes on either side of the plane.
    ///
    /// # Errors
    /// A usage fault when the plane misses the box around the nodes; it gives the range.
    pub fn layers(&self, nodes: &Nodes) -> Result<Layers> {
        if self.axis >= nodes.grid().dimension {
            return Err(Fault::usage(format!("plane \"{}\": a 2-D domain has no planes normal to z", self.name)));
        }
        let (low, high) = nodes.bounds();
        let slack = 1e-9 * (high[self.axis] - low[self.axis]);
        if !(low[self.axis] - slack..=high[self.axis] + slack).contains(&self.at) {
            return Err(Fault::usage(format!(
                "plane \"{}\": at {} m misses the fluid, which spans {} = {} m to {} m",
                self.name, self.at, AXES[self.axis], low[self.axis], high[self.axis]
            )));
        }
        let (first, last) = (nodes.low()[self.axis], nodes.high()[self.axis]);
        let point: [f64; 3] = [self.at; 3];
        let place = nodes.coordinate(point)[self.axis].clamp(first as f64, last as f64);
        let nearest = place.round();
        let place = if (place - nearest).abs() < 1e-6 { nearest } else { place };
        Ok(Layers { lower: place.floor() as i64, upper_weight: place - place.floor() })
    }
}

impl Layers {
    /// The nearer layer.
    pub fn nearest(self) -> i64 {
        self.lower + i64::from(self.upper_weight >= 0.5)
    }

    /// Weight of a layer: linear between the two, 0 elsewhere.
    pub fn weight(self, layer: i64) -> f64 {
        match layer - self.lower {
            0 => 1.0 - self.upper_weight,
            1 => self.upper_weight,
            _ => 0.0,
        }
    }
}

/// Flow rate through a plane along its axis, in m3/s: the sum of `u . n dx^2` over the nodes of each layer beside the
/// plane, linear between the layers. In 2-D it is that of a slab one lattice spacing deep.
///
/// `velocity` holds x, y, z a node, in m/s.
///
/// # Errors
/// A usage fault when the plane misses the domain.
pub fn flow_rate(nodes: &Nodes, velocity: &[f64], plane: &Plane) -> Result<f64> {
    let layers = plane.layers(nodes)?;
    let grid = nodes.grid();
    let sum: f64 = grid
        .position
        .iter()
        .zip(velocity.chunks_exact(3))
        .map(|(position, u)| layers.weight(i64::from(position[plane.axis])) * u[plane.axis])
        .sum();
    Ok(sum * grid.spacing * grid.spacing)
}

/// Names of the axes.
pub const AXES: [&str; 3] = ["x", "y", "z"];

/// Columns of the three components of a vector: the axes' names between `before` and `after`.
pub fn xyz(before: &str, after: &str) -> [String; 3] {
    AXES.map(|axis| format!("{before}{axis}{after}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{channel, duct, poiseuille};

    #[test]
    fn plane_poiseuille_flow_rate() {
        let (height, dx, g, mu) = (40, 2.5e-6, 1.0e3, 1.2e-3);
        let grid = channel(7, height, dx);
        let nodes = Nodes::new(&grid).expect("nodes");
        let h = f64::from(height) * dx;
        let velocity: Vec<f64> =
            (0..grid.position.len()).flat_map(|n| [poiseuille(nodes.centre(n)[1], dx, h, g, mu), 0.0, 0.0]).collect();
        let plane = Plane { name: "p".into(), axis: 0, at: 3.2 * dx };
        let per_depth = flow_rate(&nodes, &velocity, &plane).expect("inside") / dx;
        let exact = g * h.powi(3) / (12.0 * mu);
        // The midpoint rule on a parabola is too large by the factor 1 + 1/(2 N^2).
        let midpoint = exact * (1.0 + 0.5 / f64::from(height * height));
        assert!((per_depth / midpoint - 1.0).abs() < 1e-12, "{per_depth} {exact}");
        let along = Plane { name: "q".into(), axis: 1, at: 5.0 * dx };
        assert_eq!(flow_rate(&nodes, &velocity, &along).expect("inside"), 0.0);
    }

    #[test]
    fn planes_interpolate_between_layers() {
        let grid = duct(4, 2, 3, 1.0);
        let nodes = Nodes::new(&grid).expect("nodes");
        // u_x = x of the node's layer, on 6 nodes a layer.
        let velocity: Vec<f64> = grid.position.iter().flat_map(|p| [f64::from(p[0]), 0.0, 0.0]).collect();
        for (at, layer) in [(1.5, 1.0), (2.5, 2.0), (2.75, 2.25), (1.0, 1.0), (5.0, 4.0)] {
            let plane = Plane { name: "p".into(), axis: 0, at };
            let q = flow_rate(&nodes, &velocity, &plane).expect("inside");
            assert!((q - 6.0 * layer).abs() < 1e-12, "{at}: {q}");
        }
        let fault = flow_rate(&nodes, &velocity, &Plane { name: "far".into(), axis: 0, at: 9.0 }).expect_err("outside");
        assert!(fault.message.contains("far") && fault.message.contains("5 m"), "{fault}");
    }
}
