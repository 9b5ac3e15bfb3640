//! From a model of terrain to a domain: its heights, the part that is used, the size of its cells, its lattice.

use std::path::Path;

use hematite_config::{Fault, Result, sibling};
use hematite_units::number::{exact, short};
use hematite_units::quantity::Length;
use rayon::prelude::*;

use crate::config::GeometryConfig;
use crate::domain::{Domain, Report, Site};
use crate::heights::Heights;
use crate::opening::BoxConfig;
use crate::pixels::Pixels;
use crate::read::{self, Grid, MapPlace};
use crate::refine::{self, Division};
use crate::rules::{self, Labels};
use crate::terrain::TerrainConfig;
use crate::voxel_size::{check_spacing, is_same};

/// A domain of terrain, and what its heights are looked up in.
pub struct Relief {
    /// All of it fluid but cells without data; it has no openings.
    pub domain: Domain,
    /// The cells of the file.
    pub pixels: Pixels,
    /// The heights of all cells of the file.
    pub heights: Heights,
}

/// Reads a model of terrain and lays the lattice on it.
///
/// # Errors
/// A usage fault that names the file or the key, what is wrong and what to do.
pub fn lay(config_path: &Path, geometry: &GeometryConfig, config: &TerrainConfig) -> Result<Relief> {
    refuse_others(geometry, config)?;
    let path = sibling(config_path, &config.file);
    let mut grid = read::terrain(&path)?;
    let mut notes = Vec::new();
    let place = grid.place.take();
    let cells =
        Cells::find(geometry, config, place.as_ref(), &mut notes).map_err(|fault| fault.within(path.display()))?;
    let read = grid.volume.shape;
    let (start, end) = match (&config.within, &geometry.crop) {
        (Some(within), None) => cells.part(within, read)?,
        (_, crop) => rules::bounds(read, crop.as_ref())?,
    };
    let heights = heights(config, grid, &mut notes).map_err(|fault| fault.within(path.display()))?;
    let (labels, [low, high]) = labelled(&heights, read, start, end);
    if low > high {
        return Err(Fault::usage(format!(
            "{}: no cell that is used has a height: check \"missing\", \"crop\" and \"within\"",
            path.display()
        )));
    }
    let lattice = refine::refine(&labels, None, cells.division, 2, [false; 3])?;
    let origin = |axis: usize| {
        cells.corner[axis] + start[axis] as f64 * cells.edge - lattice.padding[axis] as f64 * cells.spacing
    };
    let mut report = Report { read, reference_system: place.and_then(|place| place.system), ..Report::default() };
    report.terrain = cells.describe(&labels, [low, high], report.reference_system.as_deref());
    report.terrain.extend(notes);
    let suspect = heights.suspect(low).map(|value| {
        format!(
            "the lowest height in the file is {value:?}, which may stand for none: if so, give \"missing\": {value:?} in \"terrain\""
        )
    });
    report.warnings.extend(suspect);
    let domain = Domain {
        dimension: 2,
        extent: lattice.extent,
        spacing: cells.spacing,
        origin: [origin(0), origin(1), 0.0],
        periodic: [false; 3],
        sites: lattice.sites,
        openings: Vec::new(),
        wall_parts: Vec::new(),
        surface: None,
        report,
    };
    let factors = cells.division.factors;
    let pixels = Pixels { labels, whole: read, factors, padding: lattice.padding, periodic: [false; 3] };
    Ok(Relief { domain, pixels, heights })
}

/// Refuses what has no meaning for terrain.
fn refuse_others(geometry: &GeometryConfig, config: &TerrainConfig) -> Result<()> {
    if config.within.is_some() && geometry.crop.is_some() {
        return Err(Fault::usage(
            "geometry: \"crop\" and \"within\" of \"terrain\" both say which part is used: take one out",
        ));
    }
    for (key, given, instead) in [
        ("image", geometry.image.is_some(), "give one source"),
        ("voxels", geometry.voxels.is_some(), "give one source"),
        ("rules", geometry.rules.is_some(), "every cell with a height is a node; \"missing\" says which have none"),
        ("specks", geometry.specks.is_some(), "\"keep\" chooses pieces"),
        ("ends", geometry.ends.is_some(), "terrain has no vessels"),
        ("periodic", !geometry.periodic.is_empty(), "terrain does not repeat"),
        ("refine.smooth", geometry.refine.is_some_and(|refine| refine.smooth), "heights are interpolated"),
    ] {
        if given {
            return Err(Fault::usage(format!("geometry.{key} is not for \"terrain\": take it out; {instead}")));
        }
    }
    Ok(())
}

