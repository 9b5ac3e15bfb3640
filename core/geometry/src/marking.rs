//! What nodes are in regions, and which values fields have at nodes, once the lattice has numbered its nodes.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::PathBuf;

use hematite_config::{Fault, Result, nearest};
use rayon::prelude::*;

use crate::domain::Domain;
use crate::field::{FieldConfig, Interpolation};
use crate::heights::Heights;
use crate::opening::{bounds, ranges};
use crate::pixels::Pixels;
use crate::region::{PlaceConfig, RegionConfig};
use crate::rules::{Condition, check_colours};
use crate::spot::{Disc, Segment};
use crate::terrain::ELEVATION;
use crate::volume::Values;

/// The nodes of a region.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RegionNodes {
    /// Its name.
    pub name: String,
    /// Its nodes, ascending.
    pub nodes: Vec<u32>,
}

/// The values of a field.
#[derive(Clone, Debug, PartialEq)]
pub struct FieldValues {
    /// Its name.
    pub name: String,
    /// The SI unit of its values.
    pub unit: String,
    /// A value for each node, finite.
    pub values: Vec<f64>,
}

/// What regions and fields of a config are found from, when the nodes are known.
pub struct Marking {
    pub(crate) config_path: PathBuf,
    pub(crate) regions: Vec<(String, Vec<Place>)>,
    pub(crate) fields: BTreeMap<String, FieldConfig>,
    pub(crate) frame: Frame,
    pub(crate) pixels: Option<Pixels>,
    /// Heights at pixels, where the geometry is terrain.
    pub(crate) heights: Option<Heights>,
    /// The geometry's own values, where a region asks for them.
    pub(crate) values: Option<Values>,
    /// Conditions and labels of the geometry's rules, in their order.
    pub(crate) rules: Vec<(Condition, String)>,
}

/// Where sites are.
pub(crate) struct Frame {
    pub dimension: usize,
    pub spacing: f64,
    pub origin: [f64; 3],
}

/// A place of a region, in the lattice.
pub(crate) enum Place {
    Sites([Range<usize>; 3]),
    Disc(Disc),
    Segment(Segment),
    Label(String),
    Value(Condition),
}

impl Place {
    /// Whether it says where nodes are, not what they are made from.
    fn is_position(&self) -> bool {
        matches!(self, Self::Sites(_) | Self::Disc(_) | Self::Segment(_))
    }

    /// The places of a region in a domain.
    ///
    /// # Errors
    /// With the region's name: a position that cannot be.
    pub fn all(domain: &Domain, region: &RegionConfig) -> Result<Vec<Self>> {
        let place = |place: PlaceConfig| {
            Ok(match (place.condition()?, place) {
                (Some(condition), _) => Self::Value(condition),
                (None, PlaceConfig::Box(of)) => Self::Sites(ranges(domain, bounds(domain, Some(&of))?)),
                (None, PlaceConfig::Disc(of)) => Self::Disc(Disc::new(domain, &of)?),
                (None, PlaceConfig::Segment(of)) => Self::Segment(Segment::new(domain, &of)?),
                (None, PlaceConfig::Label(label)) => Self::Label(label),
                (None, _) => return Err(Fault::usage("has no place")),
            })
        };
        let places = region.places().and_then(|places| places.into_iter().map(place).collect());
        places.map_err(|fault| fault.within(format!("regions: \"{}\"", region.name)))
    }
}

impl Marking {
    /// The nodes of each region, in the config's order; `positions` are the sites of the nodes.
    ///
    /// # Errors
    /// A usage fault for a region without nodes, which says what there is, or one that asks for colours where there are none.
    pub fn regions(&self, positions: &[[i32; 3]]) -> Result<Vec<RegionNodes>> {
        let find = |(name, places): &(String, Vec<Place>)| {
            let within = |fault: Fault| fault.within(format!("regions: \"{name}\""));
            if let Some(values) = &self.values {
                let conditions = places.iter().filter_map(|place| match place {
                    Place::Value(condition) => Some(condition),
                    _ => None,
                });
                check_colours(values, conditions).map_err(within)?;
            }
            let holds = |&n: &u32| places.iter().any(|place| self.holds(place, positions[n as usize]));
            let nodes: Vec<u32> = (0..positions.len() as u32).into_par_iter().filter(holds).collect();
            if nodes.is_empty() {
                return Err(within(self.nowhere(places, positions)));
            }
            Ok(RegionNodes { name: name.clone(), nodes })
        };
        self.regions.iter().map(find).collect()
    }

