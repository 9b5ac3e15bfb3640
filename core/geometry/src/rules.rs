//! From values to sites: the rules of a config over the part of a volume that is used.

use hematite_config::{Fault, Result};
use rayon::prelude::*;

use crate::config::{Crop, Rule};
use crate::domain::Site;
use crate::refine::own_pixel;
use crate::volume::{Values, Volume};

/// Marks a value that no rule covers.
const UNCOVERED: u8 = u8::MAX;

/// The labelled pixels or voxels that are used, before refinement.
#[derive(Clone, Debug)]
pub struct Labels {
    /// Extents along x, y, z.
    pub shape: [usize; 3],
    /// Where they start in the volume as read.
    pub start: [usize; 3],
    /// What each is; openings and parts of the wall where a rule labels one. x fastest.
    pub sites: Vec<Site>,
}

impl Labels {
    /// The pixel nearest to the centre of a site for which `wanted` holds, of the site's own and those around it. The
    /// site is counted without padding; `factors` sites are along the edge of a pixel along x, y, z.
    pub fn nearest(
        &self,
        site: [usize; 3],
        factors: [f64; 3],
        periodic: [bool; 3],
        wanted: impl Fn(Site) -> bool,
    ) -> Option<[usize; 3]> {
        let mut best = (f64::INFINITY, None);
        let pixel = [0, 1, 2].map(|axis| own_pixel(site[axis], factors[axis], self.shape[axis]) as i64);
        let inside = |axis: usize, i: i64| {
            let n = self.shape[axis] as i64;
            if periodic[axis] { Some(i.rem_euclid(n) as usize) } else { (0..n).contains(&i).then_some(i as usize) }
        };
        for (dz, dy, dx) in (-1..=1).flat_map(|z| (-1..=1).flat_map(move |y| (-1..=1).map(move |x| (z, y, x)))) {
            let there = [pixel[0] + dx, pixel[1] + dy, pixel[2] + dz];
            let (Some(x), Some(y), Some(z)) = (inside(0, there[0]), inside(1, there[1]), inside(2, there[2])) else {
                continue;
            };
            // In edges of a pixel along x.
            let away = |axis: usize| {
                let along = (site[axis] as f64 + 0.5) / factors[axis] - there[axis] as f64 - 0.5;
                (along * (factors[axis] / factors[0])).powi(2)
            };
            let square = away(0) + away(1) + away(2);
            if square < best.0 && wanted(self.at([x, y, z])) {
                best = (square, Some([x, y, z]));
            }
        }
        best.1
    }

    /// What a pixel is.
    pub fn at(&self, [x, y, z]: [usize; 3]) -> Site {
        self.sites[(z * self.shape[1] + y) * self.shape[0] + x]
    }
}

/// What a value has to meet.
pub enum Condition {
    Colour([u8; 3]),
    /// lo <= v < hi
    HalfOpen(f64, f64),
    /// lo <= v <= hi
    Closed(f64, f64),
    Any,
}

impl Condition {
    /// The condition that a colour as "#rrggbb" gives.
    ///
    /// # Errors
    /// When it has another form.
    pub fn colour(text: &str) -> Result<Self> {
        colour(text).map(Self::Colour)
    }

    /// Values < `v`.
    pub fn below(v: f64) -> Self {
        Self::HalfOpen(f64::NEG_INFINITY, v)
    }

    /// Values >= `v`.
    pub fn above(v: f64) -> Self {
        Self::Closed(v, f64::INFINITY)
    }

    /// Values from `lo` to `hi`.
    ///
    /// # Errors
    /// When there are none.
    pub fn between([lo, hi]: [f64; 2]) -> Result<Self> {
        if lo > hi {
            return Err(Fault::usage(format!("\"between\": [{lo}, {hi}] is empty; put the smaller number first")));
        }
        Ok(Self::Closed(lo, hi))
    }

