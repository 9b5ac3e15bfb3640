//! Ends of vessels: what is known of one, how they are numbered, and the openings that a config makes of them.

use std::f64::consts::PI;

use hematite_config::{Fault, Result};
use hematite_units::quantity::Length;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::domain::OpeningKind;
use crate::opening::OpeningConfig;

/// An end of a vessel: a flat cap of a surface, where the border of a picture or a volume cuts a vessel, or a tip.
#[derive(Clone, Debug, PartialEq)]
pub struct End {
    /// Its middle, metres.
    pub centre: [f64; 3],
    /// Unit vector along the vessel, into it.
    pub normal: [f64; 3],
    /// The area of the vessel's section, m2; in 2-D its width, m.
    pub area: f64,
    /// The length of its rim, of a cap.
    pub perimeter: Option<f64>,
    /// A point of the section that opens it; for caps that follows from the spacing.
    pub through: Option<[f64; 3]>,
    /// Why it cannot be opened, where the vessel has no direction there.
    pub odd: Option<&'static str>,
}

impl End {
    /// The diameter of a circle of its area; in 2-D its width.
    pub fn width(&self, dimension: usize) -> f64 {
        width_of(self.area, dimension)
    }

    /// What to say of it as number `k`.
    pub(crate) fn describe(&self, k: usize, dimension: usize) -> String {
        let tidy = |x: f64, unit: f64| if x.abs() < 1e-6 * unit { 0.0 } else { x };
        let direction: Vec<String> = self.normal[..dimension].iter().map(|&n| format!("{:.3}", tidy(n, 1e3))).collect();
        let size = self.perimeter.unwrap_or(self.width(dimension));
        let centre: Vec<String> = self.centre[..dimension].iter().map(|&x| format!("{:.4e}", tidy(x, size))).collect();
        let measure = match (dimension, self.perimeter) {
            (2, _) => format!("width {:.4e} m", self.area),
            (_, Some(perimeter)) => format!("area {:.4e} m2, perimeter {perimeter:.4e} m", self.area),
            (_, None) => format!("area {:.4e} m2, width {:.4e} m", self.area, self.width(dimension)),
        };
        let (centre, direction) = (centre.join(", "), direction.join(", "));
        match self.odd {
            None => format!("end {k} at ({centre}) m, into the vessel ({direction}), {measure}"),
            Some(why) => format!("end {k} at ({centre}) m, {measure} at the border, without direction: {why}"),
        }
    }
}

/// The width of a vessel whose section has this area: in 3-D the diameter of a circle, in 2-D the area itself.
pub(crate) fn width_of(area: f64, dimension: usize) -> f64 {
    if dimension == 2 { area } else { 2.0 * (area / PI).sqrt() }
}

/// Numbers ends: the largest first; of the same size, the one of the lowest x, y, z.
pub(crate) fn number(ends: &mut [End]) {
    let largest = ends.iter().map(|end| end.area).fold(f64::MIN_POSITIVE, f64::max);
    let size = |end: &End| (1e6 * end.area / largest).round();
    ends.sort_by(|a, b| {
        let place = (0..3).map(|axis| a.centre[axis].total_cmp(&b.centre[axis]));
        place.fold(size(b).total_cmp(&size(a)), |order, next| order.then(next))
    });
}

/// What the ends of a vessel are, e.g. {"largest": "velocity", "others": "pressure"}: openings "end-0", "end-1" and so
/// on, the largest first, as `mkcase --check` lists them.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "snake_case")]
pub struct EndsConfig {
    /// The kind of opening at the end of the largest area, "end-0".
    pub largest: OpeningKind,
    /// The kind of openings at all others, "end-1" and so on.
    pub others: OpeningKind,
    /// Ends narrower than this stay closed by wall, e.g. "20 um": the width of the vessel in 2-D, the diameter of a
    /// circle of its area in 3-D. Default: all are opened.
    #[serde(default)]
    pub narrower_than: Option<Length>,
    /// Numbers of ends that stay closed by wall, or that `openings` open in another way, e.g. [1, 5].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub closed: Vec<usize>,
    /// Whether vessels that end within the picture, the volume or the surface have ends there: tips. Default: only where
    /// there are no other ends.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tips: Option<bool>,
}

/// Whether tips are sought beside other ends: `config` says so, or else none was found and something is opened by number.
pub(crate) fn seeks_tips(config: Option<&EndsConfig>, openings: &[OpeningConfig], others: &[End]) -> bool {
    let is_asked = config.is_some() || openings.iter().any(|opening| opening.end.is_some());
    config.and_then(|config| config.tips).unwrap_or(is_asked && others.is_empty())
}

impl EndsConfig {
    /// The openings at all ends that are wide enough; `key` is where this stands in the config, `none` what to say
    /// where there are no ends.
    ///
    /// # Errors
    /// A usage fault where there are none.
    pub(crate) fn openings(&self, key: &str, none: &str, ends: &[End], dimension: usize) -> Result<Vec<OpeningConfig>> {
        if let Some(k) = self.closed.iter().find(|&&k| k >= ends.len()) {
            return Err(Fault::usage(format!(
                "{key}.closed: end {k} is not there, the vessel has {} ends: `mkcase --check` lists them",
                ends.len()
            )));
        }
        let least = self.narrower_than.map_or(0.0, Length::si);
        let kind = |k: usize| if k == 0 { self.largest } else { self.others };
        let is_opened = |k: &usize| !self.closed.contains(k) && ends[*k].width(dimension) >= least;
        let opened = (0..ends.len()).filter(is_opened);
        let openings: Vec<_> = opened.map(|k| OpeningConfig::at_end(format!("end-{k}"), kind(k), k)).collect();
        if openings.is_empty() {
            let widest = ends.iter().map(|end| end.width(dimension)).reduce(f64::max);
            return Err(Fault::usage(match widest {
                Some(widest) => format!(
                    "{key}: \"narrower_than\" ({least:e} m) and \"closed\" leave no end open, the widest is {widest:.4e} m wide: take a \
                     smaller width or fewer numbers"
                ),
                None => format!("{key}: {none}, or take \"ends\" out and give openings with \"section\""),
            }));
        }
        Ok(openings)
    }
}
