//! Compares the tracks of two runs by number of the cell or body.

use std::path::Path;

use hematite_config::Result;

use super::Quantity;
use super::dumps::{each, steps};
use crate::{Comparison, Difference, TrackFrame, TrackReader};

/// What the numbers are of, in a [`Total`](super::Total).
const TRACKS: &str = "tracks";

/// Compares the tracks of two run folders, where there are any.
///
/// # Errors
/// A usage fault when a file of either run is damaged.
pub(super) fn compare(a: &Path, b: &Path, rtol: Option<f64>, comparison: &mut Comparison) -> Result<()> {
    match [a, b].map(TrackReader::is_in) {
        [true, true] => {}
        [false, false] => return Ok(()),
        [first, _] => {
            let side = if first { "first" } else { "second" };
            comparison.note(Difference::Structure(format!("only the {side} run holds tracks")));
            return Ok(());
        }
    }
    let (a, b) = (TrackReader::open(a)?, TrackReader::open(b)?);
    if let Some(differs) = structure(&a, &b) {
        comparison.note(Difference::Structure(format!("tracks: {differs}")));
        return Ok(());
    }
    for (number, at) in a.steps().iter().enumerate() {
        let (frame_a, frame_b) = (a.frame(number)?, b.frame(number)?);
        if let Some(differs) = members(&frame_a, &frame_b) {
            comparison.note(Difference::Structure(format!("tracks: step {}, {differs}", at.step)));
            return Ok(());
        }
        numbers(a.kinds(), &frame_a, &frame_b, rtol, comparison);
    }
    Ok(())
}

/// The difference that keeps tracks from being compared frame by frame, if any.
fn structure(a: &TrackReader, b: &TrackReader) -> Option<String> {
    if (a.dimension(), a.kinds()) != (b.dimension(), b.kinds()) {
        return Some(format!("populations are {:?} and {:?}", a.kinds(), b.kinds()));
    }
    if a.extent() != b.extent() {
        return Some(format!("the box is {:?} and {:?}", a.extent(), b.extent()));
    }
    steps(a.steps(), b.steps())
}

/// The difference that keeps two frames from being compared number by number, or a difference of periodic images, if
/// any.
fn members(a: &TrackFrame, b: &TrackFrame) -> Option<String> {
    let at = |frame: &TrackFrame, n: usize| frame.id.get(n).copied().unwrap_or(u64::MAX);
    if let Some(n) = (0..a.id.len().max(b.id.len())).find(|&n| at(a, n) != at(b, n)) {
        let (first, second) = (at(a, n), at(b, n));
        let side = if first < second { "first" } else { "second" };
        return Some(format!("only the {side} run holds number {}", first.min(second)));
    }
    let differs = (0..a.id.len()).find(|&n| (a.kind[n], a.image[n]) != (b.kind[n], b.image[n]))?;
    let said = |frame: &TrackFrame| format!("population {}, image {:?}", frame.kind[differs], frame.image[differs]);
    Some(format!("number {} has {} and {}", a.id[differs], said(a), said(b)))
}

/// Compares the numbers of two frames of the same members. With a tolerance it leaves out the axes, since those of
/// round members point anywhere.
fn numbers(kinds: &[String], a: &TrackFrame, b: &TrackFrame, rtol: Option<f64>, comparison: &mut Comparison) {
    let quantities: [(Quantity, usize, &[f64], &[f64]); 4] = [
        (Quantity { name: "position", unit: "m" }, 3, a.centroid.as_flattened(), b.centroid.as_flattened()),
        (Quantity { name: "axis", unit: "" }, 3, a.axis.as_flattened(), b.axis.as_flattened()),
        (Quantity { name: "area", unit: "m2" }, 1, &a.area, &b.area),
        (Quantity { name: "volume", unit: "m3" }, 1, &a.volume, &b.volume),
    ];
    let is_compared = |quantity: &Quantity| rtol.is_none() || quantity.name != "axis";
    for (quantity, columns, numbers_a, numbers_b) in
        quantities.into_iter().filter(|(quantity, ..)| is_compared(quantity))
    {
        let found = |comparison: &mut Comparison, place: usize, values: [f64; 2], bits: [u64; 2]| {
            let member = place / columns;
            comparison.count(Some(TRACKS), quantity, (values[0] - values[1]).abs(), || Difference::Member {
                dump: TRACKS,
                step: a.step,
                population: kinds[a.kind[member] as usize].clone(),
                member: "number",
                id: a.id[member],
                vertex: None,
                quantity,
                component: place % columns,
                values,
                bits,
            });
        };
        each(numbers_a, numbers_b, rtol, comparison, found);
    }
}
