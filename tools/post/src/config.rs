//! The config of `post flow`, `post fields`, `post cells` and `post bodies`.

use std::collections::BTreeSet;
use std::path::Path;

use hematite_config::{Fault, Result, check_file_name, read_config};
use hematite_dump::Axis;
use hematite_stats::forces::Directions;
use hematite_stats::lookup::Nodes;
use hematite_stats::plane::{AXES, Plane};
use hematite_stats::profile::Line;
use hematite_units::quantity::{Length, Time};
use schemars::JsonSchema;
use serde::Deserialize;

/// Adds the path of the config, if there is one, to a fault.
pub fn within(path: Option<&Path>) -> impl Fn(Fault) -> Fault + Copy {
    move |fault| match path {
        Some(path) => fault.within(path.display()),
        None => fault,
    }
}

/// Reads a config; without a path, returns the defaults.
///
/// # Errors
/// As [`read_config`].
pub fn read(path: Option<&Path>) -> Result<PostConfig> {
    path.map_or_else(|| Ok(PostConfig::default()), read_config)
}

/// What `post` shows in place of its defaults.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "snake_case")]
pub struct PostConfig {
    /// Planes for flow rates and, in 3-D, for maps and sections. Default: those through the middle of the domain.
    #[serde(default)]
    pub planes: Option<Vec<PlaneConfig>>,
    /// Lines for profiles. Default: those across the middle of the domain along each axis.
    #[serde(default)]
    pub lines: Option<Vec<LineConfig>>,
    /// Directions of drag and lift for `post flow`.
    #[serde(default)]
    pub forces: ForcesConfig,
    /// Choices for `post cells`.
    #[serde(default)]
    pub cells: CellsConfig,
    /// Choices for `post bodies`.
    #[serde(default)]
    pub bodies: BodiesConfig,
}

/// The directions of drag and lift, e.g. {"drag": [1, 0]}.
#[derive(Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "snake_case")]
pub struct ForcesConfig {
    /// The direction of drag: x, y and, in 3-D, z, of any length. Default: along x.
    #[serde(default)]
    pub drag: Option<Vec<f64>>,
    /// The direction of lift, in 3-D only; its component along the drag is removed. Default: y, or z where drag is
    /// along y. In 2-D lift is to the left of drag.
    #[serde(default)]
    pub lift: Option<Vec<f64>>,
}

impl ForcesConfig {
    /// Whether it has no keys.
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }

    /// The directions in a domain of `dimension` axes.
    ///
    /// # Errors
    /// A usage fault that names the key.
    pub fn directions(&self, dimension: usize) -> Result<Directions> {
        let vector = |key: &str, given: &Option<Vec<f64>>| match given {
            Some(numbers) if numbers.len() != dimension => Err(Fault::usage(format!(
                "key \"forces.{key}\": {} numbers, a {dimension}-D run needs {dimension}",
                numbers.len()
            ))),
            Some(numbers) => {
                Ok(Some(std::array::from_fn::<f64, 3, _>(|axis| numbers.get(axis).copied().unwrap_or_default())))
            }
            None => Ok(None),
        };
        if dimension == 2 && self.lift.is_some() {
            return Err(Fault::usage("key \"forces.lift\": in 2-D lift is to the left of drag: take it out"));
        }
        let (drag, lift) = (vector("drag", &self.drag)?, vector("lift", &self.lift)?);
        Directions::of(dimension, drag.unwrap_or([1.0, 0.0, 0.0]), lift).ok_or_else(|| {
            Fault::usage(
                "key \"forces\": drag and lift need directions, not along each other: give numbers other than 0",
            )
        })
    }
}

/// Choices for `post bodies` in place of its defaults.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "snake_case")]
pub struct BodiesConfig {
    /// The axis of the vessel. Default: that of the pressure drop, or else of the mean velocity of bodies.
    #[serde(default)]
    pub axis: Option<Axis>,
    /// Means are over the dumps from this time on. Default: the later half of the time that dumps span.
    #[serde(default)]
    pub average_from: Option<Time>,
}

