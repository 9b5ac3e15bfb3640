//! Profiles of pressure and velocity along straight lines.

use hematite_config::{Fault, Result};

use crate::lookup::Nodes;
use crate::plane::AXES;
use crate::table::Table;
use hematite_units::number::exact;

/// A straight line on which values are sampled.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// Its name, used in file names.
    pub name: String,
    /// Where it starts, in metres.
    pub from: [f64; 3],
    /// Where it ends, in metres.
    pub to: [f64; 3],
    /// Number of points on it, both ends included.
    pub points: usize,
}

/// The values at one point of a line, in SI.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    /// Distance from the start of the line, m.
    pub distance: f64,
    /// The point, m.
    pub point: [f64; 3],
    /// Whether the point lies in the cube (2-D: square) around a fluid node.
    pub inside: bool,
    /// Pressure, Pa; `None` outside the fluid or where the dump holds none.
    pub pressure: Option<f64>,
    /// Velocity, m/s; `None` outside the fluid.
    pub velocity: Option<[f64; 3]>,
}

impl Line {
    /// The largest number of points of a line.
    pub const MAX_POINTS: usize = 1_000_000;

    /// Lines across the middle of the domain along each axis, `along_x`, `along_y` and in 3-D `along_z`, with two
    /// points a node but at most 1001.
    pub fn middles(nodes: &Nodes) -> Vec<Self> {
        let (low, high) = nodes.bounds();
        let flat = nodes.grid().dimension == 2;
        (0..nodes.grid().dimension.min(3))
            .map(|axis| {
                let middle = |a: usize| if flat && a == 2 { low[2] } else { 0.5 * (low[a] + high[a]) };
                let end = |side: [f64; 3]| std::array::from_fn(|a| if a == axis { side[a] } else { middle(a) });
                let extent = (nodes.high()[axis] - nodes.low()[axis]) as usize + 1;
                let points = extent.saturating_mul(2).saturating_add(1).min(1001);
                Self { name: format!("along_{}", AXES[axis]), from: end(low), to: end(high), points }
            })
            .collect()
    }

    /// Checks the line and returns its length in metres.
    ///
    /// # Errors
    /// A usage fault when the length is 0, or the points are fewer than 2 or more than [`Line::MAX_POINTS`].
    pub fn check(&self) -> Result<f64> {
        let (name, points) = (&self.name, self.points);
        if !(2..=Self::MAX_POINTS).contains(&points) {
            let most = Self::MAX_POINTS;
            return Err(Fault::usage(format!("line \"{name}\": points is {points}, must be 2 to {most}")));
        }
        let length = (0..3).map(|a| (self.to[a] - self.from[a]).powi(2)).sum::<f64>().sqrt();
        if !(length > 0.0 && length.is_finite()) {
            return Err(Fault::usage(format!("line \"{name}\": from and to are the same point")));
        }
        Ok(length)
    }
}

/// Samples a line by bi- or trilinear interpolation over the fluid nodes around each point. Beside walls, shares the
/// weights of missing nodes among those present.
///
/// `velocity` holds x, y, z a node in m/s, `pressure` one value a node in Pa.
///
/// # Errors
/// As [`Line::check`].
pub fn profile(nodes: &Nodes, line: &Line, velocity: &[f64], pressure: Option<&[f64]>) -> Result<Vec<Sample>> {
    let length = line.check()?;
    Ok((0..line.points)
        .map(|i| {
            let point = line.point(i);
            let x = nodes.coordinate(point);
            let stencil = home(nodes, x).and_then(|_| nodes.stencil(x));
            Sample {
                distance: length * i as f64 / (line.points - 1) as f64,
                point,
                inside: stencil.is_some(),
                pressure: stencil.as_ref().zip(pressure).map(|(s, p)| s.value(p, 1, 0)),
                velocity: stencil.as_ref().map(|s| std::array::from_fn(|c| s.value(velocity, 3, c))),
            }
        })
        .collect())
}

impl Line {
    /// Point number `i` of the line.
    fn point(&self, i: usize) -> [f64; 3] {
        let t = i as f64 / (self.points - 1) as f64;
        std::array::from_fn(|a| self.from[a] + t * (self.to[a] - self.from[a]))
    }

