//! The config of `post flow`.

use std::collections::BTreeSet;

use hematite_config::{Fault, Result};
use hematite_dump::Axis;
use hematite_stats::plane::Plane;
use hematite_stats::profile::Line;
use hematite_units::quantity::Length;
use schemars::JsonSchema;
use serde::Deserialize;

/// What `post flow` shows in place of its defaults.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "snake_case")]
pub struct PostConfig {
    /// Planes for flow rates and, in 3-D, for maps. Default: those through the middle of the domain.
    #[serde(default)]
    pub planes: Option<Vec<PlaneConfig>>,
    /// Lines for profiles. Default: those across the middle of the domain along each axis.
    #[serde(default)]
    pub lines: Option<Vec<LineConfig>>,
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
    /// The planes it names, if any.
    ///
    /// # Errors
    /// A usage fault for a name that is no file name or stands twice.
    pub fn planes(&self) -> Result<Option<Vec<Plane>>> {
        let Some(planes) = &self.planes else { return Ok(None) };
        check_names("planes", planes.iter().map(|plane| plane.name.as_str()))?;
        let plane = |p: &PlaneConfig| Plane { name: p.name.clone(), axis: p.axis as usize, at: p.at.si() };
        Ok(Some(planes.iter().map(plane).collect()))
    }

    /// The lines it names, if any, in a domain of `dimension` axes.
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
        let fit = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
        if name.is_empty() || name.len() > 64 || !name.chars().all(fit) {
            return Err(Fault::usage(format!(
                "key \"{key}[{i}].name\": \"{name}\" must be 1 to 64 letters, digits, - or _ (it becomes a file name)"
            )));
        }
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
