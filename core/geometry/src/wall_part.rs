//! Named parts of the wall: sites of the wall whose force the run takes down.

use hematite_config::{Fault, Result, check_name};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::domain::{Domain, Site};
use crate::opening::{BoxConfig, OpeningConfig, bounds, ranges, visit};
use crate::rules::Labels;

/// What the whole wall is called where forces are asked for.
pub const WHOLE_WALL: &str = "walls";

/// A named part of the wall: a name and exactly one of `box` and `label`, e.g. {"name": "cylinder", "box": {"min":
/// ["0.1 m", "0.1 m"], "max": ["0.3 m", "0.3 m"]}}. Runs take down the force of the fluid on it. That on a closed
/// obstacle is complete; that on a piece cut out of a wall has, along the wall, an error of the pressure difference
/// between its ends on a sixth of a spacing.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "snake_case")]
pub struct WallPartConfig {
    /// Its name, e.g. "cylinder"; each name once, openings included.
    pub name: String,
    /// Wall sites with their centres in this box belong to it. Take the box larger than an obstacle by a site or more,
    /// but not so large that it holds other walls.
    #[serde(default, rename = "box")]
    pub region: Option<BoxConfig>,
    /// Sites that a rule of the geometry labels so, e.g. "valve" with the rule {"colour": "#0000ff", "is": "valve"}:
    /// they are wall. Where walls are smoothed, sites that become wall belong to the nearest pixel or voxel of the
    /// wall.
    #[serde(default)]
    pub label: Option<String>,
}

/// Checks what can be told without the lattice: names, places, labels.
///
/// # Errors
/// With the part's name and the key at fault.
pub fn check(parts: &[WallPartConfig], openings: &[OpeningConfig], labelled: impl Fn(&str) -> bool) -> Result<()> {
    if parts.len() > Site::MAX_WALL_PARTS {
        return Err(Fault::usage(format!(
            "wall_parts: {} parts; at most {} are possible",
            parts.len(),
            Site::MAX_WALL_PARTS
        )));
    }
    for (i, part) in parts.iter().enumerate() {
        check_name(&part.name).map_err(|fault| fault.within(format!("key \"wall_parts[{i}]\"")))?;
        let fault = |text: String| Err(Fault::usage(format!("wall_parts: \"{}\": {text}", part.name)));
        if part.name == WHOLE_WALL {
            return fault(format!("it needs another name: \"{WHOLE_WALL}\" is the wall as a whole"));
        }
        if parts[..i].iter().any(|other| other.name == part.name) {
            return fault("there are two of this name; names must differ".into());
        }
        if openings.iter().any(|opening| opening.name == part.name) {
            return fault("an opening has this name; names must differ".into());
        }
        match (&part.region, &part.label) {
            (Some(_), None) => {}
            (None, Some(label)) => {
                if label == "fluid" || label == "wall" {
                    return fault(format!("\"{label}\" is no label but a kind of site; choose another name"));
                }
                let of_opening = openings.iter().any(|opening| opening.label.as_ref() == Some(label));
                if of_opening || parts[..i].iter().any(|other| other.label.as_ref() == Some(label)) {
                    return fault(format!("label \"{label}\" is used twice; give each its own"));
                }
                if !labelled(label) {
                    return fault(format!(
                        "no rule of \"geometry\" produces label \"{label}\"; add {{..., \"is\": \"{label}\"}}"
                    ));
                }
            }
            _ => return fault("give exactly one of box and label".into()),
        }
    }
    Ok(())
}

/// Pixels or voxels that rules label as parts of the wall.
pub struct Labelled {
    labels: Labels,
    factors: [f64; 3],
}

impl Labelled {
    /// Takes the parts out of `labels`, where they become wall; none where no rule labels any. `factors` sites are
    /// along the edge of a pixel along x, y, z.
    pub fn take(labels: &mut Labels, factors: [f64; 3]) -> Option<Self> {
        let is_part = |site: &Site| site.as_wall_part().is_some();
        labels.sites.iter().any(is_part).then(|| {
            let kept = labels.clone();
            labels.sites.iter_mut().filter(|site| is_part(site)).for_each(|site| *site = Site::WALL);
            Self { labels: kept, factors }
        })
    }

    /// What the pixel of the wall is that is nearest to the centre of a site of the wall.
    fn at(&self, domain: &Domain, site: [usize; 3]) -> Site {
        let axes = 0..domain.dimension;
        let padding = |axis: usize| usize::from(axis < domain.dimension && !domain.periodic[axis]);
        let inside = |axis: usize, at: i64| {
            let n = self.labels.shape[axis] as i64;
            if domain.periodic[axis] {
                Some(at.rem_euclid(n) as usize)
            } else {
                usize::try_from(at).ok().filter(|_| at < n)
            }
        };
        let place: [f64; 3] =
            std::array::from_fn(|axis| (site[axis] as f64 + 0.5 - padding(axis) as f64) / self.factors[axis] - 0.5);
        let pixel = place.map(|x| x.round() as i64);
        let mut best = (f64::INFINITY, Site::WALL);
        let around = |axis: usize| if axes.contains(&axis) { -1..=1 } else { 0..=0 };
        for (dz, dy, dx) in around(2).flat_map(|z| around(1).flat_map(move |y| around(0).map(move |x| (z, y, x)))) {
            let there = [pixel[0] + dx, pixel[1] + dy, pixel[2] + dz];
            let (Some(x), Some(y), Some(z)) = (inside(0, there[0]), inside(1, there[1]), inside(2, there[2])) else {
                continue;
            };
            let found = self.labels.sites[(z * self.labels.shape[1] + y) * self.labels.shape[0] + x];
            // In edges of a pixel along x.
            let away = |axis: usize| (place[axis] - there[axis] as f64) * (self.factors[axis] / self.factors[0]);
            let square = (0..3).map(|axis| away(axis).powi(2)).sum::<f64>();
            if found.is_wall() && square < best.0 {
                best = (square, found);
            }
        }
        best.1
    }
}

/// Marks the sites of all parts, once everything else is in its place.
///
/// # Errors
/// A box that cannot be or holds no wall, or one that shares sites with another part.
pub fn mark(domain: &mut Domain, parts: &[WallPartConfig], labelled: Option<&Labelled>) -> Result<()> {
    if let Some(labelled) = labelled {
        let [nx, ny, nz] = domain.extent;
        visit(domain, [0..nx, 0..ny, 0..nz], |domain, at, index| {
            if domain.sites[index] == Site::WALL {
                domain.sites[index] = labelled.at(domain, at);
            }
        });
    }
    for (k, part) in parts.iter().enumerate() {
        let Some(region) = &part.region else { continue };
        let within = |fault: Fault| fault.within(format!("wall_parts: \"{}\"", part.name));
        let ranges = ranges(domain, bounds(domain, Some(region)).map_err(within)?);
        let (mut placed, mut taken) = (0, None);
        visit(domain, ranges, |domain, _, index| match domain.sites[index] {
            Site::WALL => {
                domain.sites[index] = Site::wall_part(k);
                placed += 1;
            }
            site => taken = taken.or(site.as_wall_part().filter(|&other| other != k)),
        });
        if let Some(other) = taken {
            return Err(within(Fault::usage(format!(
                "its box holds sites of part \"{}\": a site belongs to one part; make the box smaller",
                parts[other].name
            ))));
        }
        if placed == 0 {
            return Err(within(Fault::usage("its box holds no site of the wall: move it, or make it larger")));
        }
    }
    Ok(())
}