    /// The values of each field, by name, at nodes at these sites; `regions` are those of [`Marking::regions`].
    ///
    /// # Errors
    /// A usage fault for a file that cannot be read or has another size, and for nodes without a value or with two, with the
    /// place of the first.
    pub fn fields(&self, positions: &[[i32; 3]], regions: &[RegionNodes]) -> Result<Vec<FieldValues>> {
        let find = |(name, field): (&String, &FieldConfig)| {
            let values = self.values_of(field, positions, regions);
            let values = values.map_err(|fault| fault.within(format!("fields: \"{name}\"")))?;
            let unit = field.dimension().unwrap_or_default().symbol();
            Ok(FieldValues { name: name.clone(), unit, values })
        };
        let mut found = self.fields.iter().map(find).collect::<Result<Vec<_>>>()?;
        found.extend(self.elevation(positions));
        found.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(found)
    }

    /// Whether a place holds a node.
    fn holds(&self, place: &Place, at: [i32; 3]) -> bool {
        let pixel = || {
            self.pixels
                .as_ref()
                .zip(self.values.as_ref())
                .map(|(pixels, values)| (pixels.number(pixels.of(at)), values))
        };
        match place {
            Place::Sites(ranges) => ranges.iter().zip(at).all(|(range, i)| range.contains(&(i as usize))),
            Place::Disc(disc) => disc.holds(at),
            Place::Segment(segment) => segment.crosses(at),
            Place::Value(condition) => pixel().is_some_and(|(i, values)| condition.is_met(values, i)),
            Place::Label(label) => pixel().is_some_and(|(i, values)| {
                let rule = self.rules.iter().find(|(condition, _)| condition.is_met(values, i));
                rule.is_some_and(|(_, is)| is == label)
            }),
        }
    }

    /// What to say of a region without nodes.
    fn nowhere(&self, places: &[Place], positions: &[[i32; 3]]) -> Fault {
        /// Values that are named at most.
        const NAMED: usize = 8;
        let mut text = "holds no fluid node".to_owned();
        if places.iter().any(Place::is_position) {
            let span = |axis: usize| {
                let along = || positions.iter().map(|at| at[axis]);
                let at = |i: i32| self.frame.origin[axis] + f64::from(i) * self.frame.spacing;
                let (low, high) = (along().min().unwrap_or(0), along().max().unwrap_or(0) + 1);
                format!("{:.4e} to {:.4e} m along {}", at(low), at(high), ["x", "y", "z"][axis])
            };
            let spans: Vec<String> = (0..self.frame.dimension).map(span).collect();
            text += &format!("; fluid is from {}", spans.join(", "));
        }
        let of_pixels = !places.iter().all(Place::is_position);
        if let Some((pixels, values)) = self.pixels.as_ref().zip(self.values.as_ref()).filter(|_| of_pixels) {
            let mut known = BTreeSet::new();
            for &at in positions {
                known.insert(values.describe(pixels.number(pixels.of(at))));
                if known.len() > NAMED {
                    break;
                }
            }
            let more = if known.len() > NAMED { " and others" } else { "" };
            let known: Vec<String> = known.into_iter().take(NAMED).collect();
            text += &format!("; values where there is fluid are {}{more}", known.join(", "));
        }
        Fault::usage(text + "; move it, take other values, or take the region out")
    }

