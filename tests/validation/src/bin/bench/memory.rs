//! Host memory a fluid node of a run; on a software device that includes the device's.

use hematite_config::Result;
use serde_json::json;

use crate::geometry::helix;
use crate::tool::{call, folder, voxel_case, write};
use crate::{Figure, Target};

/// Runs a large and a small helical pipe; the small one's share that does not grow is taken off.
pub fn measure() -> Result<Vec<Figure>> {
    let (large, large_peak) = peak(1.0)?;
    let (small, small_peak) = peak(0.2)?;
    let a_node = (large_peak - small_peak) / (large - small);
    let constant = small_peak - a_node * small;
    Ok(vec![
        Figure {
            what: "run, D3Q19 f32: peak memory a node",
            unit: "bytes/node",
            value: a_node,
            spread: None,
            target: Some(Target::Most(250.0)),
        },
        Figure {
            what: "run, D3Q19 f32: the rest of its memory",
            unit: "MiB",
            value: constant / 1_048_576.0,
            spread: None,
            target: None,
        },
    ])
}

/// Nodes and peak memory of a short run.
fn peak(scale: f64) -> Result<(f64, f64)> {
    let folder = folder()?;
    let (inside, fluid) = helix(scale);
    let case = voxel_case(folder.path(), &fluid, inside.extent)?;
    let nodes = fluid.iter().filter(|&&fluid| fluid).count();
    drop(fluid);
    call("mkcase", &[&case])?;
    let config = json!({
        "case": "case.h5",
        "fluid": { "density": "1000 kg/m3", "viscosity": "1 mPa s" },
        "time": { "tau": 0.8, "steps": 20 },
        "drive": { "force": ["100 Pa/m", "0 Pa/m", "0 Pa/m"] },
    });
    let run = folder.path().join("run.json");
    write(&run, config.to_string().as_bytes())?;
    let taken = call("run", &[&run])?;
    Ok((nodes as f64, taken.peak))
}
