//! The cells of a frame one by one.

use hematite_cells::section;
use hematite_config::{Fault, Result};
use hematite_dump::{CellFrame, CellKind};

use super::filling::fill;
use crate::lookup::Nodes;
use crate::suspension::Member;

/// One cell of a frame.
#[derive(Clone, Copy, Debug)]
pub struct Cell<'a> {
    /// Its global number.
    pub id: u64,
    /// Number of its population.
    pub kind: usize,
    /// Vertices, m.
    pub position: &'a [[f64; 3]],
    /// Velocities of the vertices, m/s.
    pub velocity: &'a [[f32; 3]],
    /// How often it has crossed the periodic faces along x, y, z.
    pub image: [i32; 3],
    /// 3-D: its triangles. Empty in 2-D, where the vertices form a closed ring.
    pub triangles: &'a [[u32; 3]],
}

/// The cells of `frame`, in its order. `kinds` are its populations.
///
/// # Errors
/// A usage fault when the arrays of the frame do not fit one another, or a triangle names a vertex beyond the last.
pub fn cells<'a>(kinds: &'a [CellKind], frame: &'a CellFrame) -> Result<Vec<Cell<'a>>> {
    let damaged = |what: String| Fault::usage(format!("cells of step {}: {what}: the dump is damaged", frame.step));
    let number = frame.id.len();
    if frame.kind.len() != number || frame.image.len() != number {
        let (kinds, images) = (frame.kind.len(), frame.image.len());
        return Err(damaged(format!("{number} numbers, {kinds} populations, {images} images")));
    }
    for kind in kinds {
        if let Some(corner) = kind.triangles.iter().flatten().find(|&&corner| corner as usize >= kind.vertices) {
            let (name, vertices) = (&kind.name, kind.vertices);
            return Err(damaged(format!("population \"{name}\" has {vertices} vertices, a triangle names {corner}")));
        }
    }
    let mut start = 0;
    let mut found = Vec::with_capacity(number);
    for ((&id, &kind), &image) in frame.id.iter().zip(&frame.kind).zip(&frame.image) {
        let Some(population) = kinds.get(kind as usize) else {
            return Err(damaged(format!("cell {id} is of population {kind}, there are {}", kinds.len())));
        };
        let range = start..start + population.vertices;
        let (Some(position), Some(velocity)) = (frame.position.get(range.clone()), frame.velocity.get(range)) else {
            let (positions, velocities) = (frame.position.len(), frame.velocity.len());
            return Err(damaged(format!("{positions} positions and {velocities} velocities end inside cell {id}")));
        };
        found.push(Cell { id, kind: kind as usize, position, velocity, image, triangles: &population.triangles });
        start += population.vertices;
    }
    Ok(found)
}

impl Cell<'_> {
    /// The segments of a 2-D cell's ring.
    pub fn sides(&self) -> impl Iterator<Item = [usize; 2]> + '_ {
        let n = self.position.len();
        (0..n).map(move |k| [k, (k + 1) % n])
    }

    /// The edges, each once: the segments of the ring in 2-D, the sides of the triangles in 3-D.
    pub fn edges(&self) -> Vec<[usize; 2]> {
        if self.triangles.is_empty() {
            return self.sides().collect();
        }
        // On a closed surface each edge belongs to two triangles, once in either direction.
        let around = self.triangles.iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]);
        around.filter(|[a, b]| a < b).map(|edge| edge.map(|v| v as usize)).collect()
    }
}

impl Member for Cell<'_> {
    fn population(&self) -> usize {
        self.kind
    }

    fn bounds(&self) -> ([f64; 3], [f64; 3]) {
        let (mut low, mut high) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
        for p in self.position {
            for a in 0..3 {
                low[a] = low[a].min(p[a]);
                high[a] = high[a].max(p[a]);
            }
        }
        (low, high)
    }

    fn loops(&self, plane: Option<(usize, f64)>) -> Vec<Vec<[f64; 3]>> {
        match plane {
            Some((axis, at)) => section(self.position, self.triangles, axis, at),
            None => vec![self.position.to_vec()],
        }
    }

    fn smooth(&self, plane: Option<(usize, f64)>) -> bool {
        plane.is_none()
    }

    fn fill(&self, nodes: &Nodes, take: &mut dyn FnMut([i64; 3], f64)) {
        fill(nodes, self, take);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cells::testing::{frame, ring};

    #[test]
    fn cells_of_two_populations_keep_their_vertices() {
        let (kinds, frame) = frame(&[
            ("a", &[], vec![ring([1.0, 0.0], [2.0, 1.0], 0.0, 5)]),
            ("b", &[], vec![ring([9.0, 0.0], [1.0, 1.0], 0.0, 7)]),
        ]);
        let found = cells(&kinds, &frame).expect("sound");
        assert_eq!((found[0].position.len(), found[1].position.len(), found[1].kind), (5, 7, 1));
        assert!((found[1].position[0][0] - 10.0).abs() < 1e-12);
        assert_eq!(found[0].edges().len(), 5);
        let mut broken = frame.clone();
        broken.position.pop();
        assert!(cells(&kinds, &broken).expect_err("cut off").message.contains("cell 1"));
        let mut broken = frame;
        broken.kind[0] = 2;
        assert!(cells(&kinds, &broken).expect_err("unknown").message.contains("population 2"));
    }
}