    /// Whether value number `i` meets it.
    pub fn is_met(&self, values: &Values, i: usize) -> bool {
        match values {
            Values::U8(v) => meets(v[i], v[i].grey(), self),
            Values::I8(v) => meets(v[i], v[i].grey(), self),
            Values::U16(v) => meets(v[i], v[i].grey(), self),
            Values::I16(v) => meets(v[i], v[i].grey(), self),
            Values::U32(v) => meets(v[i], v[i].grey(), self),
            Values::I32(v) => meets(v[i], v[i].grey(), self),
            Values::F32(v) => meets(v[i], v[i].grey(), self),
            Values::F64(v) => meets(v[i], v[i].grey(), self),
            Values::Rgb8(v) => meets(v[i], v[i].grey(), self),
            Values::Rgb16(v) => meets(v[i], v[i].grey(), self),
        }
    }
}

/// Refuses conditions of colour where `values` show none.
///
/// # Errors
/// A usage fault without a key.
pub fn check_colours<'c>(values: &Values, mut conditions: impl Iterator<Item = &'c Condition>) -> Result<()> {
    let plain = !matches!(values, Values::Rgb8(_) | Values::Rgb16(_) | Values::U8(_) | Values::U16(_));
    if plain && conditions.any(|condition| matches!(condition, Condition::Colour(_))) {
        return Err(Fault::usage("\"colour\" is for images of 8 or 16 bit; use equals, below, above or between"));
    }
    Ok(())
}

/// Labels the cropped part of `volume`. `site_of(name)` gives the sites of the opening, part of the wall or region
/// that uses a label.
///
/// # Errors
/// A rule that is not one condition, a label that nothing uses, a crop outside the volume, a value no rule covers.
pub fn label(
    volume: &Volume,
    rules: Option<&[Rule]>,
    crop: Option<&Crop>,
    site_of: impl Fn(&str) -> Option<Site>,
) -> Result<Labels> {
    let rules = match rules {
        Some(rules) => rules
            .iter()
            .enumerate()
            .map(|(i, rule)| compile(rule, &site_of).map_err(|f| f.within(format!("geometry.rules[{i}]"))))
            .collect::<Result<Vec<_>>>()?,
        None => vec![
            (Condition::Closed(0.0, 0.0), Site::WALL.0),
            (Condition::Closed(f64::NEG_INFINITY, f64::INFINITY), Site::FLUID.0),
        ],
    };
    check_colours(&volume.values, rules.iter().map(|(condition, _)| condition))
        .map_err(|fault| fault.within("geometry.rules"))?;
    let (start, end) = bounds(volume.shape, crop)?;
    let shape = [0, 1, 2].map(|axis| end[axis] - start[axis]);
    let sites = match &volume.values {
        Values::U8(v) => apply(v, volume.shape, start, shape, &rules),
        Values::I8(v) => apply(v, volume.shape, start, shape, &rules),
        Values::U16(v) => apply(v, volume.shape, start, shape, &rules),
        Values::I16(v) => apply(v, volume.shape, start, shape, &rules),
        Values::U32(v) => apply(v, volume.shape, start, shape, &rules),
        Values::I32(v) => apply(v, volume.shape, start, shape, &rules),
        Values::F32(v) => apply(v, volume.shape, start, shape, &rules),
        Values::F64(v) => apply(v, volume.shape, start, shape, &rules),
        Values::Rgb8(v) => apply(v, volume.shape, start, shape, &rules),
        Values::Rgb16(v) => apply(v, volume.shape, start, shape, &rules),
    };
    if let Some(first) = sites.par_iter().position_first(|site| site.0 == UNCOVERED) {
        let [nx, ny, _] = shape;
        let at = [start[0] + first % nx, start[1] + first / nx % ny, start[2] + first / (nx * ny)];
        let value = volume.values.describe((at[2] * volume.shape[1] + at[1]) * volume.shape[0] + at[0]);
        return Err(Fault::usage(format!(
            "geometry.rules: no rule covers value {value}, first seen at (x, y, z) = {at:?} (y up); add a rule, e.g. {{\"any\": true, \"is\": \"wall\"}} as the last one"
        )));
    }
    Ok(Labels { shape, start, sites })
}

