//! Compares the chains of polymers of two runs by number.

use super::dumps::{Compared, Rows};
use crate::{ChainFrame, ChainKind, ChainReader};

impl Compared for ChainKind {
    const ROWS: &str = "beads";

    fn image(frame: &ChainFrame) -> &[[i32; 3]] {
        &frame.image
    }

    fn structure(a: &ChainReader, b: &ChainReader) -> Option<String> {
        if (a.dimension(), a.spacing()) != (b.dimension(), b.spacing()) {
            return Some("lattice spacing or dimension differ".into());
        }
        (a.kinds() != b.kinds()).then(|| format!("populations are {:?} and {:?}", a.kinds(), b.kinds()))
    }

    fn rows(frame: &ChainFrame) -> Vec<Rows<'_>> {
        vec![Rows::f64("position", "m", &frame.position), Rows::f32("velocity", "m/s", &frame.velocity)]
    }
}
