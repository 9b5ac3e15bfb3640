//! From a config to a domain: read, label, refine, open, connect, one phase a line.

mod of_surface;
mod of_terrain;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use hematite_config::{Fault, Result, sibling};
use rayon::prelude::*;

use crate::config::{GeometryConfig, Keep};
use crate::connect::{behind, connect, pieces};
use crate::domain::{Domain, OpenedEnd, Opening, RemovedRun, Report, Resampled, Site};
use crate::end::{End, EndsConfig, seeks_tips};
use crate::field::{self, FieldConfig};
use crate::heights::Heights;
use crate::marking::{Frame, Marking, Place};
use crate::opening::{self, OpeningConfig};
use crate::pixels::Pixels;
use crate::region::{self, RegionConfig};
use crate::rules::Condition;
use crate::specks::Specks;
use crate::volume::{Values, Volume};
use crate::voxel_size::VoxelSize;
use crate::wall_part::{self, Labelled, WallPartConfig};
use crate::{border, doubts, gaps, grey, read, refine, rules, tips, unruled};
use of_surface::{leaks, refuse_pixels, within_surface};
use of_terrain::on_terrain;

/// Makes the labelled lattice of a config without named parts of the wall; see [`build_with_parts`].
///
/// # Errors
/// Those of [`build_with_parts`].
pub fn build(config_path: &Path, geometry: &GeometryConfig, openings: &[OpeningConfig]) -> Result<Domain> {
    build_with_parts(config_path, geometry, openings, &[])
}

/// Makes the labelled lattice of a config; see [`build_marked`].
///
/// # Errors
/// Those of [`build_marked`].
pub fn build_with_parts(
    config_path: &Path,
    geometry: &GeometryConfig,
    openings: &[OpeningConfig],
    wall_parts: &[WallPartConfig],
) -> Result<Domain> {
    build_marked(config_path, geometry, openings, wall_parts, &[], &BTreeMap::new()).map(|(domain, _)| domain)
}

/// Makes the labelled lattice of a config, and what tells the nodes of its regions and the values of its fields; paths
/// in it are relative to the folder of `config_path`.
///
/// # Errors
/// A usage fault for anything in the config or its files that cannot work, with the key or file, the value, the limit
/// and what to change.
pub fn build_marked(
    config_path: &Path,
    geometry: &GeometryConfig,
    openings: &[OpeningConfig],
    wall_parts: &[WallPartConfig],
    regions: &[RegionConfig],
    fields: &BTreeMap<String, FieldConfig>,
) -> Result<(Domain, Marking)> {
    let source = (&geometry.surface, &geometry.terrain);
    let Drawn { mut domain, openings, ends, labelled, picture } = match source {
        (Some(surface), _) => within_surface(config_path, geometry, surface, openings, wall_parts)?,
        (_, Some(terrain)) => on_terrain(config_path, geometry, terrain, (openings, wall_parts), regions, fields)?,
        _ => drawn(config_path, geometry, openings, wall_parts, regions)?,
    };
    match &picture {
        Some(_) => field::check(fields, regions)?,
        None => refuse_pixels(regions, fields).and_then(|()| {
            region::check(regions, &openings, wall_parts, |_| false)?;
            field::check(fields, regions)
        })?,
    }
    if !domain.sites.par_iter().any(|&site| site == Site::FLUID) {
        return Err(Fault::usage(match geometry.surface {
            Some(_) => {
                "geometry: no site is fluid: the surface is narrower than a spacing, or a shell just within it makes its inside wall; take a \
                 smaller spacing, check the unit, or take the inner shell out"
            }
            None => "geometry: no site is fluid; check geometry.rules (\"is\": \"fluid\") and geometry.crop",
        }));
    }
    let uncut = (!openings.is_empty()).then(|| pieces(&domain));
    for (k, opening) in openings.iter().enumerate() {
        opening::place(&mut domain, k, opening, &ends).map_err(|fault| match opening.end {
            Some(_) => with_list(fault, &domain.report),
            None => fault,
        })?;
    }
    let expected = behind(&domain, openings.iter().filter_map(|opening| ends.get(opening.end?)));
    connect(&mut domain, geometry.keep, uncut.as_ref(), expected).map_err(|fault| match ends.is_empty() {
        false => with_list(fault, &domain.report),
        true => fault,
    })?;
    domain.report.opened = opened(&openings, &ends);
    wall_part::mark(&mut domain, wall_parts, labelled.as_ref())?;
    let leaks = match source {
        (Some(_), _) => leaks(&domain),
        // Nothing flows around the corners of its cells.
        (_, Some(_)) => None,
        _ => gaps::gaps(&domain),
    };
    domain.report.warnings.extend(leaks);
    let place = |region: &RegionConfig| Ok((region.name.clone(), Place::all(&domain, region)?));
    let regions = regions.iter().map(place).collect::<Result<_>>()?;
    let Picture { pixels, values, rules, heights } = picture.unwrap_or_default();
    let is_looked_up = heights.is_some() || values.is_some() || fields.values().any(FieldConfig::has_file);
    let marking = Marking {
        config_path: config_path.to_owned(),
        regions,
        fields: fields.clone(),
        frame: Frame { dimension: domain.dimension, spacing: domain.spacing, origin: domain.origin },
        pixels: pixels.filter(|_| is_looked_up),
        heights,
        rules,
        values,
    };
    Ok((domain, marking))
}

