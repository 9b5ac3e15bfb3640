//! The lattice nodes that a dump holds.

use hematite_config::{Fault, Result};
use hematite_units::quantity::Length;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Grid;

/// The part of the domain that is dumped: `box` or `plane`; without either, all of it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "snake_case")]
pub struct DumpRegion {
    /// Nodes whose centres lie in a box.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub r#box: Option<RegionBox>,
    /// The layer of nodes that holds a plane.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plane: Option<RegionPlane>,
}

/// A box along the axes, faces included.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "snake_case")]
pub struct RegionBox {
    /// Lower corner: x, y and, in 3-D, z.
    pub min: Vec<Length>,
    /// Upper corner: x, y and, in 3-D, z.
    pub max: Vec<Length>,
}

/// A plane across an axis.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "snake_case")]
pub struct RegionPlane {
    /// The axis it is normal to.
    pub axis: Axis,
    /// Where it cuts that axis.
    pub at: Length,
}

/// An axis of the lattice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Axis {
    /// Axis 0.
    X,
    /// Axis 1.
    Y,
    /// Axis 2, in 3-D only.
    Z,
}

impl DumpRegion {
    /// Refuses a region that does not fit a lattice of `dimension` axes. `key`: path of the region in the config.
    ///
    /// # Errors
    /// A usage fault that names the key.
    pub fn check(&self, dimension: usize, key: &str) -> Result<()> {
        if self.r#box.is_some() && self.plane.is_some() {
            return Err(Fault::usage(format!("key \"{key}\": has both \"box\" and \"plane\"; keep one")));
        }
        if let Some(RegionBox { min, max }) = &self.r#box {
            for (name, corner) in [("min", min), ("max", max)] {
                if corner.len() != dimension {
                    let got = corner.len();
                    return Err(Fault::usage(format!(
                        "key \"{key}.box.{name}\": has {got} lengths, the case {dimension} axes"
                    )));
                }
            }
            if let Some(axis) = (0..dimension).find(|&axis| min[axis].0 > max[axis].0) {
                let (min, max) = (min[axis], max[axis]);
                return Err(Fault::usage(format!("key \"{key}.box\": min {min} is above max {max} on axis {axis}")));
            }
        }
        match &self.plane {
            Some(plane) if plane.axis as usize >= dimension => {
                Err(Fault::usage(format!("key \"{key}.plane.axis\": a 2-D case has no axis z")))
            }
            _ => Ok(()),
        }
    }

    /// Indices of the nodes of `grid` in the region, in the grid's order. The region must have passed
    /// [`check`](Self::check) for the dimension of the grid.
    pub fn select(&self, grid: &Grid) -> Vec<usize> {
        let inside = |position: &[i32; 3]| {
            let low = |axis: usize| grid.origin[axis] + f64::from(position[axis]) * grid.spacing;
            let in_box = self.r#box.as_ref().is_none_or(|region| {
                (0..grid.dimension).all(|axis| {
                    let centre = low(axis) + 0.5 * grid.spacing;
                    (region.min[axis].0..=region.max[axis].0).contains(&centre)
                })
            });
            let on_plane = self.plane.as_ref().is_none_or(|plane| {
                let axis = plane.axis as usize;
                position[axis] == ((plane.at.0 - grid.origin[axis]) / grid.spacing).floor() as i32
            });
            in_box && on_plane
        };
        (0..grid.position.len()).filter(|&n| inside(&grid.position[n])).collect()
    }
}

#[cfg(test)]
mod tests {
    use hematite_case::NodeId;
    use serde_json::json;

    use super::*;

    fn region(json: serde_json::Value) -> Result<DumpRegion> {
        hematite_config::from_value("run.json", json)
    }

    /// A 4 x 3 x 2 block of nodes of 1 um with its corner at (-1, 0, 0) um.
    fn block() -> Grid {
        let sites = (0..2).flat_map(|z| (0..3).flat_map(move |y| (0..4).map(move |x| [x, y, z])));
        let position: Vec<[i32; 3]> = sites.collect();
        let id = (0..24).map(NodeId).collect();
        Grid { dimension: 3, spacing: 1e-6, origin: [-1e-6, 0.0, 0.0], id, position }
    }

    #[test]
    fn regions_select_by_place() {
        let grid = block();
        let whole = region(json!({})).expect("parses");
        assert_eq!(whole.select(&grid).len(), 24);
        let plane = region(json!({"plane": {"axis": "x", "at": "0.3 um"}})).expect("parses");
        let layer = grid.take(&plane.select(&grid));
        assert!(layer.position.len() == 6 && layer.position.iter().all(|p| p[0] == 1), "{layer:?}");
        let corner = json!({"box": {"min": ["-0.6 um", "1 um", "0 um"], "max": ["0.6 um", "2 um", "0.9 um"]}});
        let corner = region(corner).expect("parses");
        assert_eq!(grid.take(&corner.select(&grid)).position, [[0, 1, 0], [1, 1, 0]]);
        let outside = region(json!({"plane": {"axis": "z", "at": "9 um"}})).expect("parses");
        assert!(outside.select(&grid).is_empty());
    }

    #[test]
    fn nonsense_names_the_key() {
        let flat = json!({"min": ["0 um", "0 um"], "max": ["1 um", "-1 um"]});
        for (json, dimension, word) in [
            (json!({"box": flat, "plane": {"axis": "x", "at": "0 um"}}), 2, "both"),
            (json!({"box": flat}), 2, "axis 1"),
            (json!({"box": flat}), 3, "dumps.box.min"),
            (json!({"plane": {"axis": "z", "at": "0 um"}}), 2, "no axis z"),
        ] {
            let fault = region(json).expect("parses").check(dimension, "dumps").expect_err("nonsense");
            assert!(fault.message.contains(word), "{fault}");
        }
        assert!(region(json!({"sphere": {}})).is_err());
        assert!(hematite_config::schema::<DumpRegion>().contains("\"box\""));
    }
}
