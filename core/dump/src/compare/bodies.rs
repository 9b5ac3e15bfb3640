//! Rigid bodies of two runs, by number.

use std::path::Path;

use hematite_config::Result;

use super::{Number, largest, same};
use crate::{BodyFrame, BodyReader, BodyValue, Comparison, Difference, dump_file};

/// The dump of bodies.
pub(super) const NAME: &str = "bodies";

/// Compares the bodies of two run folders, where there are any.
pub(super) fn compare(a: &Path, b: &Path, rtol: Option<f64>, comparison: &mut Comparison) -> Result<()> {
    let paths = [a, b].map(|run| dump_file(run, NAME));
    match paths.each_ref().map(|path| path.exists()) {
        [true, true] => {}
        [false, false] => return Ok(()),
        [first, _] => {
            let side = if first { "first" } else { "second" };
            comparison.note(Difference::Structure(format!("only the {side} run holds bodies")));
            return Ok(());
        }
    }
    let (a, b) = (BodyReader::open(&paths[0])?, BodyReader::open(&paths[1])?);
    if let Some(what) = structure(&a, &b) {
        comparison.note(Difference::Structure(format!("bodies: {what}")));
        return Ok(());
    }
    for dump in 0..a.steps().len() {
        let (frame_a, frame_b) = (a.frame(dump)?, b.frame(dump)?);
        if let Some(what) = population(&a, &frame_a, &frame_b) {
            comparison.note(Difference::Structure(format!("bodies: step {}, {what}", frame_a.step)));
            return Ok(());
        }
        let pair = Pair { reader: &a, a: &frame_a, rtol };
        pair.compare(BodyValue::Position, &frame_a.position, &frame_b.position, comparison);
        pair.compare(BodyValue::Orientation, &frame_a.orientation, &frame_b.orientation, comparison);
        pair.compare(BodyValue::Velocity, &frame_a.velocity, &frame_b.velocity, comparison);
        pair.compare(BodyValue::AngularVelocity, &frame_a.angular_velocity, &frame_b.angular_velocity, comparison);
        pair.compare(BodyValue::Force, &frame_a.force, &frame_b.force, comparison);
        pair.compare(BodyValue::Torque, &frame_a.torque, &frame_b.torque, comparison);
    }
    Ok(())
}

/// What keeps the dumps from being compared frame by frame.
fn structure(a: &BodyReader, b: &BodyReader) -> Option<String> {
    if a.spacing() != b.spacing() {
        return Some("lattice spacing differs".into());
    }
    if a.kinds() != b.kinds() {
        return Some(format!("populations are {:?} and {:?}", a.kinds(), b.kinds()));
    }
    if let Some((a, b)) = a.steps().iter().zip(b.steps()).find(|(a, b)| a != b) {
        return Some(format!("a dump is at step {} ({} s) and at step {} ({} s)", a.step, a.time, b.step, b.time));
    }
    let (dumps_a, dumps_b) = (a.steps().len(), b.steps().len());
    (dumps_a != dumps_b).then(|| format!("taken {dumps_a} and {dumps_b} times"))
}

/// What keeps two frames from being compared body by body, or a difference of whole numbers.
fn population(reader: &BodyReader, a: &BodyFrame, b: &BodyFrame) -> Option<String> {
    let name = |kind: u32| &reader.kinds()[kind as usize].name;
    for body in 0..a.id.len().max(b.id.len()) {
        let ids = (a.id.get(body).copied().unwrap_or(u64::MAX), b.id.get(body).copied().unwrap_or(u64::MAX));
        if ids.0 != ids.1 {
            let (id, side, kind) =
                if ids.0 < ids.1 { (ids.0, "first", a.kind[body]) } else { (ids.1, "second", b.kind[body]) };
            return Some(format!("only the {side} run holds body {id} of population {}", name(kind)));
        }
        let (id, kind) = (ids.0, a.kind[body]);
        if kind != b.kind[body] {
            return Some(format!("body {id} is of population {} and of {}", name(kind), name(b.kind[body])));
        }
        if a.image[body] != b.image[body] {
            let (kind, a, b) = (name(kind), a.image[body], b.image[body]);
            return Some(format!("body {id} of population {kind}: image is {a:?} and {b:?}"));
        }
    }
    None
}

/// Two frames of the same bodies.
struct Pair<'a> {
    reader: &'a BodyReader,
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
        let tolerance = self.rtol.map(|rtol| rtol * largest(a.as_flattened().iter().map(|value| value.wide())));
        for (body, (x, y)) in a.iter().zip(b).enumerate() {
            for (component, (&x, &y)) in x.iter().zip(y).enumerate() {
                if same(x, y, tolerance) {
                    continue;
                }
                let values = [x.wide(), y.wide()];
                comparison.count_body(quantity, (values[0] - values[1]).abs(), || Difference::Body {
                    step: self.a.step,
                    population: self.reader.kinds()[self.a.kind[body] as usize].name.clone(),
                    body: self.a.id[body],
                    quantity,
                    component,
                    values,
                    bits: [x.bits(), y.bits()],
                });
            }
        }
        comparison.values += (N * a.len()) as u64;
    }
}
