//! Compares the tracks of two runs by number of the cell or body.

use std::path::Path;

use hematite_config::Result;

use super::Quantity;
use super::dumps::{both_hold, each, lacking, steps};
use crate::{Comparison, Difference, TrackFrame, TrackReader};

/// What the numbers are of, in a [`Total`](super::Total).
const TRACKS: &str = "tracks";

/// Compares the tracks of two run folders, where there are any.
///
/// # Errors
/// A usage fault when a file of either run is damaged.
pub(super) fn compare(a: &Path, b: &Path, rtol: Option<f64>, comparison: &mut Comparison) -> Result<()> {
    if !both_hold(TRACKS, [a, b].map(TrackReader::is_in), comparison) {
        return Ok(());
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
        numbers(&a, &frame_a, &frame_b, rtol, comparison);
    }
    Ok(())
}

/// The difference that keeps tracks from being compared frame by frame, if any.
fn structure(a: &TrackReader, b: &TrackReader) -> Option<String> {
    if a.dimension() != b.dimension() {
        return Some(format!("in {} and in {} dimensions", a.dimension(), b.dimension()));
    }
    if a.kinds() != b.kinds() {
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
    if let Some((n, is_first)) = lacking(&a.id, &b.id) {
        let (id, side) = if is_first { (a.id[n], "first") } else { (b.id[n], "second") };
        return Some(format!("only the {side} run holds number {id}"));
    }
    let differs = (0..a.id.len()).find(|&n| (a.kind[n], a.image[n]) != (b.kind[n], b.image[n]))?;
    let said = |frame: &TrackFrame| format!("population {}, image {:?}", frame.kind[differs], frame.image[differs]);
    Some(format!("number {} has {} and {}", a.id[differs], said(a), said(b)))
}

/// Compares the numbers of two frames of the same members. With a tolerance it leaves out the axes, since those of
/// round members point anywhere.
fn numbers(of: &TrackReader, a: &TrackFrame, b: &TrackFrame, rtol: Option<f64>, comparison: &mut Comparison) {
    let (area, volume) = if of.dimension() == 2 { ("m", "m2") } else { ("m2", "m3") };
    let quantities: [(Quantity, usize, &[f64], &[f64]); 4] = [
        (Quantity { name: "position", unit: "m" }, 3, a.centroid.as_flattened(), b.centroid.as_flattened()),
        (Quantity { name: "axis", unit: "" }, 3, a.axis.as_flattened(), b.axis.as_flattened()),
        (Quantity { name: "area", unit: area }, 1, &a.area, &b.area),
        (Quantity { name: "volume", unit: volume }, 1, &a.volume, &b.volume),
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
                population: of.kinds()[a.kind[member] as usize].clone(),
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