/// A domain before its openings are placed.
struct Drawn {
    domain: Domain,
    /// Those of the config and those that the geometry makes.
    openings: Vec<OpeningConfig>,
    /// Ends of the vessel, where the source is a surface.
    ends: Vec<End>,
    /// Parts of the wall that rules label.
    labelled: Option<Labelled>,
    /// The picture, where the source is one.
    picture: Option<Picture>,
}

/// What regions and fields look up in a picture.
#[derive(Default)]
struct Picture {
    /// Its pixels as the rules label them.
    pixels: Option<Pixels>,
    /// Its own values, where a region asks for them.
    values: Option<Values>,
    /// Conditions and labels of the rules, in their order, likewise.
    rules: Vec<(Condition, String)>,
    /// Heights at the pixels of terrain.
    heights: Option<Heights>,
}

/// The domain of an image or a volume.
fn drawn(
    config_path: &Path,
    geometry: &GeometryConfig,
    openings: &[OpeningConfig],
    wall_parts: &[WallPartConfig],
    regions: &[RegionConfig],
) -> Result<Drawn> {
    let mut volume = load(config_path, geometry)?;
    let read = volume.shape;
    let VoxelSize { edges, spacing, division } = VoxelSize::find(geometry, &mut volume)?;

    let label_rules = geometry.rules.as_deref();
    let labelled_by = |label: &str| label_rules.is_some_and(|rules| rules.iter().any(|rule| rule.is == label));
    opening::check(openings, labelled_by)?;
    wall_part::check(wall_parts, openings, labelled_by)?;
    region::check(regions, openings, wall_parts, labelled_by)?;
    let site_of = |label: &str| {
        let opening = openings.iter().position(|opening| opening.label.as_deref() == Some(label));
        let part = || wall_parts.iter().position(|part| part.label.as_deref() == Some(label)).map(Site::wall_part);
        let fluid = || region::uses(regions, label).then_some(Site::FLUID);
        opening.map(Site::opening).or_else(part).or_else(fluid)
    };
    let mut labels = rules::label(&volume, label_rules, geometry.crop.as_ref(), site_of)?;
    let mut level = if division.smooth { rules::level(&volume, label_rules, &labels) } else { None };
    let is_read = regions.iter().any(RegionConfig::asks_for_values);
    let warning = match (&geometry.image, label_rules) {
        (Some(_), None) => grey::greys(&volume, &labels, is_read)?,
        (None, None) => unruled::values(&volume, &labels, is_read)?,
        _ => None,
    };
    let dimension = if labels.shape[2] == 1 { 2 } else { 3 };
    let periodic = periodic(geometry, dimension)?;
    let specks =
        geometry.specks.map(|specks| specks.remove(&mut labels, level.as_deref_mut(), periodic)).transpose()?;
    let Specks { said, runs } = specks.unwrap_or_default();
    let start = [0, 1, 2].map(|axis| labels.start[axis] as f64 * edges[axis]);
    let removed = runs.into_iter().map(|(run, was_fluid)| RemovedRun::new(run, start, edges, was_fluid)).collect();
    let notes = std::mem::take(&mut volume.notes);
    let values = is_read.then_some(volume.values);
    let labelled = Labelled::take(&mut labels, division.factors);

    let lattice = refine::refine(&labels, level.as_deref(), division, dimension, periodic)?;
    let resampled = division.smooth.then(|| {
        let size = |sites: &[Site], edges: [f64; 3]| {
            let open = sites.par_iter().filter(|&&site| site != Site::WALL).count();
            open as f64 * edges[..dimension].iter().product::<f64>()
        };
        Resampled {
            voxel: edges[..dimension].iter().copied().fold(0.0, f64::max),
            before: size(&labels.sites, edges),
            after: size(&lattice.sites, [spacing; 3]),
        }
    });
    let origin = [0, 1, 2].map(|axis| labels.start[axis] as f64 * edges[axis] - lattice.padding[axis] as f64 * spacing);
    let mut domain = Domain {
        dimension,
        extent: lattice.extent,
        spacing,
        origin: if dimension == 2 { [origin[0], origin[1], 0.0] } else { origin },
        periodic,
        sites: lattice.sites,
        openings: Vec::new(),
        wall_parts: wall_parts.iter().map(|part| part.name.clone()).collect(),
        surface: None,
        report: Report {
            read,
            header: notes,
            resampled,
            specks: said,
            removed,
            warnings: warning.into_iter().collect(),
            ..Report::default()
        },
    };
    let (openings, ends) = with_ends(geometry, openings, &mut domain)?;
    opening::check(&openings, labelled_by)?;
    wall_part::check(wall_parts, &openings, labelled_by)?;
    let normal = |opening: &OpeningConfig| opening.normal().or_else(|| Some(ends.get(opening.end?)?.normal));
    domain.openings =
        openings.iter().map(|o| Opening { name: o.name.clone(), kind: o.kind, normal: normal(o) }).collect();
    let rules = match (&values, label_rules) {
        (Some(_), Some(rules)) => {
            rules.iter().map(|rule| Ok((rules::condition(rule)?, rule.is.clone()))).collect::<Result<_>>()?
        }
        _ => Vec::new(),
    };
    let pixels = Pixels { labels, whole: read, factors: division.factors, padding: lattice.padding, periodic };
    let picture = Some(Picture { pixels: Some(pixels), values, rules, heights: None });
    Ok(Drawn { domain, openings, ends, labelled, picture })
}

