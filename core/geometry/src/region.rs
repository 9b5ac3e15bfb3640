//! Regions: named sets of lattice nodes, as a case config asks for them.

use hematite_config::{Fault, Result, check_name};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::opening::{BoxConfig, OpeningConfig};
use crate::rules::Condition;
use crate::spot::{DiscConfig, SegmentConfig};
use crate::wall_part::WallPartConfig;

/// A region: a name and exactly one of `box`, `disc`, `segment`, `label`, `colour`, `below`, `above`, `equals`,
/// `between`, `any_of`, e.g. {"name": "water", "box": {"min": ["0 m", "0 m"], "max": ["1 m", "2 m"]}} or {"name":
/// "vent", "label": "vent"}. Its nodes are the fluid nodes there. Regions may overlap. Where pixels or voxels are
/// divided by `refine`, a node is of the one it lies in; where smoothing makes fluid of a part of a wall pixel, nodes
/// there are of the nearest fluid one.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "snake_case", default)]
pub struct RegionConfig {
    /// The name by which runs use it, e.g. "vent"; each name once, fields included.
    pub name: String,
    /// Nodes in this box.
    #[serde(rename = "box")]
    pub bounds: Option<BoxConfig>,
    /// Nodes around a point, e.g. {"centre": ["500.12 km", "4177.5 km"], "radius": "20 m"}; without a radius the node
    /// there.
    pub disc: Option<DiscConfig>,
    /// Nodes along a line, e.g. a fissure, {"from": ["1 km", "2 km"], "to": ["1.4 km", "2.3 km"]}.
    pub segment: Option<SegmentConfig>,
    /// Nodes of pixels or voxels that a rule of the geometry labels so, e.g. "vent" with the rule {"colour": "#ff0000", "is":
    /// "vent"}: they are fluid.
    pub label: Option<String>,
    /// Nodes of pixels of exactly this colour, e.g. "#ff0000"; images only.
    pub colour: Option<String>,
    /// Nodes of pixels or voxels with values < this, as rules see them, e.g. 128.
    pub below: Option<f64>,
    /// Nodes of pixels or voxels with values >= this, e.g. 128.
    pub above: Option<f64>,
    /// Nodes of pixels or voxels with this value, e.g. 3.
    pub equals: Option<f64>,
    /// Nodes of pixels or voxels with values from the first to the second number, both included, e.g. [100, 150].
    pub between: Option<[f64; 2]>,
    /// Nodes in any of several places, e.g. [{"label": "vent"}, {"box": {"min": ["0 m", "0 m"], "max": ["1 m", "2 m"]}}].
    pub any_of: Option<Vec<PlaceConfig>>,
}

/// One of the places of a region, as the key of the same name, e.g. {"equals": 3}.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PlaceConfig {
    /// Nodes in this box.
    Box(BoxConfig),
    /// Nodes around a point.
    Disc(DiscConfig),
    /// Nodes along a line.
    Segment(SegmentConfig),
    /// Nodes of pixels or voxels that a rule of the geometry labels so.
    Label(String),
    /// Nodes of pixels of exactly this colour; images only.
    Colour(String),
    /// Nodes of pixels or voxels with values < this.
    Below(f64),
    /// Nodes of pixels or voxels with values >= this.
    Above(f64),
    /// Nodes of pixels or voxels with this value.
    Equals(f64),
    /// Nodes of pixels or voxels with values from the first to the second number, both included.
    Between([f64; 2]),
}

impl PlaceConfig {
    /// Whether it says where nodes are, not what they are made from.
    pub(crate) fn is_position(&self) -> bool {
        matches!(self, Self::Box(_) | Self::Disc(_) | Self::Segment(_))
    }

