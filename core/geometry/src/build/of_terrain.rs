//! The domain of a model of terrain.

use std::collections::BTreeMap;
use std::path::Path;

use hematite_config::{Fault, Result};

use super::{Drawn, Picture};
use crate::config::GeometryConfig;
use crate::field::FieldConfig;
use crate::opening::OpeningConfig;
use crate::region::{self, RegionConfig};
use crate::relief::{self, Relief};
use crate::terrain::{ELEVATION, TerrainConfig};
use crate::wall_part::{self, WallPartConfig};

/// The domain of a model of terrain.
pub(super) fn on_terrain(
    config_path: &Path,
    geometry: &GeometryConfig,
    config: &TerrainConfig,
    (openings, wall_parts): (&[OpeningConfig], &[WallPartConfig]),
    regions: &[RegionConfig],
    fields: &BTreeMap<String, FieldConfig>,
) -> Result<Drawn> {
    if let Some(opening) = openings.first() {
        return Err(Fault::usage(format!(
            "opening \"{}\": \"openings\" are not for \"terrain\": take them out; \"regions\" say where something comes out of the ground",
            opening.name
        )));
    }
    if fields.contains_key(ELEVATION) {
        return Err(Fault::usage(format!(
            "fields: \"{ELEVATION}\" is made by \"terrain\" itself: take it out, or name it otherwise"
        )));
    }
    wall_part::check(wall_parts, openings, |_| false)?;
    region::check(regions, openings, wall_parts, |_| false)?;
    if regions.iter().any(|region| region.name == ELEVATION) {
        return Err(Fault::usage(format!(
            "regions: \"{ELEVATION}\" is the field that \"terrain\" makes; names must differ"
        )));
    }
    let Relief { mut domain, pixels, heights } = relief::lay(config_path, geometry, config)?;
    domain.wall_parts = wall_parts.iter().map(|part| part.name.clone()).collect();
    let values = regions.iter().any(RegionConfig::asks_for_values).then(|| heights.values().clone());
    let picture = Some(Picture { pixels: Some(pixels), values, rules: Vec::new(), heights: Some(heights) });
    Ok(Drawn { domain, openings: Vec::new(), ends: Vec::new(), labelled: None, picture })
}
