//! The shapes of cells that a case can name.

use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use hematite_config::{Fault, Result, sibling};
use hematite_units::quantity::Length;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::icosphere::{self, COUNTS};
use crate::ring::ring;
use crate::{Preset, Surface, check, discocyte, read};

/// The shape of a cell at rest, by its `kind`, e.g. {"kind": "red_cell"} or {"kind": "sphere", "radius": "6 um"}.
/// In 2-D a shape is a ring: the section of the solid. Meshes of rigid bodies have 162 vertices by default.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum ShapeConfig {
    /// The biconcave red cell of Evans and Fung; its axis is z (2-D: y).
    RedCell {
        /// Its diameter, e.g. "7.82 um", the default.
        #[serde(default = "red_cell_diameter")]
        diameter: Length,
        /// Number of vertices: 3-D 162, 642 (default), 2562 or 10242; 2-D 6 to 65536 (default:
        /// sides of about 0.6 lattice spacings).
        #[serde(default)]
        vertices: Option<usize>,
    },
    /// A circle; 2-D only.
    Disc {
        /// Its radius, e.g. "4 um".
        radius: Length,
        /// Number of vertices, 6 to 65536. Default: sides of about 0.6 lattice spacings.
        #[serde(default)]
        vertices: Option<usize>,
    },
    /// A sphere, such as a white or a tumour cell; in 2-D a circle.
    Sphere {
        /// Its radius, e.g. "6 um".
        radius: Length,
        /// Number of vertices: 3-D 42, 162, 642 (default), 2562 or 10242; 2-D 6 to 65536 (default:
        /// sides of about 0.6 lattice spacings).
        #[serde(default)]
        vertices: Option<usize>,
    },
    /// A platelet at rest: an oblate spheroid whose axis is z (2-D: y).
    Platelet {
        /// Its diameter, e.g. "2.5 um", the default.
        #[serde(default = "platelet_diameter")]
        diameter: Length,
        /// Its thickness, e.g. "0.9 um", the default.
        #[serde(default = "platelet_thickness")]
        thickness: Length,
        /// Number of vertices: 3-D 42, 162 (default), 642, 2562 or 10242; 2-D 6 to 65536 (default:
        /// sides of about 0.6 lattice spacings).
        #[serde(default)]
        vertices: Option<usize>,
    },
    /// An ellipsoid; in 2-D an ellipse.
    Ellipsoid {
        /// Its full axes along x, y (and z), e.g. ["8 um", "4 um", "4 um"].
        axes: Vec<Length>,
        /// Number of vertices: 3-D 42, 162, 642 (default), 2562 or 10242; 2-D 6 to 65536 (default:
        /// sides of about 0.6 lattice spacings).
        #[serde(default)]
        vertices: Option<usize>,
    },
    /// A closed triangle mesh from a file; 3-D only. It may lie anywhere: its centroid is moved to the origin. Its
    /// vertices are numbered anew, by patches.
    Mesh {
        /// The file (.stl .off .ply; ASCII or binary), e.g. "capsule.stl".
        file: PathBuf,
        /// What 1 in the file means, e.g. "1 um".
        unit: Length,
    },
}

fn red_cell_diameter() -> Length {
    Length(7.82e-6)
}

fn platelet_diameter() -> Length {
    Length(2.5e-6)
}

fn platelet_thickness() -> Length {
    Length(0.9e-6)
}

impl ShapeConfig {
    /// The `kind` in a config.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::RedCell { .. } => "red_cell",
            Self::Disc { .. } => "disc",
            Self::Sphere { .. } => "sphere",
            Self::Platelet { .. } => "platelet",
            Self::Ellipsoid { .. } => "ellipsoid",
            Self::Mesh { .. } => "mesh",
        }
    }

    /// The default mechanics of the shape.
    pub fn preset(&self) -> Preset {
        match self {
            Self::RedCell { .. } => Preset::RedCell,
            Self::Platelet { .. } => Preset::Platelet,
            Self::Disc { .. } | Self::Sphere { .. } => Preset::WhiteCell,
            Self::Ellipsoid { .. } | Self::Mesh { .. } => Preset::Capsule,
        }
    }

    /// The surface in 2 or 3 dimensions, in metres about its centroid. The file of a mesh is relative to `config`. The
    /// lattice's `spacing`, in metres, sets the default number of vertices of a ring.
    ///
    /// # Errors
    /// A usage fault that names key, value, limit and remedy: a shape of the other dimension, lengths that are not
    /// positive, an impossible number of vertices, a mesh that is no cell (see `check`).
    pub fn surface(&self, config: &Path, dimension: usize, spacing: f64) -> Result<Surface> {
        let surface = match (self, dimension) {
            (Self::Disc { .. }, 3) => Err(Fault::usage(
                "the shape \"disc\" is for 2-D cases, this case is 3-D: use \"sphere\" or \"platelet\"",
            )),
            (Self::Mesh { .. }, 2) => Err(Fault::usage(
                "the shape \"mesh\" is for 3-D cases, this case is 2-D: use \"red_cell\", \"disc\" or \"ellipsoid\"",
            )),
            (Self::RedCell { diameter, vertices }, _) => {
                let radius = 0.5 * positive("diameter", *diameter)?;
                let unit = match dimension {
                    2 => fitting_ring(*vertices, spacing / radius, discocyte::section)?,
                    _ => icosphere::mesh(mesh_count(vertices.unwrap_or(642), &COUNTS[1..])?, discocyte::point),
                };
                Ok(unit.scaled(radius))
            }
            (Self::Disc { radius, vertices } | Self::Sphere { radius, vertices }, _) => {
                round([2.0 * positive("radius", *radius)?; 3], *vertices, dimension, 642, spacing)
            }
            (Self::Platelet { diameter, thickness, vertices }, _) => {
                let (wide, thin) = (positive("diameter", *diameter)?, positive("thickness", *thickness)?);
                let axes = if dimension == 2 { [wide, thin, 0.0] } else { [wide, wide, thin] };
                round(axes, *vertices, dimension, 162, spacing)
            }
            (Self::Ellipsoid { axes, vertices }, _) => {
                round(full_axes(axes, dimension)?, *vertices, dimension, 642, spacing)
            }
            (Self::Mesh { file, unit }, _) => {
                let path = sibling(config, file);
                let unit = positive("unit", *unit)?;
                let mesh = read::mesh(&path)?;
                check::closed(mesh).map(|surface| surface.scaled(unit)).map_err(|f| f.within(path.display()))
            }
        };
        surface.map(Surface::in_patches)
    }
}

