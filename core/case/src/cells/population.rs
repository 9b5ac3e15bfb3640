//! Cells of one kind and where they are.

use hematite_cells::{MechanicsConfig, RigidShape, ShapeConfig, Surface};

/// Cells of one kind, or rigid bodies. Cells have global numbers, counted through all populations of a case in their order.
#[derive(Clone, Debug, PartialEq)]
pub struct Population {
    /// Its name.
    pub name: String,
    /// What its shape is called in the config.
    pub shape: ShapeConfig,
    /// The shape of each cell at rest, in metres; of rigid bodies a mesh upon it.
    pub surface: Surface,
    /// What rigid bodies are; none where the population is of membranes.
    pub rigid: Option<RigidShape>,
    /// What its membrane is made of, unless the run says otherwise; nothing of rigid bodies.
    pub mechanics: MechanicsConfig,
    /// Global number of its first cell.
    pub first: u64,
    /// Its cells.
    pub cells: Vec<Placed>,
    /// What was asked and what came of it, JSON.
    pub report: serde_json::Value,
}

impl Population {
    /// Share of the case's fluid in vessels that are wide enough for its cells, by its report; all where that says nothing.
    pub fn room(&self) -> f64 {
        self.report.get("room").and_then(serde_json::Value::as_f64).filter(|room| *room > 0.0).unwrap_or(1.0)
    }
}

/// Where a cell is at the start.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Placed {
    /// Its centroid in metres, in the coordinates of the domain.
    pub centre: [f64; 3],
    /// Unit quaternion (w, x, y, z) that turns the shape; a rotation about z in 2-D.
    pub orientation: [f64; 4],
    /// Size over full size; below 1 where it has to grow in the run, never of rigid bodies.
    pub scale: f64,
}

impl Placed {
    /// Where the cell's vertices are, in metres.
    pub fn vertices<'a>(&'a self, surface: &'a Surface) -> impl Iterator<Item = [f64; 3]> + 'a {
        let [w, x, y, z] = self.orientation;
        let rows = [
            [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)],
            [2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)],
            [2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)],
        ];
        surface.vertices.iter().map(move |v| {
            [0, 1, 2].map(|k| {
                let turned = rows[k][0] * v[0] + rows[k][1] * v[1] + rows[k][2] * v[2];
                self.centre[k] + self.scale * turned
            })
        })
    }
}