/// How far each used value of a level set is beyond the threshold between fluid and wall, positive in the fluid; x
/// fastest.
///
/// A volume is a level set where its values are floating-point numbers, all finite and some not whole, and two rules
/// make one side of a number fluid and the rest wall. Between the centres of its voxels such a field tells where the
/// wall is.
pub fn level(volume: &Volume, rules: Option<&[Rule]>, labels: &Labels) -> Option<Vec<f32>> {
    let [first, second] = rules? else { return None };
    let (threshold, is_below) = match (condition(first).ok()?, condition(second).ok()?) {
        (Condition::HalfOpen(_, t), Condition::Any) => (t, true),
        (Condition::HalfOpen(_, t), Condition::Closed(low, high)) if (low, high) == (t, f64::INFINITY) => (t, true),
        (Condition::Closed(t, f64::INFINITY), Condition::Any) => (t, false),
        (Condition::Closed(t, f64::INFINITY), Condition::HalfOpen(_, high)) if high == t => (t, false),
        _ => return None,
    };
    let is_fluid = match (first.is.as_str(), second.is.as_str()) {
        ("fluid", "wall") => true,
        ("wall", "fluid") => false,
        _ => return None,
    };
    let sign = if is_fluid == is_below { -1.0 } else { 1.0 };
    fn used<T: Copy + Into<f64> + Sync>(values: &[T], volume: &Volume, labels: &Labels) -> Option<Vec<f64>> {
        let is_level = |&value: &T| value.into().is_finite();
        let is_whole = |&value: &T| value.into().fract() == 0.0;
        if !values.par_iter().all(is_level) || values.par_iter().all(is_whole) {
            return None;
        }
        let ([sx, sy, sz], [nx, ny, _]) = (labels.start, labels.shape);
        let row = |row: usize| {
            let first = ((sz + row / ny) * volume.shape[1] + sy + row % ny) * volume.shape[0] + sx;
            values[first..first + nx].iter().map(|&value| value.into())
        };
        Some((0..ny * labels.shape[2]).into_par_iter().flat_map_iter(row).collect())
    }
    let values = match &volume.values {
        Values::F32(v) => used(v, volume, labels),
        Values::F64(v) => used(v, volume, labels),
        _ => None,
    }?;
    /// Sums of such numbers are finite.
    const MOST: f64 = 1e30;
    Some(values.into_par_iter().map(|value| (sign * (value - threshold)).clamp(-MOST, MOST) as f32).collect())
}

/// The one condition of a rule.
///
/// # Errors
/// When it has none, several, or one that nothing meets.
pub fn condition(rule: &Rule) -> Result<Condition> {
    let mut conditions = Vec::new();
    if let Some(text) = &rule.colour {
        conditions.push(Condition::colour(text)?);
    }
    conditions.extend(rule.below.map(Condition::below));
    conditions.extend(rule.above.map(Condition::above));
    conditions.extend(rule.equals.map(|v| Condition::Closed(v, v)));
    conditions.extend(rule.between.map(Condition::between).transpose()?);
    match rule.any {
        Some(true) => conditions.push(Condition::Any),
        Some(false) => return Err(Fault::usage("\"any\": false matches nothing; take the rule out or write true")),
        None => {}
    }
    match (conditions.pop(), conditions.len()) {
        (Some(condition), 0) => Ok(condition),
        (_, more) => Err(Fault::usage(format!(
            "has {} conditions; give exactly one of colour, below, above, equals, between, any",
            if more == 0 { 0 } else { more + 1 }
        ))),
    }
}

fn compile(rule: &Rule, site_of: impl Fn(&str) -> Option<Site>) -> Result<(Condition, u8)> {
    let site = match rule.is.as_str() {
        "fluid" => Site::FLUID,
        "wall" => Site::WALL,
        label => site_of(label).ok_or_else(|| {
            Fault::usage(format!(
                "label \"{label}\" is used by no opening, no part of the wall and no region; write \"fluid\", \"wall\", or give one \
                 of \"openings\", \"wall_parts\" or \"regions\" \"label\": \"{label}\""
            ))
        })?,
    };
    Ok((condition(rule)?, site.0))
}

fn colour(text: &str) -> Result<[u8; 3]> {
    let digits =
        text.strip_prefix('#').filter(|digits| digits.len() == 6 && digits.bytes().all(|b| b.is_ascii_hexdigit()));
    let number = digits.and_then(|digits| u32::from_str_radix(digits, 16).ok());
    let number = number
        .ok_or_else(|| Fault::usage(format!("colour \"{text}\" is not of the form \"#rrggbb\", e.g. \"#ff0000\"")))?;
    let [_, r, g, b] = number.to_be_bytes();
    Ok([r, g, b])
}

