//! Compares dumps of members: cells or rigid bodies.

use std::path::Path;

use hematite_config::Result;

use super::{Number, Quantity, largest, same};
use crate::polydata::{Kind, Reader};
use crate::{Comparison, Difference, DumpStep, dump_file};

/// Members that are compared by number.
pub(super) trait Compared: Kind {
    /// What a row of numbers belongs to: "vertices", or the members themselves.
    const ROWS: &str;

    /// How often each member has crossed the periodic faces.
    fn image(frame: &Self::Frame) -> &[[i32; 3]];

    /// The difference, apart from times, that keeps dumps from being compared frame by frame, if any.
    fn structure(a: &Reader<Self>, b: &Reader<Self>) -> Option<String>;

    /// The numbers of a frame, by member, then by vertex.
    fn rows(frame: &Self::Frame) -> Vec<Rows<'_>>;
}

/// A row of numbers for each vertex or member.
pub(super) struct Rows<'a> {
    quantity: Quantity,
    columns: usize,
    numbers: Numbers<'a>,
}

/// Numbers in the precision of the file.
enum Numbers<'a> {
    F32(&'a [f32]),
    F64(&'a [f64]),
}

impl<'a> Rows<'a> {
    /// Rows in single precision.
    pub fn f32<const N: usize>(name: &'static str, unit: &'static str, rows: &'a [[f32; N]]) -> Self {
        Self { quantity: Quantity { name, unit }, columns: N, numbers: Numbers::F32(rows.as_flattened()) }
    }

    /// Rows in double precision.
    pub fn f64<const N: usize>(name: &'static str, unit: &'static str, rows: &'a [[f64; N]]) -> Self {
        Self { quantity: Quantity { name, unit }, columns: N, numbers: Numbers::F64(rows.as_flattened()) }
    }
}

/// Compares the dumps of two run folders, where there are any.
///
/// # Errors
/// A usage fault when a file of either run is damaged.
pub(super) fn compare<K: Compared>(a: &Path, b: &Path, rtol: Option<f64>, comparison: &mut Comparison) -> Result<()> {
    let what = K::FORM.what;
    let paths = [a, b].map(|run| dump_file(run, what));
    if !both_hold(what, paths.each_ref().map(|path| path.exists()), comparison) {
        return Ok(());
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
        numbers(a.kinds(), &frame_a, &frame_b, rtol, comparison);
    }
    Ok(())
}

/// Whether both runs hold `what`. That only one does is a difference.
pub(super) fn both_hold(what: &str, holds: [bool; 2], comparison: &mut Comparison) -> bool {
    if holds[0] != holds[1] {
        let side = if holds[0] { "first" } else { "second" };
        comparison.note(Difference::Structure(format!("only the {side} run holds {what}")));
    }
    holds == [true, true]
}

/// The first index at which two ascending lists of numbers differ, and whether the smaller number there, which the other
/// list lacks, is of the first.
pub(super) fn lacking(a: &[u64], b: &[u64]) -> Option<(usize, bool)> {
    let at = |ids: &[u64], n: usize| ids.get(n).copied().unwrap_or(u64::MAX);
    let n = (0..a.len().max(b.len())).find(|&n| at(a, n) != at(b, n))?;
    Some((n, at(a, n) < at(b, n)))
}

/// The first difference of the times of dumps, if any.
pub(super) fn steps(a: &[DumpStep], b: &[DumpStep]) -> Option<String> {
    if let Some((a, b)) = a.iter().zip(b).find(|(a, b)| a != b) {
        return Some(format!("a dump is at step {} ({} s) and at step {} ({} s)", a.step, a.time, b.step, b.time));
    }
    (a.len() != b.len()).then(|| format!("taken {} and {} times", a.len(), b.len()))
}

/// The difference that keeps two frames from being compared number by number, or a difference of periodic images, if
/// any.
fn members<K: Compared>(kinds: &[K], a: &K::Frame, b: &K::Frame) -> Option<String> {
    let (member, name) = (K::FORM.member, |kind: u32| kinds[kind as usize].name());
    let ((_, id_a, kind_a), (_, id_b, kind_b)) = (K::members(a), K::members(b));
    if let Some((n, is_first)) = lacking(id_a, id_b) {
        let (id, side, kind) = if is_first { (id_a[n], "first", kind_a[n]) } else { (id_b[n], "second", kind_b[n]) };
        return Some(format!("only the {side} run holds {member} {id} of population {}", name(kind)));
    }
    for n in 0..id_a.len() {
        let (id, kind) = (id_a[n], name(kind_a[n]));
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

/// Compares the numbers of two frames of the same members.
fn numbers<K: Compared>(kinds: &[K], a: &K::Frame, b: &K::Frame, rtol: Option<f64>, comparison: &mut Comparison) {
    let (at, id, kind) = K::members(a);
    // The member of each row, and the index of the row within the member.
    let of_member = |member: usize| (0..kinds[kind[member] as usize].vertices()).map(move |row| (member, row));
    let owner: Vec<(usize, usize)> = (0..id.len()).flat_map(of_member).collect();
    for (a, b) in K::rows(a).iter().zip(&K::rows(b)) {
        let found = |comparison: &mut Comparison, place: usize, values: [f64; 2], bits: [u64; 2]| {
            let (member, row) = owner[place / a.columns];
            comparison.count(Some(K::ROWS), a.quantity, (values[0] - values[1]).abs(), || Difference::Member {
                dump: K::FORM.what,
                step: at.step,
                population: kinds[kind[member] as usize].name().to_owned(),
                member: K::FORM.member,
                id: id[member],
                vertex: (K::ROWS != K::FORM.what).then_some(row),
                quantity: a.quantity,
                component: place % a.columns,
                values,
                bits,
            });
        };
        match (&a.numbers, &b.numbers) {
            (Numbers::F32(a), Numbers::F32(b)) => each(a, b, rtol, comparison, found),
            (Numbers::F64(a), Numbers::F64(b)) => each(a, b, rtol, comparison, found),
            _ => {}
        }
    }
}

/// Compares two arrays of numbers. Calls `found` with each difference: its index, the number in each run, and the bits of both.
pub(super) fn each<T: Number>(
    a: &[T],
    b: &[T],
    rtol: Option<f64>,
    comparison: &mut Comparison,
    found: impl Fn(&mut Comparison, usize, [f64; 2], [u64; 2]),
) {
    let tolerance = rtol.map(|rtol| rtol * largest(a.iter().map(|value| value.wide())));
    for (place, (&x, &y)) in a.iter().zip(b).enumerate().filter(|(_, (x, y))| !same(**x, **y, tolerance)) {
        found(comparison, place, [x.wide(), y.wide()], [x.bits(), y.bits()]);
    }
    comparison.values += a.len() as u64;
}
