//! A 2-D case of 13 million nodes, divided into 64 parts.

use std::path::Path;

use hematite_case::Case;
use hematite_config::Result;
use serde_json::json;

use crate::geometry::bands;
use crate::tool::{call, case, folder, write};
use crate::{Figure, Target};

const SIZE: usize = 5400;

/// Draws it, calls mkcase, and reads how even the parts are.
pub fn measure() -> Result<Vec<Figure>> {
    let folder = folder()?;
    let (_, fluid) = bands(SIZE);
    let mut image = format!("P5\n{SIZE} {SIZE}\n255\n").into_bytes();
    image
        .extend((0..SIZE).flat_map(|y| (0..SIZE).map(move |x| (x, y))).map(|(x, y)| if fluid(x, y) { 255 } else { 0 }));
    write(&folder.path().join("bands.pgm"), &image)?;
    drop(image);
    let geometry = json!({ "image": "bands.pgm", "spacing": "1 um", "periodic": ["x", "y"] });
    let config = case(folder.path(), &json!({ "geometry": geometry }))?;
    let taken = call("mkcase", &[&config, Path::new("--parts"), Path::new("64")])?;
    let made = Case::open(&folder.path().join("case.h5"))?;
    let report = made.partition_report(64)?;
    let over = 100.0 * (report.nodes_max as f64 / report.nodes_mean - 1.0);
    let figure = |what, unit, value, target| Figure { what, unit, value, spread: None, target };
    Ok(vec![
        figure("mkcase, 2-D into 64 parts: nodes", "million", made.header().nodes as f64 / 1e6, None),
        figure("mkcase, 2-D into 64 parts: time", "s", taken.seconds, Some(Target::Most(150.0))),
        figure("mkcase, 2-D into 64 parts: peak memory", "GiB", taken.peak / 1_073_741_824.0, Some(Target::Most(8.0))),
        figure("mkcase, 2-D into 64 parts: largest over mean", "%", over, Some(Target::Most(2.0))),
    ])
}