/// What to say of a picture or a volume without ends.
const NO_BORDER: &str =
    "the border cuts no vessel, and no vessel ends within it, so that there are no ends; crop the picture or volume";

/// Ends that are listed at most.
const LISTED: usize = 100;

/// The openings of a config with those of its `ends`, and the ends of the vessels at the border, which the report
/// lists.
fn with_ends(
    geometry: &GeometryConfig,
    openings: &[OpeningConfig],
    domain: &mut Domain,
) -> Result<(Vec<OpeningConfig>, Vec<End>)> {
    if !geometry.periodic.is_empty() {
        if geometry.ends.is_some() {
            return Err(Fault::usage(
                "geometry.ends: ends are not sought where \"periodic\" wraps the lattice: take one of them out",
            ));
        }
        opening::check_ends(openings, None)?;
        return Ok((openings.to_vec(), Vec::new()));
    }
    let of_largest = geometry.keep == Some(Keep::Largest);
    let mut ends = border::ends(domain, of_largest);
    if seeks_tips(geometry.ends.as_ref(), openings, &ends) {
        tips::add(domain, of_largest, &mut ends);
    } else if geometry.ends.is_some() {
        let closed = doubts::closed(domain, of_largest, &ends, "before the border");
        domain.report.warnings.extend(closed);
    }
    list(domain, &ends);
    refuse_negative("geometry.ends", geometry.ends.as_ref())?;
    let all = geometry
        .ends
        .as_ref()
        .map(|config| config.openings("geometry.ends", NO_BORDER, &ends, domain.dimension))
        .transpose();
    let openings = [openings, &all.map_err(|fault| with_list(fault, &domain.report))?.unwrap_or_default()].concat();
    opening::check_ends(&openings, Some(&ends)).map_err(|fault| with_list(fault, &domain.report))?;
    Ok((openings, ends))
}