    fn values_of(&self, field: &FieldConfig, positions: &[[i32; 3]], regions: &[RegionNodes]) -> Result<Vec<f64>> {
        let start = field.constant.map_or(f64::NAN, |constant| constant.si);
        let mut values = vec![start; positions.len()];
        if let Some(pixels) = self.pixels.as_ref().filter(|_| field.has_file()) {
            let volume = field.read(&self.config_path, pixels.whole)?;
            if let Some(volume) = volume {
                let linear = field.interpolation.unwrap_or_default() == Interpolation::Linear;
                let of = |&at: &[i32; 3]| match linear {
                    true => mean(pixels.around(at).into_iter().map(|(pixel, share)| {
                        (field.value(&volume.values, pixels.number(pixel)).unwrap_or(f64::NAN), share)
                    })),
                    false => field.value(&volume.values, pixels.number(pixels.of(at))).unwrap_or(f64::NAN),
                };
                values.par_iter_mut().zip(positions).for_each(|(value, at)| *value = of(at));
            }
        }
        self.put_regions(field, positions, regions, &mut values)?;
        let lacking = || (0..values.len()).filter(|&n| !values[n].is_finite());
        if let Some(first) = lacking().next() {
            let pixel = match self.pixels.as_ref().filter(|_| field.has_file()) {
                Some(pixels) => {
                    let at = pixels.place(pixels.of(positions[first]));
                    format!(", in or beside pixel (x, y, z) = {at:?} of the file (y up)")
                }
                None => String::new(),
            };
            let remedy = match field.has_file() {
                true => "give these pixels values, make them wall by a rule, or give values by \"regions\"",
                false => "give \"constant\", or a value to regions that hold them",
            };
            let lack = match lacking().count() {
                1 => "1 fluid node has".to_owned(),
                count => format!("{count} fluid nodes have"),
            };
            let place = self.place(positions[first]);
            return Err(Fault::usage(format!("{lack} no value, the first at {place}{pixel}: {remedy}")));
        }
        Ok(values)
    }

    /// The field of the heights of terrain.
    fn elevation(&self, positions: &[[i32; 3]]) -> Option<FieldValues> {
        let (heights, pixels) = self.heights.as_ref().zip(self.pixels.as_ref())?;
        let height = |(pixel, share): ([usize; 3], f64)| (heights.at(pixels.number(pixel)).unwrap_or(f64::NAN), share);
        let values = positions.par_iter().map(|&at| mean(pixels.around(at).into_iter().map(height))).collect();
        Some(FieldValues { name: ELEVATION.to_owned(), unit: "m".to_owned(), values })
    }

    /// Puts the values of regions in the place of others.
    fn put_regions(
        &self,
        field: &FieldConfig,
        positions: &[[i32; 3]],
        regions: &[RegionNodes],
        values: &mut [f64],
    ) -> Result<()> {
        let named: Vec<(&RegionNodes, f64)> =
            regions.iter().filter_map(|region| Some((region, field.regions.get(&region.name)?.si))).collect();
        for (k, (region, value)) in named.iter().enumerate() {
            for (other, before) in &named[..k] {
                let both = region.nodes.iter().find(|n| before != value && other.nodes.binary_search(n).is_ok());
                if let Some(&n) = both {
                    return Err(Fault::usage(format!(
                        "regions \"{}\" and \"{}\" give different values where they overlap, first at {}: give overlapping \
                         regions the same value, or make them smaller",
                        other.name,
                        region.name,
                        self.place(positions[n as usize])
                    )));
                }
            }
            region.nodes.iter().for_each(|&n| values[n as usize] = *value);
        }
        Ok(())
    }

    /// The place of a site, for people.
    fn place(&self, at: [i32; 3]) -> String {
        let along = |axis: usize| self.frame.origin[axis] + (f64::from(at[axis]) + 0.5) * self.frame.spacing;
        let along: Vec<String> = (0..self.frame.dimension).map(|axis| format!("{:.4e}", along(axis))).collect();
        format!("({}) m", along.join(", "))
    }
}

/// The mean of values by their shares; one that is the same everywhere stays what it is.
fn mean(values: impl Iterator<Item = (f64, f64)>) -> f64 {
    let (mut first, mut sum, mut shares) = (None, 0.0, 0.0);
    for (value, share) in values {
        let first = *first.get_or_insert(value);
        sum += share * (value - first);
        shares += share;
    }
    first.map_or(f64::NAN, |first| first + sum / shares)
}

/// What to say of the name of a region or a field that there is not.
pub(crate) fn unknown<'a>(what: &str, name: &str, known: impl Iterator<Item = &'a str> + Clone) -> String {
    let hint = nearest(name, known.clone()).map(|near| format!("; did you mean \"{near}\"?")).unwrap_or_default();
    let known: Vec<&str> = known.collect();
    let known = if known.is_empty() { "there is none".to_owned() } else { format!("there is {}", known.join(", ")) };
    format!("there is no {what} \"{name}\", {known}{hint}")
}
