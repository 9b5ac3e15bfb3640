//! Openings: where fluid may enter or leave, or a wall moves.

use hematite_config::{Fault, Result, check_name};
use hematite_units::quantity::Length;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::domain::{Domain, OpeningKind, Site};
use crate::end::End;
use crate::section::{Section, across};

/// One opening: a name, a kind, and exactly one of `face`, `plane`, `section`, `end`, `box`, `label`, e.g.
/// {"name": "inlet", "kind": "velocity", "face": "x-"}. It must touch fluid, and one connected piece of it only.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "snake_case")]
pub struct OpeningConfig {
    /// The name by which a run prescribes values here, e.g. "inlet"; each name once.
    pub name: String,
    /// What the run prescribes: "velocity", "pressure" or "wall".
    pub kind: OpeningKind,
    /// Wherever fluid reaches this face of the domain, e.g. "x-", the left one of an image; `crop` moves the faces.
    /// Not for surfaces.
    #[serde(default)]
    pub face: Option<Side>,
    /// Limits `face` to a box, e.g. to one of two vessels that reach it. Both lengths across the face must be given
    /// but do not count. Boxes of two openings may not share nodes.
    #[serde(default)]
    pub within: Option<BoxConfig>,
    /// A plane across x, y or z that cuts a vessel, e.g. {"normal": "x+", "at": "40 um"}. What it cuts off goes,
    /// unless that touches another opening or `keep` says "all".
    #[serde(default)]
    pub plane: Option<Plane>,
    /// A cut across a vessel of any direction, e.g. {"normal": [1, 0.5], "through": ["40 um", "20 um"]}. What it cuts
    /// off goes, unless that touches another opening or `keep` says "all".
    #[serde(default)]
    pub section: Option<Section>,
    /// An end of the vessel: its number as `mkcase --check` lists them, from 0. The opening is cut across the vessel.
    /// At an end of a surface it is along the end, 2 spacings before it, so that it is all within the vessel; where
    /// the border of a picture or a volume cuts the vessel, it is 2 spacings along the vessel behind the last site at
    /// the border.
    #[serde(default)]
    pub end: Option<usize>,
    /// Fluid sites with their centres in this box become the opening, which fluid around the box touches, e.g.
    /// {"min": ["0 um", "0 um"], "max": ["8 um", "64 um"]}.
    #[serde(default, rename = "box")]
    pub region: Option<BoxConfig>,
    /// Sites that a rule of the geometry labels so, e.g. "inlet" with the rule {"colour": "#ff0000", "is": "inlet"}.
    #[serde(default)]
    pub label: Option<String>,
}

/// A cut across one direction, e.g. {"normal": "x+", "at": "40 um"}: fluid with x above 40 um stays.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "snake_case")]
pub struct Plane {
    /// The normal, which points into the fluid that stays, e.g. "x+".
    pub normal: Side,
    /// Where the plane cuts its axis, from the image's lower-left corner, e.g. "40 um". The opening is the layer of
    /// sites with their centres at the plane or next behind it.
    pub at: Length,
    /// Limits the cut to a box, e.g. to one vessel. Both lengths along the normal must be given but do not count.
    #[serde(default)]
    pub within: Option<BoxConfig>,
}

/// A box of lengths from the image's lower-left corner (the volume's first voxel); two lengths each in 2-D, three in
/// 3-D, e.g. {"min": ["0 um", "16 um"], "max": ["8 um", "64 um"]}. Sites with their centres in it count.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "snake_case")]
pub struct BoxConfig {
    /// Smallest coordinates along x, y(, z).
    pub min: Vec<Length>,
    /// Largest coordinates along x, y(, z); each above that of `min`.
    pub max: Vec<Length>,
}

/// A side of the domain, or the direction towards it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum Side {
    /// Towards smaller x.
    #[serde(rename = "x-")]
    XMinus,
    /// Towards larger x.
    #[serde(rename = "x+")]
    XPlus,
    /// Towards smaller y.
    #[serde(rename = "y-")]
    YMinus,
    /// Towards larger y.
    #[serde(rename = "y+")]
    YPlus,
    /// Towards smaller z.
    #[serde(rename = "z-")]
    ZMinus,
    /// Towards larger z.
    #[serde(rename = "z+")]
    ZPlus,
}

impl Side {
    /// The axis, 0 to 2.
    pub fn axis(self) -> usize {
        self as usize / 2
    }

