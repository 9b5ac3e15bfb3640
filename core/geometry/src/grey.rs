//! Pixels that are neither black nor white, where no rules tell what they are.

use hematite_config::{Fault, Result};

use crate::rules::Labels;
use crate::volume::{Values, Volume};

/// Most of the pixels that may be neither black nor white: more are no soft edges, but a photograph or labels.
const MOST: f64 = 0.05;

/// What to say of a picture without rules in whose used part pixels are neither black nor white: they count as fluid, so
/// that soft edges make vessels wider. Nothing where all that is not black has one value, as in a mask of 0 and 1.
///
/// # Errors
/// A usage fault where such pixels are more than a twentieth and no region asks for values, as `is_read` tells.
pub(crate) fn greys(volume: &Volume, labels: &Labels, is_read: bool) -> Result<Option<String>> {
    let (count, first, is_mask) = match &volume.values {
        Values::U8(values) => found(values, volume, labels, 0, u8::MAX),
        Values::U16(values) => found(values, volume, labels, 0, u16::MAX),
        Values::Rgb8(values) => found(values, volume, labels, [0; 3], [u8::MAX; 3]),
        Values::Rgb16(values) => found(values, volume, labels, [0; 3], [u16::MAX; 3]),
        _ => return Ok(None),
    };
    let Some([x, y]) = first.filter(|_| !is_mask) else { return Ok(None) };
    let all = labels.sites.len();
    let share = count as f64 / all as f64;
    let half = if matches!(volume.values, Values::U8(_) | Values::Rgb8(_)) { 128 } else { 32768 };
    let text = format!(
        "{count} of the {all} pixels ({:.2} %) are neither black nor white, the first one, {}, at (x, y) = ({x}, {y}) (y up): \
         without \"rules\" they are fluid. \"rules\": [{{\"above\": {half}, \"is\": \"fluid\"}}, {{\"any\": true, \"is\": \
         \"wall\"}}] takes the lighter half, \"above\": 1 all but black",
        100.0 * share,
        volume.values.describe(y * volume.shape[0] + x)
    );
    if share > MOST && !is_read {
        return Err(Fault::usage(format!(
            "geometry.image: {text}; more than {:.0} % are refused without \"rules\"",
            100.0 * MOST
        )));
    }
    Ok(Some(text))
}

/// How many used pixels are neither of two values, the first of them, and whether all but the first value are alike.
fn found<T: Copy + PartialEq>(
    values: &[T],
    volume: &Volume,
    labels: &Labels,
    black: T,
    white: T,
) -> (usize, Option<[usize; 2]>, bool) {
    let ([sx, sy, _], [nx, ny, _]) = (labels.start, labels.shape);
    let (mut count, mut first, mut other, mut is_mask) = (0, None, None, true);
    for y in sy..sy + ny {
        for x in sx..sx + nx {
            let value = values[y * volume.shape[0] + x];
            if value != black {
                is_mask &= *other.get_or_insert(value) == value;
                if value != white {
                    count += 1;
                    first.get_or_insert([x, y]);
                }
            }
        }
    }
    // A picture of one value, without any black, has no wall.
    (count, first, is_mask && count < nx * ny)
}
