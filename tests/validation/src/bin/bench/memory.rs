//! Host memory a fluid node of a run; on a software device that includes the device's.

use hematite_config::Result;
use serde_json::json;

use crate::geometry::helix;
use crate::tool::{call, folder, voxel_case, write};
use crate::{Figure, Target};

/// Calls of each run: memory varies with the moments at which threads take and give back theirs.
const REPEATS: usize = 3;

/// Runs a large and a small helical pipe; the small one's share that does not grow is taken off.
pub fn measure() -> Result<Vec<Figure>> {
    let (mut slopes, mut constants) = (Vec::new(), Vec::new());
    for _ in 0..REPEATS {
        let (large, large_peak) = peak(1.0)?;
        let (small, small_peak) = peak(0.2)?;
        let a_node = (large_peak - small_peak) / (large - small);
        slopes.push(a_node);
        constants.push((small_peak - a_node * small) / 1_048_576.0);
    }
    let figure = |what, unit, mut values: Vec<f64>, target| {
        values.sort_by(f64::total_cmp);
        let spread = Some([values[0], values[REPEATS - 1]]);
        Figure { what, unit, value: values[REPEATS / 2], spread, target }
    };
    Ok(vec![
        figure("run, D3Q19 f32: peak memory a node", "bytes/node", slopes, Some(Target::Most(250.0))),
        figure("run, D3Q19 f32: the rest of its memory", "MiB", constants, None),
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
        "fluid": { "lattice_boltzmann": { "density": "1000 kg/m3", "viscosity": "1 mPa s", "tau": 0.8 } },
        "time": { "steps": 20 },
        "drive": { "force": ["100 Pa/m", "0 Pa/m", "0 Pa/m"] },
    });
    let run = folder.path().join("run.json");
    write(&run, config.to_string().as_bytes())?;
    let taken = call("run", &[&run])?;
    Ok((nodes as f64, taken.peak))
}