    /// The condition on values; none of a position or a label.
    ///
    /// # Errors
    /// When nothing meets it.
    pub(crate) fn condition(&self) -> Result<Option<Condition>> {
        Ok(Some(match self {
            Self::Box(_) | Self::Disc(_) | Self::Segment(_) | Self::Label(_) => return Ok(None),
            Self::Colour(text) => Condition::colour(text)?,
            Self::Below(v) => Condition::below(*v),
            Self::Above(v) => Condition::above(*v),
            Self::Equals(v) => Condition::between([*v, *v])?,
            Self::Between(range) => Condition::between(*range)?,
        }))
    }
}

impl RegionConfig {
    /// Whether some place of it is one of pixels, by their values or the labels that these have.
    pub(crate) fn asks_for_values(&self) -> bool {
        self.places().is_ok_and(|places| !places.iter().all(PlaceConfig::is_position))
    }

    /// Its places.
    ///
    /// # Errors
    /// When the config gives none, or in several ways.
    pub(crate) fn places(&self) -> Result<Vec<PlaceConfig>> {
        let one = [
            self.bounds.clone().map(PlaceConfig::Box),
            self.disc.clone().map(PlaceConfig::Disc),
            self.segment.clone().map(PlaceConfig::Segment),
            self.label.clone().map(PlaceConfig::Label),
            self.colour.clone().map(PlaceConfig::Colour),
            self.below.map(PlaceConfig::Below),
            self.above.map(PlaceConfig::Above),
            self.equals.map(PlaceConfig::Equals),
            self.between.map(PlaceConfig::Between),
        ];
        let given: Vec<PlaceConfig> = one.into_iter().flatten().collect();
        match (given.len(), &self.any_of) {
            (1, None) => Ok(given),
            (0, Some(places)) if !places.is_empty() => Ok(places.clone()),
            (0, Some(_)) => Err(Fault::usage("\"any_of\" is empty; give places, or take the region out")),
            (n, any_of) => Err(Fault::usage(format!(
                "has {} places; give exactly one of box, disc, segment, label, colour, below, above, equals, between, any_of",
                n + usize::from(any_of.is_some())
            ))),
        }
    }
}

/// Checks what can be told without the lattice: names, places, labels.
///
/// # Errors
/// With the region's name and the key at fault.
pub(crate) fn check(
    regions: &[RegionConfig],
    openings: &[OpeningConfig],
    wall_parts: &[WallPartConfig],
    labelled: impl Fn(&str) -> bool,
) -> Result<()> {
    for (i, region) in regions.iter().enumerate() {
        check_name(&region.name).map_err(|fault| fault.within(format!("key \"regions[{i}]\"")))?;
        let within = |fault: Fault| fault.within(format!("regions: \"{}\"", region.name));
        if regions[..i].iter().any(|other| other.name == region.name) {
            return Err(within(Fault::usage("there are two of this name; names must differ")));
        }
        for place in region.places().map_err(within)? {
            place.condition().map_err(within)?;
            let PlaceConfig::Label(label) = &place else { continue };
            let of_opening = || openings.iter().find(|opening| opening.label.as_ref() == Some(label));
            let of_wall = || wall_parts.iter().find(|part| part.label.as_ref() == Some(label));
            let text = if label == "fluid" || label == "wall" {
                format!("\"{label}\" is no label but a kind of site; choose another name")
            } else if let Some(opening) = of_opening() {
                format!(
                    "label \"{label}\" is of opening \"{}\", whose sites are no nodes; give each its own",
                    opening.name
                )
            } else if let Some(part) = of_wall() {
                format!("label \"{label}\" is of wall part \"{}\", which is no fluid; give each its own", part.name)
            } else if !labelled(label) {
                format!("no rule of \"geometry\" produces label \"{label}\"; add {{..., \"is\": \"{label}\"}}")
            } else {
                continue;
            };
            return Err(within(Fault::usage(text)));
        }
    }
    Ok(())
}

/// Whether a region asks for pixels with a label.
pub(crate) fn uses(regions: &[RegionConfig], label: &str) -> bool {
    let is_label = |place: &PlaceConfig| matches!(place, PlaceConfig::Label(used) if used == label);
    regions.iter().any(|region| region.places().is_ok_and(|places| places.iter().any(is_label)))
}