    /// Whether it points towards larger coordinates.
    pub fn is_plus(self) -> bool {
        self as usize % 2 == 1
    }

    /// The unit vector towards it.
    pub fn vector(self) -> [f64; 3] {
        let mut vector = [0.0; 3];
        vector[self.axis()] = if self.is_plus() { 1.0 } else { -1.0 };
        vector
    }
}

impl OpeningConfig {
    /// An opening at an end of a vessel.
    pub(crate) fn at_end(name: String, kind: OpeningKind, end: usize) -> Self {
        let (face, within, plane, section, region, label) = (None, None, None, None, None, None);
        Self { name, kind, face, within, plane, section, end: Some(end), region, label }
    }

    /// The normal into the fluid, where the config fixes it.
    pub fn normal(&self) -> Option<[f64; 3]> {
        let outward = self.face.map(|face| face.vector().map(|x| if x == 0.0 { 0.0 } else { -x }));
        outward
            .or(self.plane.as_ref().map(|plane| plane.normal.vector()))
            .or(self.section.as_ref().and_then(Section::unit))
    }
}

/// Checks what can be told without the lattice: names, places, labels.
///
/// # Errors
/// With the opening's name and the key at fault.
pub fn check(openings: &[OpeningConfig], labelled: impl Fn(&str) -> bool) -> Result<()> {
    if openings.len() > Site::MAX_OPENINGS {
        return Err(Fault::usage(format!("{} openings; at most {} are possible", openings.len(), Site::MAX_OPENINGS)));
    }
    for (i, opening) in openings.iter().enumerate() {
        check_name(&opening.name).map_err(|fault| fault.within(format!("key \"openings[{i}]\"")))?;
        let fault = |text: String| Err(Fault::usage(format!("opening \"{}\": {text}", opening.name)));
        let before = &openings[..i];
        if before.iter().any(|other| other.name == opening.name) {
            return fault("there are two of this name; names must differ".into());
        }
        let places = [
            opening.face.is_some(),
            opening.plane.is_some(),
            opening.section.is_some(),
            opening.end.is_some(),
            opening.region.is_some(),
            opening.label.is_some(),
        ];
        let given = places.into_iter().filter(|&given| given).count();
        if given != 1 {
            return fault(format!("has {given} places; give exactly one of face, plane, section, end, box, label"));
        }
        if opening.within.is_some() && opening.face.is_none() {
            return fault("\"within\" goes with \"face\"; a plane has its own".into());
        }
        if let Some(label) = &opening.label {
            if label == "fluid" || label == "wall" {
                return fault(format!("\"{label}\" is no label but a kind of site; choose another name"));
            }
            if before.iter().any(|other| other.label.as_ref() == Some(label)) {
                return fault(format!("label \"{label}\" is used by two openings"));
            }
            if !labelled(label) {
                return fault(format!(
                    "no rule of \"geometry\" produces label \"{label}\"; add {{..., \"is\": \"{label}\"}}"
                ));
            }
        }
    }
    Ok(())
}

/// How far before the end of a vessel its opening is cut, spacings: far enough that its layer and the sites that close
/// it behind are all within the vessel.
const INSET: f64 = 2.0;

/// Checks that the ends that openings name are there and lead somewhere; none are known of a lattice that wraps.
///
/// # Errors
/// With the opening's name and the number of ends.
pub fn check_ends(openings: &[OpeningConfig], ends: Option<&[End]>) -> Result<()> {
    for opening in openings {
        let fault = |text: String| Err(Fault::usage(format!("opening \"{}\": {text}", opening.name)));
        match (opening.end, ends) {
            (Some(_), None) => {
                return fault(
                    "ends are not sought where \"periodic\" wraps the lattice: give a \"face\" or a \"section\"".into(),
                );
            }
            (Some(k), Some(ends)) if k >= ends.len() => {
                return fault(format!(
                    "end {k} is not there, {}: `mkcase --check` lists them; give a \"section\" where no flat end of a surface, and \
                     no border of a picture or volume, cuts the vessel",
                    match ends.len() {
                        0 => "the vessel has no ends".to_owned(),
                        n => format!("the vessel's ends are 0 to {}", n - 1),
                    }
                ));
            }
            (Some(k), Some(ends)) => {
                if let Some(other) = openings.iter().find(|other| other.name != opening.name && other.end == Some(k)) {
                    return fault(format!("end {k} is that of opening \"{}\" too; give each its own", other.name));
                }
                if let Some(why) = ends[k].odd {
                    let is_odd = |k: &usize| ends.get(*k).is_some_and(|end| end.odd.is_some());
                    let odd: Vec<String> =
                        openings.iter().filter_map(|o| o.end).filter(is_odd).map(|k| k.to_string()).collect();
                    return fault(format!(
                        "end {k} cannot be opened: {why}. Crop so that the border cuts across the vessel, give a \"section\", or \
                         leave it closed (\"closed\": [{}] in \"ends\")",
                        odd.join(", ")
                    ));
                }
            }
            (None, _) => {}
        }
    }
    Ok(())
}

