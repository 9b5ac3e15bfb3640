//! The drive of a run, from its record.

use hematite_dump::RunRecord;
use hematite_stats::plane::AXES;
use hematite_units::quantity::{ForceDensity, Time, Velocity};

/// The axis of the pressure gradient, or else that along which walls move; `None` if neither is known.
pub fn driven_axis(record: &RunRecord) -> Option<usize> {
    let drive = [0, 1, 2].map(|axis| gradient(record, axis, f64::INFINITY).unwrap_or(0.0));
    [drive, wall_speeds(record)].into_iter().find_map(largest_component)
}

/// The axis of the component of largest magnitude; `None` if all are 0.
pub fn largest_component(v: [f64; 3]) -> Option<usize> {
    (0..3).max_by(|&a, &b| v[a].abs().total_cmp(&v[b].abs())).filter(|&axis| v[axis] != 0.0)
}

/// Whether a force, a pressure drop or walls drive a flow along each axis, at any time.
pub fn drives(record: &RunRecord) -> [bool; 3] {
    let (drive, walls) = (&record.config["drive"], wall_speeds(record));
    [0, 1, 2].map(|axis| {
        let force = drive["force"][axis].as_str().and_then(|text| text.parse::<ForceDensity>().ok());
        let pressure = drive["pressure_drop"]["axis"] == AXES[axis] || record.pressure_drop[axis] != 0.0;
        pressure || force.is_some_and(|force| force.si() != 0.0) || walls[axis] != 0.0
    })
}

/// The largest speed of a moving wall along each axis, m/s.
fn wall_speeds(record: &RunRecord) -> [f64; 3] {
    let openings = record.config["openings"].as_object();
    let walls = openings.into_iter().flat_map(|openings| openings.values()).map(|opening| &opening["wall_velocity"]);
    walls.fold([0.0; 3], |largest, wall| {
        std::array::from_fn(|axis| {
            let speed = wall[axis].as_str().and_then(|text| text.parse::<Velocity>().ok());
            speed.map_or(largest[axis], |speed| speed.si().abs().max(largest[axis]))
        })
    })
}

/// Pressure drop and body force along an axis, Pa/m; `None` if they are 0 or change after the time `from`, s.
pub fn gradient(record: &RunRecord, axis: usize, from: f64) -> Option<f64> {
    let force = record.config["drive"]["force"][axis].as_str().and_then(|text| text.parse::<ForceDensity>().ok());
    let gradient = record.pressure_drop[axis] + force.map_or(0.0, |force| force.si());
    (gradient != 0.0 && is_steady_from(record, from)).then_some(gradient)
}

/// Whether pressure drop and body force stay what the config says from the time `from`, s, on: without a waveform, and
/// after the ramp.
pub fn is_steady_from(record: &RunRecord, from: f64) -> bool {
    let drive = &record.config["drive"];
    let ramp = drive["ramp"].as_str().and_then(|text| text.parse::<Time>().ok()).map_or(0.0, |ramp| ramp.si());
    (drive["waveform"].is_null() || drive["waveform"] == "constant") && from >= ramp
}
