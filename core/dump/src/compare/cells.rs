//! Compares cells of two runs by number.

use super::dumps::{Compared, Rows};
use crate::{CellFrame, CellKind, CellReader};

impl Compared for CellKind {
    const ROWS: &str = "vertices";

    fn image(frame: &CellFrame) -> &[[i32; 3]] {
        &frame.image
    }

    fn structure(a: &CellReader, b: &CellReader) -> Option<String> {
        if (a.dimension(), a.spacing()) != (b.dimension(), b.spacing()) {
            return Some("lattice spacing or dimension differ".into());
        }
        if a.names() != b.names() {
            return Some(format!("populations are {:?} and {:?}", a.names(), b.names()));
        }
        let (kind, _) = a.kinds().iter().zip(b.kinds()).find(|(a, b)| a != b)?;
        Some(format!("population {} has other vertices or triangles", kind.name))
    }

    fn rows(frame: &CellFrame) -> Vec<Rows<'_>> {
        vec![
            Rows::f64("position", "m", &frame.position),
            Rows::f32("velocity", "m/s", &frame.velocity),
            Rows::f32("force", "N", &frame.force),
        ]
    }
}