/// Marks the sites of opening number `k`; those of a label are there already.
///
/// # Errors
/// A place that cannot be (direction, periodic, outside), or one with no fluid.
pub fn place(domain: &mut Domain, k: usize, opening: &OpeningConfig, ends: &[End]) -> Result<()> {
    let placed = if let Some(face) = opening.face {
        place_face(domain, k, face, opening.within.as_ref())
    } else if let Some(plane) = &opening.plane {
        place_plane(domain, k, plane)
    } else if let Some(section) = &opening.section {
        section.place(domain, k)
    } else if let Some(end) = opening.end.and_then(|end| ends.get(end)) {
        let inset = INSET * domain.spacing;
        let before = || [0, 1, 2].map(|axis| end.centre[axis] + inset * end.normal[axis]);
        across(domain, k, end.normal, end.through.unwrap_or_else(before)).ok_or_else(|| {
            Fault::usage(format!(
                "no fluid is left where end {} is cut: the vessel is too narrow or too short there for the spacing; take a smaller \
                 one, or cut it by a \"section\"",
                opening.end.unwrap_or_default()
            ))
        })
    } else if let Some(region) = &opening.region {
        place_box(domain, k, region)
    } else {
        return Ok(());
    };
    match placed.map_err(|fault| fault.within(format!("opening \"{}\"", opening.name)))? {
        0 => Err(touches_nothing(&opening.name)),
        _ => Ok(()),
    }
}

/// The fault of an opening without a fluid site beside it.
pub fn touches_nothing(name: &str) -> Fault {
    Fault::usage(format!(
        "opening \"{name}\" touches no fluid: move it, widen it, or check which values the rules make fluid (coordinates count from the lower-left corner of the image, y up)"
    ))
}

fn check_axis(domain: &Domain, side: Side) -> Result<()> {
    if side.axis() >= domain.dimension {
        return Err(Fault::usage("there is no z in a 2-D domain"));
    }
    Ok(())
}

/// Bounds of a region in metres; directions past the dimension are unbounded.
pub(crate) fn bounds(domain: &Domain, region: Option<&BoxConfig>) -> Result<[[f64; 2]; 3]> {
    let mut bounds = [[f64::NEG_INFINITY, f64::INFINITY]; 3];
    let Some(region) = region else { return Ok(bounds) };
    let dimension = domain.dimension;
    if region.min.len() != dimension || region.max.len() != dimension {
        return Err(Fault::usage(format!("min and max need {dimension} lengths each in {dimension}-D")));
    }
    for (bounds, (min, max)) in bounds.iter_mut().zip(region.min.iter().zip(&region.max)) {
        if min >= max {
            return Err(Fault::usage(format!("min {min} is not below max {max}")));
        }
        *bounds = [min.si(), max.si()];
    }
    Ok(bounds)
}

/// The sites along each axis whose centres lie in the bounds.
pub(crate) fn ranges(domain: &Domain, bounds: [[f64; 2]; 3]) -> [std::ops::Range<usize>; 3] {
    [0, 1, 2].map(|axis| {
        let n = domain.extent[axis] as f64;
        // Centre i + 1/2; a hair of tolerance so that decimal lengths on a centre count as on it.
        let at = |length: f64| (length - domain.origin[axis]) / domain.spacing - 0.5;
        let from = (at(bounds[axis][0]) - 1e-6).ceil().clamp(0.0, n) as usize;
        let to = ((at(bounds[axis][1]) + 1e-6).floor() + 1.0).clamp(0.0, n) as usize;
        from..to.max(from)
    })
}