    /// Whether any point of a sound line lies in the fluid.
    pub fn is_in_fluid(&self, nodes: &Nodes) -> bool {
        (0..self.points).any(|i| home(nodes, nodes.coordinate(self.point(i))).is_some())
    }
}

/// The node whose cube holds a lattice coordinate; on the face between two cubes, either node.
fn home(nodes: &Nodes, x: [f64; 3]) -> Option<usize> {
    const ON_FACE: f64 = 1e-6;
    let flat = nodes.grid().dimension == 2;
    let near = |shift: f64| -> [i64; 3] {
        std::array::from_fn(|a| if flat && a == 2 { nodes.low()[2] } else { (x[a] + shift).round() as i64 })
    };
    nodes.at(near(-ON_FACE)).or_else(|| nodes.at(near(ON_FACE)))
}

/// The samples as a table, one row a point; values outside the fluid are empty.
pub fn table(samples: &[Sample]) -> Table {
    let mut table = Table::new([
        "distance_m",
        "x_m",
        "y_m",
        "z_m",
        "inside",
        "pressure_Pa",
        "ux_m_per_s",
        "uy_m_per_s",
        "uz_m_per_s",
        "speed_m_per_s",
    ]);
    let cell = |value: Option<f64>| value.map(exact).unwrap_or_default();
    for sample in samples {
        let mut row = vec![exact(sample.distance)];
        row.extend(sample.point.map(exact));
        row.push(u8::from(sample.inside).to_string());
        row.push(cell(sample.pressure));
        row.extend((0..3).map(|c| cell(sample.velocity.map(|u| u[c]))));
        row.push(cell(sample.velocity.map(|u| (u[0] * u[0] + u[1] * u[1] + u[2] * u[2]).sqrt())));
        table.push(row);
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{channel, duct, poiseuille};

    #[test]
    fn a_line_across_poiseuille_flow() {
        let (height, dx, g, mu) = (32, 1e-5, 500.0, 1e-3);
        let grid = channel(9, height, dx);
        let nodes = Nodes::new(&grid).expect("nodes");
        let h = f64::from(height) * dx;
        let speed = |y: f64| poiseuille(y, dx, h, g, mu);
        let velocity: Vec<f64> = (0..grid.position.len()).flat_map(|n| [speed(nodes.centre(n)[1]), 0.0, 0.0]).collect();
        let pressure: Vec<f64> = (0..grid.position.len()).map(|n| -g * nodes.centre(n)[0]).collect();
        let line = Line { name: "l".into(), from: [4.2e-5, 0.0, 0.0], to: [4.2e-5, 34.0 * dx, 0.0], points: 341 };
        let samples = profile(&nodes, &line, &velocity, Some(&pressure)).expect("samples");
        // The error of linear interpolation of a parabola is at most u'' dx^2 / 8.
        let bound = g / mu * dx * dx / 8.0 * (1.0 + 1e-9);
        for sample in &samples {
            let y = sample.point[1];
            if y < dx * 0.999 || y > (dx + h) * 1.001 {
                assert!(!sample.inside && sample.velocity.is_none(), "{y}");
            } else if (1.5 * dx..=h + 0.5 * dx).contains(&y) {
                let [ux, ..] = sample.velocity.expect("inside");
                assert!((ux - speed(y)).abs() <= bound, "{y}: {ux}");
                assert!((sample.pressure.expect("inside") + g * 4.2e-5).abs() < 1e-12);
            }
        }
        let text = table(&samples);
        assert_eq!(text.rows.len(), 341);
        assert_eq!(text.rows[0][4..6], ["0".to_owned(), String::new()]);
    }

    #[test]
    fn middle_lines_stay_inside_a_box() {
        let grid = duct(4, 6, 5, 2.0);
        let nodes = Nodes::new(&grid).expect("nodes");
        let velocity = vec![1.0; 3 * grid.position.len()];
        let lines = Line::middles(&nodes);
        assert_eq!(lines.len(), 3);
        for line in &lines {
            let samples = profile(&nodes, line, &velocity, None).expect("samples");
            assert!(samples.iter().all(|s| s.inside && s.velocity.is_some_and(|u| (u[1] - 1.0).abs() < 1e-12)));
        }
        let mut broken = lines[0].clone();
        broken.points = 1;
        assert!(profile(&nodes, &broken, &velocity, None).is_err());
    }
}
