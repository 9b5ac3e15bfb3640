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
    /// Whether the vessel runs straight for half a width there, and neither widens, narrows nor splits soon behind it, so
    /// that direction and area are sure.
    pub is_sure: bool,
    /// Whether the vessel ends there within the picture, the volume or the surface, closed by wall.
    pub is_tip: bool,
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
pub fn width_of(area: f64, dimension: usize) -> f64 {
    if dimension == 2 { area } else { 2.0 * (area / PI).sqrt() }
}

/// Areas that differ by less than this share are alike.
const ALIKE: f64 = 1e-3;
/// Places are alike along an axis where they differ by less than this share of the domain's size.
const BESIDE: f64 = 1e-3;

/// Numbers ends: the largest first; of areas alike to 0.1 %, the one of the lowest x; where that is alike to 0.1 % of
/// `size`, the domain's diagonal in metres, of the lowest y, and then z. Rounding changes no number.
pub(crate) fn number(ends: &mut [End], size: f64) {
    let is_smaller = |first: f64, next: f64| next < first * (1.0 - ALIKE);
    in_groups(ends, |end| -end.area, |first, next| is_smaller(-first, -next), |alike| beside(alike, 0, size));
}

/// Orders ends of one size by their place along `axis` and those after it.
fn beside(ends: &mut [End], axis: usize, size: f64) {
    if axis < 3 {
        let is_beyond = |first: f64, next: f64| next - first > BESIDE * size;
        in_groups(ends, |end| end.centre[axis], is_beyond, |alike| beside(alike, axis + 1, size));
    }
}

/// Sorts by `key`, and hands those that are alike, none of which `differs` from the first of them, to `within`.
fn in_groups(
    ends: &mut [End],
    key: impl Fn(&End) -> f64,
    differs: impl Fn(f64, f64) -> bool,
    within: impl Fn(&mut [End]),
) {
    ends.sort_by(|a, b| key(a).total_cmp(&key(b)));
    let mut from = 0;
    while from < ends.len() {
        let first = key(&ends[from]);
        let to = (from..ends.len()).find(|&k| differs(first, key(&ends[k]))).unwrap_or(ends.len());
        within(&mut ends[from..to]);
        from = to;
    }
}

/// What the ends of a vessel are, e.g. {"largest": "velocity", "others": "pressure"}: openings "end-0", "end-1" and so
/// on, the largest first, as `mkcase --check` lists them.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "snake_case")]
pub struct EndsConfig {
    /// The kind of opening at the end of the largest area that is opened: "end-0", unless that stays closed.
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
        let is_opened = |k: &usize| !self.closed.contains(k) && ends[*k].width(dimension) >= least;
        let opened: Vec<usize> = (0..ends.len()).filter(is_opened).collect();
        // Ends are numbered by size.
        let kind = |k: usize| if opened.first() == Some(&k) { self.largest } else { self.others };
        let openings: Vec<_> = opened.iter().map(|&k| OpeningConfig::at_end(format!("end-{k}"), kind(k), k)).collect();
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

#[cfg(test)]
mod tests {
    use super::*;

    fn end(centre: [f64; 3], area: f64) -> End {
        End {
            centre,
            normal: [1.0, 0.0, 0.0],
            area,
            perimeter: None,
            through: None,
            is_sure: true,
            is_tip: false,
            odd: None,
        }
    }

    #[test]
    fn rounding_changes_no_number() {
        let exact = [([0.0, 0.0, 5.0], 4.0), ([0.0, 0.0, 0.0], 2.0), ([0.0, 0.0, 6.0], 2.0), ([-1.0, 0.0, 9.0], 1.0)];
        for (k, way) in (0..64).flat_map(|k| [(k, 1.0), (k, -1.0)]) {
            let noise = |n: usize| way * if k >> (n % 6) & 1 == 1 { 1e-6 } else { 0.0 };
            let mut ends: Vec<End> = exact
                .iter()
                .enumerate()
                .map(|(n, (at, area))| {
                    end([at[0] + noise(n), at[1] - noise(n + 1), at[2]], area * (1.0 + noise(n + 2)))
                })
                .collect();
            if way < 0.0 {
                ends.reverse();
            }
            number(&mut ends, 10.0);
            assert_eq!(ends.iter().map(|end| end.centre[2]).collect::<Vec<_>>(), [5.0, 0.0, 6.0, 9.0], "{ends:?}");
        }
    }
}
