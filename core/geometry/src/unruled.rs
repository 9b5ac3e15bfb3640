//! Values of a volume where no rules tell what they are: zero is wall, and all else fluid.

use hematite_config::{Fault, Result};
use rayon::prelude::*;

use crate::rules::Labels;
use crate::volume::Volume;

/// Values that are further apart are no labels.
const LABELS: f64 = 32.0;

/// What to say of a volume without rules in whose used part are other values than zero and one more: all are fluid.
///
/// # Errors
/// A usage fault where some are no whole numbers, as in smooth masks, level sets and grey values, of which zero is not
/// the only wall; not where a region asks for values, as `is_read` tells.
pub(crate) fn values(volume: &Volume, labels: &Labels, is_read: bool) -> Result<Option<String>> {
    let ([sx, sy, sz], [nx, ny, nz]) = (labels.start, labels.shape);
    let rows = (0..ny * nz).into_par_iter().flat_map_iter(|row| {
        let start = ((sz + row / ny) * volume.shape[1] + sy + row % ny) * volume.shape[0] + sx;
        start..start + nx
    });
    let number = |i: &usize| volume.values.number(*i).filter(|value| *value != 0.0);
    let fluid = || rows.clone().filter_map(|i| Some((number(&i)?, i)));
    let by_value = |a: &(f64, usize), b: &(f64, usize)| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1));
    let (Some(least), Some(most)) = (fluid().min_by(by_value), fluid().max_by(by_value)) else { return Ok(None) };
    let [from, to] = [least, most].map(|(_, i)| volume.values.describe(i));
    if let Some(i) = fluid().filter(|(value, _)| value.fract() != 0.0).map(|(_, i)| i).min() {
        let text = format!(
            "without \"rules\" all but zero is fluid, and its values from {from} to {to} are no labels: the first that is no \
             whole number is {} at voxel {:?}. \"rules\": [{{\"above\": {}, \"is\": \"fluid\"}}, {{\"any\": true, \"is\": \"wall\"}}] \
             takes what is above; where a level set is negative in the vessel, give \"below\": 0",
            volume.values.describe(i),
            [i % volume.shape[0], i / volume.shape[0] % volume.shape[1], i / (volume.shape[0] * volume.shape[1])],
            if least.0 < 0.0 { 0.0 } else { 0.5 * most.0 }
        );
        return if is_read { Ok(Some(text)) } else { Err(Fault::usage(format!("geometry.voxels: {text}"))) };
    }
    // Few values are labels, many are grey.
    let rule = match most.0 - least.0 {
        few if few < LABELS => format!("\"equals\": {to}"),
        _ => format!("\"above\": {}", 0.5 * (least.0.min(0.0) + most.0)),
    };
    Ok((least.0 < most.0).then(|| {
        format!(
            "without \"rules\" all but zero is fluid: values from {from} to {to}; where some of them are not the vessel, give \
             \"rules\", e.g. [{{{rule}, \"is\": \"fluid\"}}, {{\"any\": true, \"is\": \"wall\"}}]"
        )
    }))
}