/// Refuses a negative width of the `ends` at `key`.
fn refuse_negative(key: &str, ends: Option<&EndsConfig>) -> Result<()> {
    match ends.and_then(|ends| ends.narrower_than) {
        Some(width) if width.si() < 0.0 => Err(Fault::usage(format!(
            "{key}.narrower_than: {width} is negative: give a width of 0 or more, or leave it out"
        ))),
        _ => Ok(()),
    }
}

/// Puts the ends into the report, the largest first.
fn list(domain: &mut Domain, ends: &[End]) {
    let dimension = domain.dimension;
    domain.report.ends = ends.iter().enumerate().take(LISTED).map(|(k, end)| end.describe(k, dimension)).collect();
    let unsure: Vec<String> = (0..ends.len()).filter(|&k| !ends[k].is_sure).map(|k| k.to_string()).collect();
    if !unsure.is_empty() {
        domain.report.warnings.push(format!(
            "the vessel widens, narrows, splits or bends within two widths of these ends, so that their direction and area are unsure: {}; \
             look at the picture, crop or cut farther off, or give a \"section\"",
            unsure.join(", ")
        ));
    }
    if ends.len() > LISTED {
        domain.report.ends.push(format!("and {} smaller ones", ends.len() - LISTED));
    }
}

/// Puts the list of the ends under a fault about them, and the warnings that there are.
fn with_list(fault: Fault, report: &Report) -> Fault {
    let mut message = fault.message;
    message.extend(report.warnings.iter().map(|warning| format!("\nwarning: {warning}")));
    if !report.ends.is_empty() {
        message.push_str("\nThe ends are:");
        message.extend(report.ends.iter().map(|line| format!("\n  {line}")));
    }
    Fault { message, ..fault }
}

/// What is known of the ends that openings open.
fn opened(openings: &[OpeningConfig], ends: &[End]) -> Vec<OpenedEnd> {
    let of = |opening: &OpeningConfig| {
        let number = opening.end?;
        Some(OpenedEnd { opening: opening.name.clone(), number, area: ends.get(number)?.area })
    };
    openings.iter().filter_map(of).collect()
}

/// The files that fields are read from, for provenance.
pub fn field_inputs(config_path: &Path, fields: &BTreeMap<String, FieldConfig>) -> Vec<PathBuf> {
    fields.values().flat_map(|field| field.inputs(config_path)).collect()
}

/// The files that [`build`] reads, for provenance.
pub fn inputs(config_path: &Path, geometry: &GeometryConfig) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = geometry.image.iter().map(|image| sibling(config_path, image)).collect();
    if let Some(voxels) = &geometry.voxels {
        let path = sibling(config_path, &voxels.file);
        let companions = read::companions(&path);
        files.push(path);
        files.extend(companions);
    }
    files.extend(geometry.terrain.iter().map(|terrain| sibling(config_path, &terrain.file)));
    if let Some(surface) = &geometry.surface {
        files.extend(surface.files(config_path));
    }
    files
}

fn load(config_path: &Path, geometry: &GeometryConfig) -> Result<Volume> {
    match (&geometry.image, &geometry.voxels) {
        (Some(image), None) => read::image(&sibling(config_path, image)),
        (None, Some(voxels)) => read::voxels(&sibling(config_path, &voxels.file), voxels),
        (None, None) => {
            Err(Fault::usage("geometry: has no source; give \"image\" (2-D), \"voxels\", \"surface\" or \"terrain\""))
        }
        (Some(_), Some(_)) => Err(Fault::usage("geometry: has two sources; give one of \"image\" and \"voxels\"")),
    }
}

fn periodic(geometry: &GeometryConfig, dimension: usize) -> Result<[bool; 3]> {
    let mut periodic = [false; 3];
    for axis in &geometry.periodic {
        if axis.index() >= dimension {
            return Err(Fault::usage("geometry.periodic: there is no z in a 2-D domain"));
        }
        periodic[axis.index()] = true;
    }
    Ok(periodic)
}