/// What heights mean.
fn heights(config: &TerrainConfig, grid: Grid, notes: &mut Vec<String>) -> Result<Heights> {
    if grid.volume.values.is_colour() {
        return Err(Fault::usage("holds colours, and heights are numbers: save it in grey, or as a TIFF of numbers"));
    }
    let given = config.unit.map(Length::si);
    let unit = given.or(grid.height_unit).ok_or_else(|| {
        Fault::usage("does not tell the unit of its heights: give \"unit\" in \"terrain\", what 1 means, e.g. \"1 m\"")
    })?;
    if unit == 0.0 {
        return Err(Fault::usage(
            "geometry.terrain.unit: 0 makes all heights the same; give what 1 means, e.g. \"1 m\"",
        ));
    }
    if let Some(told) = grid.height_unit.filter(|&told| !is_same(told, unit)) {
        notes.push(format!(
            "1 of a height is {} m by \"unit\", in place of {} m by the file",
            short(unit),
            short(told)
        ));
    }
    let missing = config.missing.into_iter().chain(grid.missing).collect();
    Ok(Heights::new(grid.volume.values, unit, config.offset.map_or(0.0, Length::si), missing))
}

/// Which cells of the part that is used have a height, and the least and the greatest height.
fn labelled(heights: &Heights, whole: [usize; 3], start: [usize; 3], end: [usize; 3]) -> (Labels, [f64; 2]) {
    let shape = [0, 1, 2].map(|axis| end[axis] - start[axis]);
    let height = |i: usize| {
        let (x, y) = (start[0] + i % shape[0], start[1] + i / shape[0]);
        heights.at(y * whole[0] + x)
    };
    let count = shape[0] * shape[1];
    let site = |i: usize| if height(i).is_some() { Site::FLUID } else { Site::WALL };
    let sites = (0..count).into_par_iter().map(site).collect();
    let none = || [f64::INFINITY, f64::NEG_INFINITY];
    let range = (0..count)
        .into_par_iter()
        .filter_map(height)
        .fold(none, |[low, high], z| [low.min(z), high.max(z)])
        .reduce(none, |a, b| [a[0].min(b[0]), a[1].max(b[1])]);
    (Labels { shape, start, sites }, range)
}

/// How large cells are, where they lie, and what the spacing of the lattice is.
struct Cells {
    /// The edge of a cell, metres.
    edge: f64,
    /// Lower-left corner of the lower-left cell of the file, metres.
    corner: [f64; 2],
    /// The spacing of the lattice, metres.
    spacing: f64,
    /// How cells become sites.
    division: Division,
}

impl Cells {
    /// What the config and the file tell.
    fn find(
        geometry: &GeometryConfig,
        config: &TerrainConfig,
        place: Option<&MapPlace>,
        notes: &mut Vec<String>,
    ) -> Result<Self> {
        let asked = geometry.spacing.map(Length::si);
        asked.map_or(Ok(()), check_spacing)?;
        let (edge, corner) = match place {
            Some(place) => {
                let unit = unit_of_map(config, place)?;
                (place.cell * unit, place.corner.map(|x| x * unit))
            }
            None if config.cell_unit.is_some() => {
                return Err(Fault::usage(
                    "does not tell the size of a cell, so that \"cell_unit\" has no meaning: take it out; \"spacing\" in \"geometry\" is \
                     the edge of a cell",
                ));
            }
            None => {
                let edge = asked.ok_or_else(|| {
                    Fault::usage(
                        "does not tell the size of a cell: give \"spacing\" in \"geometry\", the edge of a cell, e.g. \"10 m\"",
                    )
                })?;
                (edge, [0.0; 2])
            }
        };
        check_spacing(edge).map_err(|fault| fault.within("the edge of a cell"))?;
        let (spacing, division) = match asked {
            Some(spacing) if !is_same(edge, spacing) => {
                if geometry.refine.is_some() {
                    return Err(Fault::usage(format!(
                        "geometry: \"spacing\" resamples cells of {} m, so that \"refine\" has no meaning: take one of them out",
                        short(edge)
                    )));
                }
                let division = Division { smooth: false, ..Division::resampled([edge; 3], spacing, 2)? };
                notes.push(format!("resampled from cells of {} m to the spacing {} m", short(edge), short(spacing)));
                (spacing, division)
            }
            _ => {
                let division = Division::refined(geometry.refine, 2)?;
                (edge / division.factors[0], division)
            }
        };
        Ok(Self { edge, corner, spacing, division })
    }

