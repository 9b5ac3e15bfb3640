//! Cells of two runs, by number.

use super::Number;
use super::dumps::{Compared, rows};
use crate::{CellFrame, CellKind, CellReader, Comparison, Difference, VertexValue};

impl Compared for CellKind {
    fn image(frame: &CellFrame) -> &[[i32; 3]] {
        &frame.image
    }

    fn structure(a: &CellReader, b: &CellReader) -> Option<String> {
        if (a.dimension(), a.spacing()) != (b.dimension(), b.spacing()) {
            return Some("lattice spacing or dimension differ".into());
        }
        let names = |reader: &CellReader| reader.kinds().iter().map(|kind| kind.name.clone()).collect::<Vec<_>>();
        if names(a) != names(b) {
            return Some(format!("populations are {:?} and {:?}", names(a), names(b)));
        }
        let (kind, _) = a.kinds().iter().zip(b.kinds()).find(|(a, b)| a != b)?;
        Some(format!("population {} has other vertices or triangles", kind.name))
    }

    fn numbers(kinds: &[Self], a: &CellFrame, b: &CellFrame, rtol: Option<f64>, comparison: &mut Comparison) {
        let owner = a
            .vertices(kinds)
            .into_iter()
            .enumerate()
            .flat_map(|(cell, vertices)| vertices.clone().map(move |_| (cell, vertices.start)))
            .collect();
        let pair = Pair { kinds, a, owner, rtol };
        pair.compare(VertexValue::Position, &a.position, &b.position, comparison);
        pair.compare(VertexValue::Velocity, &a.velocity, &b.velocity, comparison);
        pair.compare(VertexValue::Force, &a.force, &b.force, comparison);
    }
}

/// Two frames of the same cells.
struct Pair<'a> {
    kinds: &'a [CellKind],
    a: &'a CellFrame,
    /// The cell of each vertex, and its first vertex.
    owner: Vec<(usize, usize)>,
    rtol: Option<f64>,
}

impl Pair<'_> {
    fn compare<T: Number>(&self, quantity: VertexValue, a: &[[T; 3]], b: &[[T; 3]], comparison: &mut Comparison) {
        rows(a, b, self.rtol, comparison, |comparison, unequal| {
            let (cell, first) = self.owner[unequal.row];
            comparison.count_vertex(quantity, unequal.size(), || Difference::Vertex {
                step: self.a.step,
                population: self.kinds[self.a.kind[cell] as usize].name.clone(),
                cell: self.a.id[cell],
                vertex: unequal.row - first,
                quantity,
                component: unequal.component,
                values: unequal.values,
                bits: unequal.bits,
            });
        });
    }
}
