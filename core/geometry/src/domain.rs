//! The labelled lattice: what geometry hands to the case.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::surface::Surface;

/// What one lattice site is, in a byte: wall, fluid, part of opening `k`, or wall that belongs to named part `k`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Site(pub u8);

impl Site {
    /// Solid: links into it bounce back.
    pub const WALL: Self = Self(0);
    /// Fluid: becomes a lattice node.
    pub const FLUID: Self = Self(1);
    /// The largest number of openings a domain holds.
    pub const MAX_OPENINGS: usize = 200;
    /// The largest number of named parts of the wall.
    pub const MAX_WALL_PARTS: usize = 50;

    /// A site of opening `k`: not fluid itself; links from fluid into it belong to the opening.
    pub fn opening(k: usize) -> Self {
        debug_assert!(k < Self::MAX_OPENINGS);
        Self(2 + k as u8)
    }

    /// The opening this site belongs to, if any.
    pub fn as_opening(self) -> Option<usize> {
        usize::from(self.0).checked_sub(2).filter(|&k| k < Self::MAX_OPENINGS)
    }

    /// A wall site of named part `k`: links into it bounce back as from any wall.
    pub fn wall_part(k: usize) -> Self {
        debug_assert!(k < Self::MAX_WALL_PARTS);
        Self((2 + Self::MAX_OPENINGS + k) as u8)
    }

    /// Whether it is solid, of a named part or not.
    pub fn is_wall(self) -> bool {
        self == Self::WALL || self.as_wall_part().is_some()
    }

    /// The named part of the wall that this site belongs to, if any.
    pub fn as_wall_part(self) -> Option<usize> {
        usize::from(self.0).checked_sub(2 + Self::MAX_OPENINGS).filter(|&k| k < Self::MAX_WALL_PARTS)
    }
}

/// What the run prescribes at an opening.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum OpeningKind {
    /// The velocity of what comes in or goes out.
    Velocity,
    /// The pressure.
    Pressure,
    /// Nothing passes; the wall may move along itself (a lid, a belt).
    Wall,
}

/// One opening of a [`Domain`]; its sites carry [`Site::opening`] of its index.
#[derive(Clone, Debug, PartialEq)]
pub struct Opening {
    /// Its name, by which the run prescribes values.
    pub name: String,
    /// What is prescribed there.
    pub kind: OpeningKind,
    /// Unit normal into the fluid, where the config fixes it (planes and faces).
    pub normal: Option<[f64; 3]>,
}

/// A dense labelled lattice. Only geometry and the making of a case hold it; everything later is sparse.
///
/// Every non-periodic direction is padded by one layer of non-fluid sites at both ends, so that no link of a fluid
/// site leaves the array; a periodic direction is not padded and wraps. In 2-D, `extent[2] == 1`, without padding.
#[derive(Clone, Debug)]
pub struct Domain {
    /// 2 or 3.
    pub dimension: usize,
    /// Sites along x, y, z, the padding included.
    pub extent: [usize; 3],
    /// Lattice spacing in metres.
    pub spacing: f64,
    /// Lower corner of site (0, 0, 0) in metres; the centre of site `i` is `origin + (i + 1/2) spacing`.
    pub origin: [f64; 3],
    /// Directions in which the lattice wraps.
    pub periodic: [bool; 3],
    /// The sites, x fastest: index `(z * ny + y) * nx + x`.
    pub sites: Vec<Site>,
    /// The openings, in config order.
    pub openings: Vec<Opening>,
    /// Names of the named parts of the wall, in config order; their sites carry [`Site::wall_part`] of their index.
    pub wall_parts: Vec<String>,
    /// The surface that the fluid is within, in units of sites, where the domain was made of one.
    pub surface: Option<Arc<Surface>>,
    /// What was read and what was removed.
    pub report: Report,
}

