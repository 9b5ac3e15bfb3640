//! What comparing dumps of cells and of rigid bodies have in common.

use std::path::Path;

use hematite_config::Result;

use super::{Number, largest, same};
use crate::polydata::{Kind, Reader};
use crate::{Comparison, Difference, DumpStep, dump_file};

/// Members that are compared by number.
pub(super) trait Compared: Kind {
    /// How often each member has crossed the periodic faces.
    fn image(frame: &Self::Frame) -> &[[i32; 3]];

    /// What keeps dumps from being compared frame by frame, but for their times.
    fn structure(a: &Reader<Self>, b: &Reader<Self>) -> Option<String>;

    /// Compares the numbers of two frames of the same members.
    fn numbers(kinds: &[Self], a: &Self::Frame, b: &Self::Frame, rtol: Option<f64>, comparison: &mut Comparison);
}

/// Compares the dumps of two run folders, where there are any.
///
/// # Errors
/// A usage fault when a file of either run is damaged.
pub(super) fn compare<K: Compared>(a: &Path, b: &Path, rtol: Option<f64>, comparison: &mut Comparison) -> Result<()> {
    let what = K::FORM.what;
    let paths = [a, b].map(|run| dump_file(run, what));
    match paths.each_ref().map(|path| path.exists()) {
        [true, true] => {}
        [false, false] => return Ok(()),
        [first, _] => {
            let side = if first { "first" } else { "second" };
            comparison.note(Difference::Structure(format!("only the {side} run holds {what}")));
            return Ok(());
        }
    }
    let (a, b) = (Reader::<K>::open(&paths[0])?, Reader::<K>::open(&paths[1])?);
    if let Some(differs) = K::structure(&a, &b).or_else(|| steps(a.steps(), b.steps())) {
        comparison.note(Difference::Structure(format!("{what}: {differs}")));
        return Ok(());
    }
    for (dump, at) in a.steps().iter().enumerate() {
        let (frame_a, frame_b) = (a.frame(dump)?, b.frame(dump)?);
        if let Some(differs) = members(a.kinds(), &frame_a, &frame_b) {
            comparison.note(Difference::Structure(format!("{what}: step {}, {differs}", at.step)));
            return Ok(());
        }
        K::numbers(a.kinds(), &frame_a, &frame_b, rtol, comparison);
    }
    Ok(())
}

/// How the times of dumps differ, if they do.
pub(super) fn steps(a: &[DumpStep], b: &[DumpStep]) -> Option<String> {
    if let Some((a, b)) = a.iter().zip(b).find(|(a, b)| a != b) {
        return Some(format!("a dump is at step {} ({} s) and at step {} ({} s)", a.step, a.time, b.step, b.time));
    }
    (a.len() != b.len()).then(|| format!("taken {} and {} times", a.len(), b.len()))
}

/// What keeps two frames from being compared number by number, or a difference of whole numbers.
fn members<K: Compared>(kinds: &[K], a: &K::Frame, b: &K::Frame) -> Option<String> {
    let (member, name) = (K::FORM.member, |kind: u32| kinds[kind as usize].name());
    let ((_, id_a, kind_a), (_, id_b, kind_b)) = (K::members(a), K::members(b));
    for n in 0..id_a.len().max(id_b.len()) {
        let ids = (id_a.get(n).copied().unwrap_or(u64::MAX), id_b.get(n).copied().unwrap_or(u64::MAX));
        if ids.0 != ids.1 {
            let (id, side, kind) =
                if ids.0 < ids.1 { (ids.0, "first", kind_a[n]) } else { (ids.1, "second", kind_b[n]) };
            return Some(format!("only the {side} run holds {member} {id} of population {}", name(kind)));
        }
        let (id, kind) = (ids.0, name(kind_a[n]));
        if kind_a[n] != kind_b[n] {
            return Some(format!("{member} {id} is of population {kind} and of {}", name(kind_b[n])));
        }
        let (image_a, image_b) = (K::image(a)[n], K::image(b)[n]);
        if image_a != image_b {
            return Some(format!("{member} {id} of population {kind}: image is {image_a:?} and {image_b:?}"));
        }
    }
    None
}

/// A number that differs.
pub(super) struct Unequal {
    pub row: usize,
    pub component: usize,
    /// The number in each run.
    pub values: [f64; 2],
    /// Its bits in each run, in the precision of the file.
    pub bits: [u64; 2],
}

impl Unequal {
    /// By how much.
    pub fn size(&self) -> f64 {
        (self.values[0] - self.values[1]).abs()
    }
}

/// Compares two arrays row by row, and hands on what differs.
pub(super) fn rows<T: Number, const N: usize>(
    a: &[[T; N]],
    b: &[[T; N]],
    rtol: Option<f64>,
    comparison: &mut Comparison,
    found: impl Fn(&mut Comparison, Unequal),
) {
    let tolerance = rtol.map(|rtol| rtol * largest(a.as_flattened().iter().map(|value| value.wide())));
    for (row, (a, b)) in a.iter().zip(b).enumerate() {
        for (component, (&x, &y)) in a.iter().zip(b).enumerate() {
            if !same(x, y, tolerance) {
                let (values, bits) = ([x.wide(), y.wide()], [x.bits(), y.bits()]);
                found(comparison, Unequal { row, component, values, bits });
            }
        }
    }
    comparison.values += (N * a.len()) as u64;
}