    /// First and one past the last cell along each axis with their centres in a box of the map.
    fn part(&self, within: &BoxConfig, shape: [usize; 3]) -> Result<([usize; 3], [usize; 3])> {
        let key = "geometry.terrain.within";
        if within.min.len() != 2 || within.max.len() != 2 {
            return Err(Fault::usage(format!("{key}: min and max need 2 lengths each, easting and northing")));
        }
        let (mut start, mut end) = ([0; 3], shape);
        for axis in 0..2 {
            let (min, max, n) = (within.min[axis].si(), within.max[axis].si(), shape[axis] as f64);
            // Centre i + 1/2; a hair of tolerance so that decimal lengths on a centre count as on it.
            let at = |length: f64| (length - self.corner[axis]) / self.edge - 0.5;
            start[axis] = (at(min) - 1e-6).ceil().clamp(0.0, n) as usize;
            end[axis] = ((at(max) + 1e-6).floor() + 1.0).clamp(0.0, n) as usize;
            if start[axis] >= end[axis] {
                return Err(Fault::usage(format!(
                    "{key}: {} to {} m along {} holds no cell: the file is from {} to {} m",
                    exact(min),
                    exact(max),
                    ["x", "y"][axis],
                    exact(self.corner[axis]),
                    exact(self.corner[axis] + n * self.edge)
                )));
            }
        }
        Ok((start, end))
    }

    /// What there is to say of the cells that are used.
    fn describe(&self, labels: &Labels, [low, high]: [f64; 2], system: Option<&str>) -> Vec<String> {
        let [nx, ny, _] = labels.shape;
        let corner = [0, 1].map(|axis| metres(self.corner[axis] + labels.start[axis] as f64 * self.edge));
        let without = labels.sites.par_iter().filter(|&&site| site == Site::WALL).count();
        let without = match without {
            0 => "all cells have one".to_owned(),
            1 => "1 cell without data is wall".to_owned(),
            n => format!("{n} cells without data are wall"),
        };
        vec![
            format!(
                "{nx} x {ny} cells of {} m from ({}, {}) m, {}",
                metres(self.edge),
                corner[0],
                corner[1],
                system.unwrap_or("no reference system named")
            ),
            format!("heights from {} to {} m; {without}", metres(low), metres(high)),
        ]
    }
}

/// Metres in a unit of the map.
fn unit_of_map(config: &TerrainConfig, place: &MapPlace) -> Result<f64> {
    let given = config.cell_unit.map(Length::si);
    if let Some(unit) = given.filter(|unit| *unit <= 0.0) {
        return Err(Fault::usage(format!("geometry.terrain.cell_unit: {unit} m is not above 0")));
    }
    match (given, place.unit) {
        (Some(given), Some(told)) if !is_same(given, told) => Err(Fault::usage(format!(
            "geometry.terrain.cell_unit: {given} m contradicts the file, whose unit of the map is {told} m: take \"cell_unit\" out"
        ))),
        (given, told) => given.or(told).ok_or_else(|| {
            Fault::usage(format!(
                "its cells are {} wide, in a unit that it does not tell: give \"cell_unit\" in \"terrain\", what 1 means, e.g. \"1 m\"; \
                 where these are degrees, project the file to metres first, e.g. by `gdalwarp -t_srs EPSG:326xx`",
                place.cell
            ))
        }),
    }
}

/// Metres to a thousandth, as text.
fn metres(length: f64) -> String {
    let text = format!("{length:.3}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if length != 0.0 && text.trim_start_matches('-') == "0" { short(length) } else { text.to_owned() }
}