/// First and one past the last voxel along each axis.
///
/// # Errors
/// A crop of other dimensions, empty, or outside the volume.
pub fn bounds(shape: [usize; 3], crop: Option<&Crop>) -> Result<([usize; 3], [usize; 3])> {
    let Some(crop) = crop else { return Ok(([0; 3], shape)) };
    let dimension = if shape[2] == 1 { 2 } else { 3 };
    if [&crop.min, &crop.max].iter().any(|corner| corner.len() != dimension) {
        return Err(Fault::usage(format!("geometry.crop: min and max need {dimension} numbers each in {dimension}-D")));
    }
    let (mut start, mut end) = ([0; 3], shape);
    for axis in 0..dimension {
        (start[axis], end[axis]) = (crop.min[axis], crop.max[axis]);
        if start[axis] >= end[axis] || end[axis] > shape[axis] {
            return Err(Fault::usage(format!(
                "geometry.crop: {} to {} along {} is empty or outside 0 to {}",
                start[axis],
                end[axis],
                ["x", "y", "z"][axis],
                shape[axis]
            )));
        }
    }
    Ok((start, end))
}

/// What the rules look at.
trait Value: Copy + PartialEq + Sync {
    /// The value, or the luma of a colour.
    fn grey(self) -> f64;
    /// Whether it shows the colour.
    fn shows(self, colour: [u8; 3]) -> bool;
}

macro_rules! grey_value {
    ($($t:ty: $scale:expr),*) => {$(
        impl Value for $t {
            fn grey(self) -> f64 {
                f64::from(self)
            }

            fn shows(self, [r, g, b]: [u8; 3]) -> bool {
                r == g && g == b && f64::from(self) == f64::from(r) * $scale
            }
        }
    )*};
}
grey_value!(u8: 1.0, i8: 1.0, u16: 257.0, i16: 1.0, u32: 1.0, i32: 1.0, f32: 1.0, f64: 1.0);

macro_rules! colour_value {
    ($($t:ty: $scale:expr),*) => {$(
        impl Value for [$t; 3] {
            fn grey(self) -> f64 {
                // In ten-thousandths, so that the luma of an exact grey is exact.
                let [r, g, b] = self.map(f64::from);
                (2126.0 * r + 7152.0 * g + 722.0 * b) / 10000.0
            }

            fn shows(self, colour: [u8; 3]) -> bool {
                self == colour.map(|c| <$t>::from(c) * $scale)
            }
        }
    )*};
}
colour_value!(u8: 1, u16: 257);

fn decide<V: Value>(value: V, rules: &[(Condition, u8)]) -> u8 {
    let grey = value.grey();
    rules.iter().find(|(condition, _)| meets(value, grey, condition)).map_or(UNCOVERED, |&(_, site)| site)
}

fn meets<V: Value>(value: V, grey: f64, condition: &Condition) -> bool {
    match *condition {
        Condition::Colour(colour) => value.shows(colour),
        Condition::HalfOpen(lo, hi) => lo <= grey && grey < hi,
        Condition::Closed(lo, hi) => lo <= grey && grey <= hi,
        Condition::Any => true,
    }
}