/// Choices for `post cells` in place of its defaults.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "snake_case")]
pub struct CellsConfig {
    /// The axis of the vessel. Default: that of the pressure drop, or else of the mean velocity of cells.
    #[serde(default)]
    pub axis: Option<Axis>,
    /// Count only what lies beyond this place on the axis, cells by their centroids. Default: everything.
    #[serde(default)]
    pub from: Option<Length>,
    /// Count only what lies before this place on the axis. Default: everything.
    #[serde(default)]
    pub to: Option<Length>,
    /// Means are over the dumps from this time on. Default: the later half of the time that dumps span.
    #[serde(default)]
    pub average_from: Option<Time>,
    /// Drifts of area and volume are relative to the first dump of a cell at this time step or later. Default: the step
    /// at which cells that were seeded smaller have grown, or 0 if there is no dump after it.
    #[serde(default)]
    pub reference_step: Option<u64>,
    /// The plane of inclinations and rotations, from its first axis towards its second. Default: the axis of the
    /// vessel, and the axis across a channel, or else the next one.
    #[serde(default)]
    pub plane: Option<[Axis; 2]>,
    /// Which dumps the table of the shapes of single cells holds. Default: the last.
    #[serde(default)]
    pub shapes: Shapes,
}

/// Which dumps a table of single cells holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Shapes {
    /// The last one.
    #[default]
    Last,
    /// All of them.
    All,
}

impl CellsConfig {
    /// Refuses choices that do not fit a domain of `dimension` axes.
    ///
    /// # Errors
    /// A usage fault that names the key.
    pub fn check(&self, dimension: usize) -> Result<()> {
        let flat = |axis: Axis| axis as usize >= dimension;
        if self.axis.is_some_and(flat) {
            return Err(Fault::usage("key \"cells.axis\": a 2-D run has no axis z; name x or y"));
        }
        if let Some([a, b]) = self.plane
            && (a == b || flat(a) || flat(b))
        {
            let (a, b) = (AXES[a as usize], AXES[b as usize]);
            return Err(Fault::usage(format!(
                "key \"cells.plane\": [\"{a}\", \"{b}\"] is no plane of a {dimension}-D run; name two of its axes"
            )));
        }
        if let (Some(from), Some(to)) = (self.from, self.to)
            && from >= to
        {
            return Err(Fault::usage(format!(
                "key \"cells.from\": {from} is not below \"cells.to\", {to}; exchange them"
            )));
        }
        Ok(())
    }
}

/// A plane normal to an axis.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "snake_case")]
pub struct PlaneConfig {
    /// Its name, which becomes part of file names: letters, digits, `-` and `_`.
    pub name: String,
    /// The axis it is normal to.
    pub axis: Axis,
    /// Where it cuts that axis.
    pub at: Length,
}

/// A straight line.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "snake_case")]
pub struct LineConfig {
    /// Its name, which becomes part of file names: letters, digits, `-` and `_`.
    pub name: String,
    /// Where it starts: x, y and, in 3-D, z.
    pub from: Vec<Length>,
    /// Where it ends: x, y and, in 3-D, z.
    pub to: Vec<Length>,
    /// Number of points on it, both ends included. Default: 201.
    #[serde(default = "points")]
    #[schemars(range(min = 2, max = 1_000_000))]
    pub points: usize,
}

fn points() -> usize {
    201
}

impl PostConfig {
    /// The planes in the config, if any.
    ///
    /// # Errors
    /// A usage fault for a name that cannot be part of a file name or is given twice.
    pub fn planes(&self) -> Result<Option<Vec<Plane>>> {
        let Some(planes) = &self.planes else { return Ok(None) };
        check_names("planes", planes.iter().map(|plane| plane.name.as_str()))?;
        let plane = |p: &PlaneConfig| Plane { name: p.name.clone(), axis: p.axis as usize, at: p.at.si() };
        Ok(Some(planes.iter().map(plane).collect()))
    }

    /// The planes in the config, or else those through the middle of the domain.
    ///
    /// # Errors
    /// As [`PostConfig::planes`], and for a plane that misses the domain.
    pub fn planes_in(&self, nodes: &Nodes) -> Result<Vec<Plane>> {
        let planes = self.planes()?.unwrap_or_else(|| Plane::middles(nodes));
        planes.iter().try_for_each(|plane| plane.layers(nodes).map(|_| ()))?;
        Ok(planes)
    }

    /// The lines in the config, if any, in a domain of `dimension` axes.
    ///
    /// # Errors
    /// As [`PostConfig::planes`], and for points of the wrong dimension.
    pub fn lines(&self, dimension: usize) -> Result<Option<Vec<Line>>> {
        let Some(lines) = &self.lines else { return Ok(None) };
        check_names("lines", lines.iter().map(|line| line.name.as_str()))?;
        let line = |(i, l): (usize, &LineConfig)| {
            Ok(Line {
                name: l.name.clone(),
                from: point(&format!("lines[{i}].from"), &l.from, dimension)?,
                to: point(&format!("lines[{i}].to"), &l.to, dimension)?,
                points: l.points,
            })
        };
        lines.iter().enumerate().map(line).collect::<Result<_>>().map(Some)
    }
}

