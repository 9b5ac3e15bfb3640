//! Rigid bodies of two runs, by number.

use super::Number;
use super::dumps::{Compared, rows};
use crate::{BodyFrame, BodyKind, BodyReader, BodyValue, Comparison, Difference};

impl Compared for BodyKind {
    fn image(frame: &BodyFrame) -> &[[i32; 3]] {
        &frame.image
    }

    fn structure(a: &BodyReader, b: &BodyReader) -> Option<String> {
        if a.spacing() != b.spacing() {
            return Some("lattice spacing differs".into());
        }
        (a.kinds() != b.kinds()).then(|| format!("populations are {:?} and {:?}", a.kinds(), b.kinds()))
    }

    fn numbers(kinds: &[Self], a: &BodyFrame, b: &BodyFrame, rtol: Option<f64>, comparison: &mut Comparison) {
        let pair = Pair { kinds, a, rtol };
        pair.compare(BodyValue::Position, &a.position, &b.position, comparison);
        pair.compare(BodyValue::Orientation, &a.orientation, &b.orientation, comparison);
        pair.compare(BodyValue::Velocity, &a.velocity, &b.velocity, comparison);
        pair.compare(BodyValue::AngularVelocity, &a.angular_velocity, &b.angular_velocity, comparison);
        pair.compare(BodyValue::Force, &a.force, &b.force, comparison);
        pair.compare(BodyValue::Torque, &a.torque, &b.torque, comparison);
    }
}

/// Two frames of the same bodies.
struct Pair<'a> {
    kinds: &'a [BodyKind],
    a: &'a BodyFrame,
    rtol: Option<f64>,
}

impl Pair<'_> {
    fn compare<T: Number, const N: usize>(
        &self,
        quantity: BodyValue,
        a: &[[T; N]],
        b: &[[T; N]],
        comparison: &mut Comparison,
    ) {
        rows(a, b, self.rtol, comparison, |comparison, unequal| {
            comparison.count_body(quantity, unequal.size(), || Difference::Body {
                step: self.a.step,
                population: self.kinds[self.a.kind[unequal.row] as usize].name.clone(),
                body: self.a.id[unequal.row],
                quantity,
                component: unequal.component,
                values: unequal.values,
                bits: unequal.bits,
            });
        });
    }
}
