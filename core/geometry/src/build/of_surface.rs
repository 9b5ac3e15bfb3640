//! The domain within a surface.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use hematite_config::{Fault, Result};
use hematite_units::quantity::Length;

use super::{Drawn, list, refuse_negative, with_list};
use crate::config::{GeometryConfig, Keep};
use crate::domain::{Domain, Opening, Report, Site};
use crate::end::{End, seeks_tips};
use crate::field::FieldConfig;
use crate::opening::{self, OpeningConfig};
use crate::region::RegionConfig;
use crate::surface::{self, SurfaceConfig, count};
use crate::voxel_size::check_spacing;
use crate::wall_part::{self, WallPartConfig};
use crate::{doubts, tips};

/// What to say of a surface without ends.
const NO_CAPS: &str =
    "the surface has no flat ends across its vessels, and no vessel ends within it; cut it flat there";

/// Refuses regions and fields that ask for a picture's pixels, where the geometry has none.
pub(super) fn refuse_pixels(regions: &[RegionConfig], fields: &BTreeMap<String, FieldConfig>) -> Result<()> {
    if let Some(region) = regions.iter().find(|region| region.asks_for_values()) {
        return Err(Fault::usage(format!(
            "regions: \"{}\": colours and values are those of a picture, and a surface has none: give a \"box\" or a \"disc\"",
            region.name
        )));
    }
    if let Some((name, _)) = fields.iter().find(|(_, field)| field.has_file()) {
        return Err(Fault::usage(format!(
            "fields: \"{name}\": a file has a value for each pixel of the geometry, and a surface has none: give a \"constant\", or \
             values for \"regions\""
        )));
    }
    Ok(())
}

/// What to say of links that go through the surface from fluid to fluid.
pub(super) fn leaks(domain: &Domain) -> Option<String> {
    let is_fluid = |site: [i32; 3]| {
        let at = site.map(|i| i.max(0) as usize);
        let is_inside = (0..3).all(|axis| site[axis] >= 0 && at[axis] < domain.extent[axis]);
        is_inside && domain.sites[domain.index(at)] == Site::FLUID
    };
    let (count, first) = domain.surface.as_ref()?.leaks(is_fluid)?;
    let place = [0, 1, 2].map(|axis| domain.origin[axis] + (f64::from(first[axis]) + 0.5) * domain.spacing);
    let place = place.map(|x| format!("{x:.4e}")).join(", ");
    Some(format!(
        "{count} link{} through the surface, the first near ({place}) m: walls thinner than a spacing \
         leak there, unless shells overlap; take a smaller spacing",
        if count == 1 { " between fluid nodes goes" } else { "s between fluid nodes go" }
    ))
}

/// Adds the tips of a surface to its `ends` where they are sought, and says which kind of ends it has.
fn add_tips(domain: &mut Domain, is_sought: bool, of_largest: bool, ends: &mut Vec<End>) -> Option<String> {
    let others = ends.len();
    if is_sought {
        tips::add(domain, of_largest, ends);
    }
    match (others, ends.len() - others, is_sought) {
        (0, 0, false) => Some(
            "no open rims or flat caps, so that no ends are listed; with \"ends\" in \"surface\" the tips of its vessels are \
             sought"
                .to_owned(),
        ),
        (0, _, true) => Some("no open rims or flat caps: its ends are tips, read from the voxels".to_owned()),
        (_, 0, _) => None,
        (_, tips, _) => Some(format!("{} read from the voxels, beside its other ends", count(tips, "tip"))),
    }
}

/// The domain within a surface.
pub(super) fn within_surface(
    config_path: &Path,
    geometry: &GeometryConfig,
    config: &SurfaceConfig,
    openings: &[OpeningConfig],
    wall_parts: &[WallPartConfig],
) -> Result<Drawn> {
    for (key, given, instead) in [
        ("image", geometry.image.is_some(), "give one source"),
        ("voxels", geometry.voxels.is_some(), "give one source"),
        ("terrain", geometry.terrain.is_some(), "give one source"),
        ("rules", geometry.rules.is_some(), "the fluid is within the surface"),
        ("crop", geometry.crop.is_some(), "cut vessels by openings with \"section\""),
        ("specks", geometry.specks.is_some(), "\"keep\" chooses pieces"),
        ("refine", geometry.refine.is_some(), "take a smaller \"spacing\""),
        ("periodic", !geometry.periodic.is_empty(), "give openings at the ends"),
        ("ends", geometry.ends.is_some(), "write \"ends\" into \"surface\""),
    ] {
        if given {
            return Err(Fault::usage(format!("geometry.{key} is not for surfaces: take it out; {instead}")));
        }
    }
    let spacing = geometry
        .spacing
        .map(Length::si)
        .ok_or_else(|| Fault::usage("geometry: needs \"spacing\", the edge of a lattice site, e.g. \"0.5 mm\""))?;
    check_spacing(spacing)?;
    opening::check(openings, |_| false)?;
    if let Some(opening) = openings.iter().find(|opening| opening.face.is_some()) {
        return Err(Fault::usage(format!(
            "opening \"{}\": \"face\" is not for surfaces, which close the vessel there: give the vessel's \"end\" or a \"section\"",
            opening.name
        )));
    }
    wall_part::check(wall_parts, openings, |_| false)?;
    let mut loaded = surface::load(config_path, config)?;
    let mut ends = std::mem::take(&mut loaded.ends);
    let (mut notes, warnings) = (std::mem::take(&mut loaded.notes), std::mem::take(&mut loaded.warnings));
    let filled = surface::fill(loaded, spacing)?;
    let mut domain = Domain {
        dimension: 3,
        extent: filled.extent,
        spacing,
        origin: filled.origin,
        periodic: [false; 3],
        sites: filled.sites,
        openings: Vec::new(),
        wall_parts: wall_parts.iter().map(|part| part.name.clone()).collect(),
        surface: Some(Arc::new(filled.surface)),
        report: Report { read: filled.extent.map(|n| n - 2), warnings, ..Report::default() },
    };
    let is_sought = seeks_tips(config.ends.as_ref(), openings, &ends);
    notes.extend(add_tips(&mut domain, is_sought, geometry.keep == Some(Keep::Largest), &mut ends));
    domain.report.surface = notes;
    list(&mut domain, &ends);
    if config.ends.is_some() && !is_sought {
        let doubts = doubts::doubts(&domain, geometry.keep == Some(Keep::Largest), &ends);
        domain.report.warnings.extend(doubts);
    }
    refuse_negative("geometry.surface.ends", config.ends.as_ref())?;
    let all =
        config.ends.as_ref().map(|config| config.openings("geometry.surface.ends", NO_CAPS, &ends, 3)).transpose();
    let openings = [openings, &all.map_err(|fault| with_list(fault, &domain.report))?.unwrap_or_default()].concat();
    opening::check(&openings, |_| false)?;
    opening::check_ends(&openings, Some(&ends)).map_err(|fault| with_list(fault, &domain.report))?;
    wall_part::check(wall_parts, &openings, |_| false)?;
    let normal = |opening: &OpeningConfig| opening.normal().or_else(|| Some(ends.get(opening.end?)?.normal));
    domain.openings =
        openings.iter().map(|o| Opening { name: o.name.clone(), kind: o.kind, normal: normal(o) }).collect();
    Ok(Drawn { domain, openings, ends, labelled: None, picture: None })
}