/// The full axes of an ellipsoid, in metres; the third is 0 in 2-D.
pub(crate) fn full_axes(axes: &[Length], dimension: usize) -> Result<[f64; 3]> {
    if axes.len() != dimension {
        return Err(Fault::usage(format!(
            "\"axes\" has {} lengths, this case is {dimension}-D: give the {dimension} full axes, along x, y{}",
            axes.len(),
            if dimension == 3 { ", z" } else { "" }
        )));
    }
    let mut full = [0.0; 3];
    for (to, &axis) in full.iter_mut().zip(axes) {
        *to = positive("axes", axis)?;
    }
    Ok(full)
}

/// An ellipsoid by its full axes.
pub(crate) fn ellipsoid(axes: [f64; 3], vertices: usize) -> Result<Surface> {
    let [a, b, c] = axes.map(|axis| 0.5 * axis);
    Ok(icosphere::mesh(mesh_count(vertices, &COUNTS)?, |[x, y, z]| [a * x, b * y, c * z]))
}

/// An ellipsoid by its full axes in 3-D, by default with `default` vertices; its section in 2-D.
fn round(axes: [f64; 3], vertices: Option<usize>, dimension: usize, default: usize, spacing: f64) -> Result<Surface> {
    let [a, b, _] = axes.map(|axis| 0.5 * axis);
    match dimension {
        2 => fitting_ring(vertices, spacing, |[x, y]| [a * x, b * y]),
        _ => ellipsoid(axes, vertices.unwrap_or(default)),
    }
}

/// Accepted lengths in metres: their powers stay far from the limits of floating-point numbers.
const LENGTHS: RangeInclusive<f64> = 1e-12..=1e6;

/// The length of key `key` in metres.
///
/// # Errors
/// A usage fault where it is not above 0 or outside [`LENGTHS`].
pub(crate) fn positive(key: &str, length: Length) -> Result<f64> {
    let metres = length.si();
    if LENGTHS.contains(&metres) {
        return Ok(metres);
    }
    Err(Fault::usage(match metres > 0.0 {
        true => {
            let [least, most] = [LENGTHS.start(), LENGTHS.end()];
            format!("\"{key}\" is \"{metres:e} m\"; it must be from {least:e} to {most:e} m, e.g. \"2 um\"")
        }
        false => format!("\"{key}\" is \"{length}\"; it must be above 0, e.g. \"2 um\""),
    }))
}

/// Default length of a ring's sides at rest, in lattice spacings. With vertices farther apart, fluid leaks through a
/// membrane under high pressure; Peskin (Acta Numerica 11, 479, 2002) takes half a spacing.
pub const RING_SIDE: f64 = 0.6;

/// Least default number of vertices of a ring.
const FEWEST: usize = 12;

/// Vertices of the ring that measures the perimeter.
const MEASURED: usize = 100;

/// A ring of `count` vertices; by default with sides of [`RING_SIDE`] and a multiple of four vertices, so that
/// symmetric shapes stay symmetric.
fn fitting_ring(count: Option<usize>, spacing: f64, map: impl Fn([f64; 2]) -> [f64; 2]) -> Result<Surface> {
    let count = count.unwrap_or_else(|| {
        let perimeter = ring(MEASURED, &map).area();
        let fours = (0.25 * perimeter / (RING_SIDE * spacing)).round() as usize;
        4 * fours.clamp(FEWEST / 4, check::MOST_VERTICES / 4)
    });
    Ok(ring(ring_count(count)?, map))
}

fn ring_count(count: usize) -> Result<usize> {
    if (6..=check::MOST_VERTICES).contains(&count) {
        return Ok(count);
    }
    Err(Fault::usage(format!(
        "\"vertices\" is {count}; a ring has 6 to {} (default: sides of {RING_SIDE} lattice spacings)",
        check::MOST_VERTICES
    )))
}

fn mesh_count(count: usize, known: &[usize]) -> Result<usize> {
    if known.contains(&count) {
        return Ok(count);
    }
    let nearest = known.iter().copied().min_by_key(|&k| k.abs_diff(count)).unwrap_or(642);
    let known: Vec<String> = known.iter().map(usize::to_string).collect();
    Err(Fault::usage(format!(
        "\"vertices\" is {count}; the possible numbers are {} (divided icosahedra), the nearest is {nearest}",
        known.join(", ")
    )))
}

#[cfg(test)]
mod tests;