fn point(key: &str, lengths: &[Length], dimension: usize) -> Result<[f64; 3]> {
    if lengths.len() != dimension {
        let got = lengths.len();
        return Err(Fault::usage(format!("key \"{key}\": {got} lengths, a {dimension}-D domain needs {dimension}")));
    }
    Ok(std::array::from_fn(|axis| lengths.get(axis).map_or(0.0, |length| length.si())))
}

fn check_names<'a>(key: &str, names: impl Iterator<Item = &'a str>) -> Result<()> {
    let mut seen = BTreeSet::new();
    for (i, name) in names.enumerate() {
        check_file_name(name).map_err(|fault| fault.within(format!("key \"{key}[{i}].name\"")))?;
        if !seen.insert(name) {
            return Err(Fault::usage(format!("key \"{key}[{i}].name\": \"{name}\" stands twice; give each its own")));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config(value: serde_json::Value) -> Result<PostConfig> {
        hematite_config::from_value("post.json", value)
    }

    #[test]
    fn planes_and_lines_come_in_si() {
        let config = config(serde_json::json!({
            "planes": [{"name": "throat", "axis": "y", "at": "4 m"}],
            "lines": [{"name": "l", "from": ["0 m", "1 um"], "to": ["3 m", "0.5 m"]}],
        }))
        .expect("reads");
        let planes = config.planes().expect("sound").expect("there");
        assert_eq!(planes, [Plane { name: "throat".into(), axis: 1, at: 4.0 }]);
        let lines = config.lines(2).expect("sound").expect("there");
        assert_eq!((lines[0].to, lines[0].points), ([3.0, 0.5, 0.0], 201));
        let message = config.lines(3).expect_err("flat points").message;
        assert!(message.contains("lines[0].from"), "{message}");
    }

    #[test]
    fn choices_for_cells_are_checked() {
        let cells = |json: serde_json::Value| config(serde_json::json!({"cells": json})).expect("reads").cells;
        assert!(cells(serde_json::json!({"axis": "z", "plane": ["z", "x"], "shapes": "all"})).check(3).is_ok());
        for (json, key) in [
            (serde_json::json!({"axis": "z"}), "cells.axis"),
            (serde_json::json!({"plane": ["x", "x"]}), "cells.plane"),
            (serde_json::json!({"from": "2 um", "to": "1 um"}), "cells.from"),
        ] {
            assert!(cells(json).check(2).expect_err(key).message.contains(key));
        }
        assert!(config(serde_json::json!({"cells": {"axes": "x"}})).is_err());
    }

    #[test]
    fn directions_of_forces_are_checked() {
        let forces = |json: serde_json::Value| config(serde_json::json!({"forces": json})).expect("reads").forces;
        let found = forces(serde_json::json!({"drag": [0, 2]})).directions(2).expect("sound");
        assert_eq!((found.drag, found.lift), ([0.0, 1.0, 0.0], [-1.0, 0.0, 0.0]));
        assert!(forces(serde_json::json!({"drag": [1, 0, 0], "lift": [0, 0, 1]})).directions(3).is_ok());
        for (json, dimension, key) in [
            (serde_json::json!({"drag": [1, 0]}), 3, "forces.drag"),
            (serde_json::json!({"drag": [0, 0]}), 2, "\"forces\""),
            (serde_json::json!({"lift": [0, 1]}), 2, "forces.lift"),
            (serde_json::json!({"drag": [0, 1, 0], "lift": [0, 3, 0]}), 3, "\"forces\""),
        ] {
            let fault = forces(json).directions(dimension).expect_err(key);
            assert!(fault.message.contains(key), "{fault}");
        }
        assert!(config(serde_json::json!({"forces": {"drog": [1, 0]}})).is_err());
    }

    #[test]
    fn bad_names_and_keys_are_refused() {
        for name in ["", "../up", "a b"] {
            let plane = serde_json::json!({"name": name, "axis": "x", "at": "0 m"});
            let config = config(serde_json::json!({"planes": [plane]})).expect("reads");
            assert!(config.planes().is_err(), "{name}");
        }
        let plane = serde_json::json!({"name": "p", "axis": "x", "at": "0 m"});
        let twice = config(serde_json::json!({"planes": [plane, plane]})).expect("reads");
        assert!(twice.planes().expect_err("twice").message.contains("twice"));
        assert!(config(serde_json::json!({"plains": []})).expect_err("a slip").message.contains("planes"));
    }
}