/// What the making of a domain did, for the user and the case file.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Report {
    /// Sites of the image or volume as read, or those around the surface, along x, y, z.
    pub read: [usize; 3],
    /// What was made of the header of a volume, a sentence each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub header: Vec<String>,
    /// What the surface is and what was mended, a sentence each; empty for images and volumes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub surface: Vec<String>,
    /// What the model of terrain is, a sentence each; empty for other sources.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub terrain: Vec<String>,
    /// The reference system of coordinates, e.g. "EPSG:32633", where the file of the terrain names it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reference_system: Option<String>,
    /// What walls that run smoothly between pixels or voxels made of the fluid's size.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resampled: Option<Resampled>,
    /// Which specks of a picture or a volume were removed, a sentence each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub specks: Vec<String>,
    /// Where the border of a picture or a volume cuts vessels, a sentence each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ends: Vec<String>,
    /// Fluid sites kept.
    pub fluid: usize,
    /// Fluid share of the box that holds them.
    pub fill: f64,
    /// Connected components that touch an opening (or all, where there are no openings).
    pub components: usize,
    /// Components removed because they touch no opening.
    pub removed_components: usize,
    /// Fluid sites removed with them.
    pub removed_sites: usize,
    /// The narrowest place that the fluid has to pass, once the lattice is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub narrowest: Option<Narrowest>,
    /// Area of the walls, square metres; in 2-D their length, metres. Once the lattice is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wall_area: Option<f64>,
    /// The ends that openings open; files do not hold it.
    #[serde(skip)]
    pub opened: Vec<OpenedEnd>,
    /// Where specks and components were removed, for pictures; files do not hold it.
    #[serde(skip)]
    pub removed: Vec<RemovedRun>,
    /// What the user should look at, a sentence each.
    #[serde(default)]
    pub warnings: Vec<String>,
}

/// The fluid's size before and after its walls became smooth, openings and loose pieces counted.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Resampled {
    /// The longest edge of a pixel or voxel, metres.
    pub voxel: f64,
    /// Area (2-D) or volume of the pixels or voxels, m2 or m3.
    pub before: f64,
    /// That of the lattice sites.
    pub after: f64,
}

impl Resampled {
    /// By which share of its size the fluid has grown.
    pub fn growth(&self) -> f64 {
        self.after / self.before - 1.0
    }
}

/// An end of a vessel that an opening opens.
#[derive(Clone, Debug, PartialEq)]
pub struct OpenedEnd {
    /// Name of the opening.
    pub opening: String,
    /// Number of the end.
    pub number: usize,
    /// The area that is listed for it, m2; in 2-D its width, m.
    pub area: f64,
}

/// The narrowest place that the fluid has to pass on its widest way.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Narrowest {
    /// Its width in lattice spacings, within one of them.
    pub spacings: f64,
    /// Its middle, metres.
    pub place: [f64; 3],
    /// Whether it may be wider: distances are known so far.
    pub is_wider: bool,
    /// Which way that is: from where to where.
    pub between: String,
}

/// Sites or pixels that follow each other along x and were removed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RemovedRun {
    /// Lower corner of the first, metres.
    pub low: [f32; 3],
    /// Upper corner of the last, metres.
    pub high: [f32; 3],
    /// Whether fluid became wall; else wall became fluid.
    pub was_fluid: bool,
}

impl RemovedRun {
    /// The run of `start..end` along x in a row of cells of these edges, of which cell (0, 0, 0) has its lower corner at `origin`.
    pub(crate) fn new(
        ([x, y, z], end): ([usize; 3], usize),
        origin: [f64; 3],
        edges: [f64; 3],
        was_fluid: bool,
    ) -> Self {
        let corner = |at: [usize; 3]| [0, 1, 2].map(|axis| (origin[axis] + at[axis] as f64 * edges[axis]) as f32);
        Self { low: corner([x, y, z]), high: corner([end, y + 1, z + 1]), was_fluid }
    }
}

impl Domain {
    /// Index of the site at (x, y, z).
    pub fn index(&self, [x, y, z]: [usize; 3]) -> usize {
        (z * self.extent[1] + y) * self.extent[0] + x
    }

    /// Its diagonal in metres.
    pub fn size(&self) -> f64 {
        self.extent.iter().map(|&n| (n as f64 * self.spacing).powi(2)).sum::<f64>().sqrt()
    }

    /// The site `c` away from `at`, periodic directions wrapped; `None` outside the array.
    pub fn neighbour(&self, at: [usize; 3], c: [i32; 3]) -> Option<[usize; 3]> {
        let mut to = at;
        for axis in 0..3 {
            let n = self.extent[axis] as i64;
            let mut i = at[axis] as i64 + i64::from(c[axis]);
            if self.periodic[axis] {
                i = i.rem_euclid(n);
            } else if i < 0 || i >= n {
                return None;
            }
            to[axis] = i as usize;
        }
        Some(to)
    }
}