fn apply<V: Value>(
    values: &[V],
    whole: [usize; 3],
    start: [usize; 3],
    shape: [usize; 3],
    rules: &[(Condition, u8)],
) -> Vec<Site> {
    let mut sites = vec![Site::WALL; shape.iter().product()];
    sites.par_chunks_mut(shape[0]).enumerate().for_each(|(row, sites)| {
        let (y, z) = (start[1] + row % shape[1], start[2] + row / shape[1]);
        let first = (z * whole[1] + y) * whole[0] + start[0];
        // Neighbours are mostly alike: the rules are asked only where the value changes.
        let mut last = None;
        for (site, &value) in sites.iter_mut().zip(&values[first..first + shape[0]]) {
            site.0 = match last {
                Some((same, known)) if same == value => known,
                _ => decide(value, rules),
            };
            last = Some((value, site.0));
        }
    });
    sites
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rule(is: &str, set: impl FnOnce(&mut Rule)) -> Rule {
        let mut rule = Rule { is: is.into(), ..Rule::default() };
        set(&mut rule);
        rule
    }

    fn codes(values: Values, rules: Option<&[Rule]>) -> Result<Vec<u8>> {
        let volume = Volume::new([values.len(), 1, 1], values);
        let labels = label(&volume, rules, None, |name| (name == "inlet").then_some(Site::opening(0)))?;
        Ok(labels.sites.iter().map(|site| site.0).collect())
    }

    #[test]
    fn below_and_above_of_one_number_split_exactly_there() {
        let rules = [rule("fluid", |r| r.below = Some(128.0)), rule("wall", |r| r.above = Some(128.0))];
        assert_eq!(codes(Values::U8(vec![0, 127, 128, 255]), Some(&rules)), Ok(vec![1, 1, 0, 0]));
        let grey = [[127; 3], [128; 3]];
        assert_eq!(codes(Values::Rgb8(grey.to_vec()), Some(&rules)), Ok(vec![1, 0]));
        assert_eq!(codes(Values::F32(vec![127.99, f32::INFINITY]), Some(&rules)), Ok(vec![1, 0]));
    }

    #[test]
    fn the_first_rule_that_matches_wins() {
        let rules = [
            rule("inlet", |r| r.colour = Some("#ff0000".into())),
            rule("fluid", |r| r.between = Some([1.0, 300.0])),
            rule("wall", |r| r.any = Some(true)),
        ];
        let pixels = vec![[255, 0, 0], [255, 255, 255], [0, 0, 0], [254, 0, 0]];
        assert_eq!(codes(Values::Rgb8(pixels), Some(&rules)), Ok(vec![2, 1, 0, 1]));
        assert_eq!(codes(Values::Rgb16(vec![[65535, 0, 0]]), Some(&rules)), Ok(vec![2]));
    }

    #[test]
    fn black_is_wall_by_default() {
        assert_eq!(codes(Values::Rgb8(vec![[0; 3], [1, 0, 0], [255; 3]]), None), Ok(vec![0, 1, 1]));
        assert_eq!(codes(Values::I16(vec![0, -1, 7]), None), Ok(vec![0, 1, 1]));
    }

    #[test]
    fn what_cannot_be_is_said() {
        let uncovered = codes(Values::U16(vec![3, 9]), Some(&[rule("wall", |r| r.equals = Some(3.0))])).expect_err("9");
        assert!(uncovered.message.contains("value 9") && uncovered.message.contains("[1, 0, 0]"), "{uncovered}");
        let red = rule("wall", |r| r.colour = Some("#ff0000".into()));
        for (values, name) in [
            (Values::Rgb8(vec![[255, 0, 0], [18, 52, 86]]), "\"#123456\""),
            (Values::Rgb16(vec![[65535, 0, 0], [257, 0, 65535]]), "\"#0100ff\""),
            (Values::Rgb16(vec![[65535, 0, 0], [256, 0, 65535]]), "[256, 0, 65535]"),
        ] {
            let fault = codes(values, Some(std::slice::from_ref(&red))).expect_err(name);
            assert!(fault.message.contains(name), "{fault}");
        }
        let nan = codes(Values::F32(vec![f32::NAN]), Some(&[rule("wall", |r| r.below = Some(3.0))])).expect_err("NaN");
        assert!(nan.message.contains("NaN"), "{nan}");
        for (bad, word) in [
            (rule("wall", |_| {}), "exactly one"),
            (rule("wall", |r| (r.below, r.above) = (Some(1.0), Some(2.0))), "2 conditions"),
            (rule("outlet", |r| r.any = Some(true)), "\"outlet\" is used by no opening"),
            (rule("wall", |r| r.colour = Some("red".into())), "#rrggbb"),
            (rule("wall", |r| r.between = Some([2.0, 1.0])), "smaller"),
        ] {
            let fault = codes(Values::U8(vec![0]), Some(&[bad])).expect_err(word);
            assert!(fault.message.contains(word) && fault.message.contains("rules[0]"), "{fault}");
        }
    }
}
