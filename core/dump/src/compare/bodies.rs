//! Compares rigid bodies of two runs by number.

use super::dumps::{Compared, Rows};
use crate::{BodyFrame, BodyKind, BodyReader};

impl Compared for BodyKind {
    const ROWS: &str = "bodies";

    fn image(frame: &BodyFrame) -> &[[i32; 3]] {
        &frame.image
    }

    fn structure(a: &BodyReader, b: &BodyReader) -> Option<String> {
        if a.spacing() != b.spacing() {
            return Some("lattice spacing differs".into());
        }
        (a.kinds() != b.kinds()).then(|| format!("populations are {:?} and {:?}", a.kinds(), b.kinds()))
    }

    fn rows(frame: &BodyFrame) -> Vec<Rows<'_>> {
        vec![
            Rows::f64("position", "m", &frame.position),
            Rows::f32("orientation", "", &frame.orientation),
            Rows::f32("velocity", "m/s", &frame.velocity),
            Rows::f32("angular_velocity", "rad/s", &frame.angular_velocity),
            Rows::f32("force", "N", &frame.force),
            Rows::f32("torque", "N m", &frame.torque),
        ]
    }
}
