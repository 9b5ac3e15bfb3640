//! What to doubt about ends: rims and caps of a surface that cut a vessel obliquely, and vessels that end where no rim or
//! cap is, or before the border of a picture or volume.

use crate::domain::Domain;
use crate::end::End;
use crate::tips::{places, tips};
use crate::vessel::Tracer;

/// A vessel is cut obliquely when its way and the end's direction are at least this many degrees apart: its area is then
/// 3.5 % above that across the vessel.
const OBLIQUE: f64 = 15.0;

/// Warnings about `ends`, rims or caps, which are all that is to be opened; `of_largest`: of the largest connected piece
/// of the fluid alone.
pub fn doubts(domain: &Domain, of_largest: bool, ends: &[End]) -> Vec<String> {
    let closed = closed(domain, of_largest, ends, "without a rim or a flat cap across it");
    oblique(domain, ends).into_iter().chain(closed).collect()
}

/// Tells vessels that end where none of the `ends` is, in the way that `how` says, and stay closed there.
pub fn closed(domain: &Domain, of_largest: bool, ends: &[End], how: &str) -> Option<String> {
    let (clear, mut closed) = tips(domain, of_largest, ends);
    closed.extend(clear.iter().map(|end| end.centre));
    (!closed.is_empty()).then(|| {
        format!(
            "the vessel also ends at {}, {how}, and stays closed there: \"tips\": true in \"ends\" opens such ends",
            places(&closed)
        )
    })
}

/// Tells ends that lie obliquely across their vessels.
fn oblique(domain: &Domain, ends: &[End]) -> Option<String> {
    let mut tracer = Tracer::new(domain);
    let told: Vec<String> = (0..ends.len())
        .filter_map(|k| {
            let degrees = tracer.obliquity(&ends[k]).filter(|degrees| *degrees >= OBLIQUE)?;
            Some(format!("{k} by {degrees:.0} degrees"))
        })
        .collect();
    (!told.is_empty()).then(|| {
        format!(
            "these ends cut their vessels obliquely, so that area and flow rate are larger than across the vessel: {}; where that is \
             not meant, leave them \"closed\" and give openings with a \"section\" across the vessel",
            told.join(", ")
        )
    })
}