/// Runs `act` on the index of every site of a box.
pub(crate) fn visit(
    domain: &mut Domain,
    ranges: [std::ops::Range<usize>; 3],
    mut act: impl FnMut(&mut Domain, [usize; 3], usize),
) {
    for z in ranges[2].clone() {
        for y in ranges[1].clone() {
            for x in ranges[0].clone() {
                let index = domain.index([x, y, z]);
                act(domain, [x, y, z], index);
            }
        }
    }
}

fn place_face(domain: &mut Domain, k: usize, face: Side, within: Option<&BoxConfig>) -> Result<usize> {
    check_axis(domain, face)?;
    let axis = face.axis();
    if domain.periodic[axis] {
        return Err(Fault::usage(format!(
            "lies on a face of a periodic direction; take {0} out of geometry.periodic, or use a plane",
            ["x", "y", "z"][axis]
        )));
    }
    let mut ranges = ranges(domain, bounds(domain, within)?);
    let n = domain.extent[axis];
    let (inner, padding) = if face.is_plus() { (n - 2, n - 1) } else { (1, 0) };
    ranges[axis] = inner..inner + 1;
    let (mut placed, mut shared) = (0, Vec::new());
    visit(domain, ranges, |domain, mut at, index| {
        if domain.sites[index] == Site::FLUID {
            at[axis] = padding;
            let outside = domain.index(at);
            match domain.sites[outside].as_opening() {
                Some(other) => shared.push(other),
                None => domain.sites[outside] = Site::opening(k),
            }
            placed += 1;
        }
    });
    if let Some(&other) = shared.first() {
        return Err(Fault::usage(format!(
            "{} of its {placed} nodes are those of opening \"{}\" too: narrow \"within\" of one of them, so that they do not \
             overlap",
            shared.iter().filter(|&&opening| opening == other).count(),
            domain.openings[other].name
        )));
    }
    Ok(placed)
}

fn place_plane(domain: &mut Domain, k: usize, plane: &Plane) -> Result<usize> {
    check_axis(domain, plane.normal)?;
    let axis = plane.normal.axis();
    let mut ranges = ranges(domain, bounds(domain, plane.within.as_ref())?);
    let (at, origin) = (plane.at.si(), domain.origin[axis]);
    let centre = (at - origin) / domain.spacing - 0.5;
    let layer = if plane.normal.is_plus() { (centre + 1e-6).floor() } else { (centre - 1e-6).ceil() };
    let n = domain.extent[axis];
    let padding = usize::from(!domain.periodic[axis]);
    if !(layer >= padding as f64 && layer < (n - padding) as f64) {
        let edge = |i: usize| origin + i as f64 * domain.spacing;
        return Err(Fault::usage(format!(
            "plane.at: {at} m leaves no layer of sites behind it; the domain goes from {} to {} m along {}",
            edge(padding),
            edge(n - padding),
            ["x", "y", "z"][axis]
        )));
    }
    let layer = layer as usize;
    ranges[axis] = layer..layer + 1;
    let mut placed = Vec::new();
    visit(domain, ranges, |domain, at, index| {
        if domain.sites[index] == Site::FLUID {
            domain.sites[index] = Site::opening(k);
            placed.push(at);
        }
    });
    // No link of what lies behind may reach the opening: the next layer is wall wherever a link could.
    let behind = if plane.normal.is_plus() { -1 } else { 1 };
    let [a, b] = [(axis + 1) % 3, (axis + 2) % 3];
    for &at in &placed {
        for (da, db) in (-1..=1).flat_map(|da| (-1..=1).map(move |db| (da, db))) {
            let mut c = [0; 3];
            (c[axis], c[a], c[b]) = (behind, da, db);
            if let Some(there) = domain.neighbour(at, c) {
                let index = domain.index(there);
                if domain.sites[index] == Site::FLUID {
                    domain.sites[index] = Site::WALL;
                }
            }
        }
    }
    Ok(placed.len())
}

fn place_box(domain: &mut Domain, k: usize, region: &BoxConfig) -> Result<usize> {
    let ranges = ranges(domain, bounds(domain, Some(region))?);
    let mut placed = 0;
    visit(domain, ranges, |domain, _, index| {
        if domain.sites[index] == Site::FLUID {
            domain.sites[index] = Site::opening(k);
            placed += 1;
        }
    });
    Ok(placed)
}
