//! Fields of a case: a number at each node, from an image, a volume or constants.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use hematite_config::{Fault, Result, check_name, sibling};
use hematite_units::Dimension;
use hematite_units::quantity::Quantity;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::config::VoxelConfig;
use crate::read;
use crate::region::RegionConfig;
use crate::volume::{Values, Volume};

/// A number at each node: from exactly one of `image`, `voxels` and `constant`, or from `regions` alone, e.g. {"image":
/// "etna.tif", "unit": "1 m"} or {"constant": "300 K", "regions": {"vent": "1360 K"}}.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "snake_case", default)]
pub struct FieldConfig {
    /// A grey image, e.g. "etna.tif", pixel for pixel that of the geometry or of its size: `crop` and `refine` apply to both.
    /// TIFF files of floating-point or 16-bit values hold heights of a model of terrain. Values are those that rules see.
    pub image: Option<PathBuf>,
    /// A volume, e.g. {"file": "porosity.mha"}, of as many voxels as the geometry's.
    pub voxels: Option<VoxelConfig>,
    /// What 1 in the file means, e.g. "1 m" or "0.1 K"; "1" for a number without unit.
    pub unit: Option<Quantity>,
    /// What 0 in the file means, e.g. "-100 m"; 0 by default.
    pub offset: Option<Quantity>,
    /// The value in the file that stands for none, e.g. -9999, as NaN always does. Every fluid node needs a value.
    pub missing: Option<f64>,
    /// How values come to nodes between the centres of pixels or voxels, where these are divided: "linear" (default)
    /// or "nearest". Larger nodes have the mean over the pixels that they cover, or the value of the one in their
    /// middle. Values of walls and openings are left out, and so is what would be beyond the picture.
    pub interpolation: Option<Interpolation>,
    /// The same at all nodes, e.g. "300 K".
    pub constant: Option<Quantity>,
    /// Values at the nodes of regions, in place of others, e.g. {"vent": "1360 K"}.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub regions: BTreeMap<String, Quantity>,
}

/// How values come to nodes between the centres of pixels or voxels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Interpolation {
    /// In proportion to the distances along each axis.
    #[default]
    Linear,
    /// That of the pixel or voxel which holds the node.
    Nearest,
}

impl FieldConfig {
    /// The dimension of its values.
    pub(crate) fn dimension(&self) -> Option<Dimension> {
        let quantities = self.unit.iter().chain(&self.constant).chain(self.regions.values());
        quantities.map(|quantity| quantity.dimension).next()
    }

    /// Whether its values come from a file.
    pub(crate) fn has_file(&self) -> bool {
        self.image.is_some() || self.voxels.is_some()
    }

    /// Checks what can be told without files and lattice.
    fn check(&self, regions: &[RegionConfig]) -> Result<()> {
        let sources = [self.image.is_some(), self.voxels.is_some(), self.constant.is_some()];
        match sources.into_iter().filter(|&given| given).count() {
            0 if !self.regions.is_empty() => {}
            1 => {}
            n => {
                return Err(Fault::usage(format!(
                    "has {n} sources; give exactly one of image, voxels, constant, or \"regions\" alone"
                )));
            }
        }
        match (self.has_file(), &self.unit) {
            (true, None) => return Err(Fault::usage("needs \"unit\", what 1 in the file means, e.g. \"1 m\"")),
            (true, Some(unit)) if unit.si == 0.0 => {
                return Err(Fault::usage(format!(
                    "unit: {unit} makes all values the same; give what 1 means, e.g. \"1 m\""
                )));
            }
            _ => {}
        }
        let of_files = [
            ("unit", self.unit.is_some()),
            ("offset", self.offset.is_some()),
            ("missing", self.missing.is_some()),
            ("interpolation", self.interpolation.is_some()),
        ];
        if let Some((key, _)) = of_files.into_iter().find(|&(_, given)| given && !self.has_file()) {
            return Err(Fault::usage(format!("\"{key}\" is for values of a file; take it out")));
        }
        let wanted = self.dimension().unwrap_or_default();
        let keyed = [("offset", &self.offset), ("constant", &self.constant)];
        let keyed = keyed.into_iter().filter_map(|(key, quantity)| Some((key.to_owned(), (*quantity)?)));
        let named = self.regions.iter().map(|(name, &quantity)| (format!("regions: \"{name}\""), quantity));
        if let Some((key, other)) = keyed.chain(named).find(|(_, quantity)| quantity.dimension != wanted) {
            return Err(Fault::usage(format!(
                "{key}: \"{other}\" has another dimension than the field's other values, whose unit is {}",
                wanted.symbol()
            )));
        }
        let known = || regions.iter().map(|region| region.name.as_str());
        if let Some(name) = self.regions.keys().find(|name| !known().any(|known| known == *name)) {
            return Err(Fault::usage(format!("regions: {}", crate::marking::unknown("region", name, known()))));
        }
        Ok(())
    }

    /// Reads its file.
    ///
    /// # Errors
    /// A usage fault that names the file: unreadable, of another size than `shape`, or of colours.
    pub(crate) fn read(&self, config_path: &Path, shape: [usize; 3]) -> Result<Option<Volume>> {
        let (path, mut volume) = match (&self.image, &self.voxels) {
            (Some(image), _) => (sibling(config_path, image), read::image(&sibling(config_path, image))?),
            (_, Some(voxels)) => {
                let path = sibling(config_path, &voxels.file);
                (path.clone(), read::voxels(&path, voxels)?)
            }
            _ => return Ok(None),
        };
        let fault = |text: String| Err(Fault::usage(format!("{}: {text}", path.display())));
        if volume.values.is_colour() {
            return fault("holds colours, a field needs numbers: save it in grey, or as a TIFF of numbers".into());
        }
        if volume.shape != shape {
            return fault(format!(
                "has {:?} pixels or voxels along x, y, z, the geometry {shape:?}: resample one to the grid of the other",
                volume.shape
            ));
        }
        volume.spacing = None;
        Ok(Some(volume))
    }

    /// The value in SI of value number `i` of its file; none where it is missing.
    pub(crate) fn value(&self, values: &Values, i: usize) -> Option<f64> {
        let number = values.number(i)?;
        let narrow = matches!(values, Values::F32(_));
        let is_missing = |missing: f64| number == missing || (narrow && number as f32 == missing as f32);
        if !number.is_finite() || self.missing.is_some_and(is_missing) {
            return None;
        }
        let unit = self.unit.map_or(1.0, |unit| unit.si);
        Some(number * unit + self.offset.map_or(0.0, |offset| offset.si)).filter(|value| value.is_finite())
    }

    /// The files that it is read from, for provenance.
    pub(crate) fn inputs(&self, config_path: &Path) -> Vec<PathBuf> {
        let mut files: Vec<PathBuf> = self.image.iter().map(|image| sibling(config_path, image)).collect();
        if let Some(voxels) = &self.voxels {
            let path = sibling(config_path, &voxels.file);
            let companions = read::companions(&path);
            files.push(path);
            files.extend(companions);
        }
        files
    }
}

/// Checks what can be told of fields without files and lattice.
///
/// # Errors
/// With the field's name and the key at fault.
pub(crate) fn check(fields: &BTreeMap<String, FieldConfig>, regions: &[RegionConfig]) -> Result<()> {
    for (name, field) in fields {
        let within = |fault: Fault| fault.within(format!("fields: \"{name}\""));
        check_name(name).map_err(within)?;
        if regions.iter().any(|region| region.name == *name) {
            return Err(within(Fault::usage("a region has this name; names must differ")));
        }
        field.check(regions).map_err(within)?;
    }
    Ok(())
}
