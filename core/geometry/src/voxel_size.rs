//! How large pixels and voxels are, and what the spacing of the lattice is: by the config, by the header, or refused.

use std::ops::RangeInclusive;

use hematite_config::{Fault, Result};
use hematite_units::quantity::Length;

use crate::config::{GeometryConfig, VoxelConfig};
use crate::refine::Division;
use crate::volume::Volume;

/// Spacings whose powers, and those of what follows from them, are far from the limits of numbers, in metres.
const SPACINGS: RangeInclusive<f64> = 1e-12..=1e6;
/// Edges that differ by less than this share are the same.
const SAME: f64 = 1e-4;

/// The size of voxels and of sites.
pub struct VoxelSize {
    /// Edges of a voxel along x, y, z, metres.
    pub edges: [f64; 3],
    /// The spacing of the lattice, metres.
    pub spacing: f64,
    /// How voxels become sites.
    pub division: Division,
}

impl VoxelSize {
    /// What `geometry` and the header of `volume` tell; notes go to `volume`.
    ///
    /// # Errors
    /// A usage fault where they do not tell it, or contradict each other, with the key to give or to take out.
    pub fn find(geometry: &GeometryConfig, volume: &mut Volume) -> Result<Self> {
        let dimension = if volume.shape[2] == 1 { 2 } else { 3 };
        let asked = geometry.spacing.map(Length::si);
        asked.map_or(Ok(()), check_spacing)?;
        let known = geometry.voxels.as_ref().map_or(Ok(None), |voxels| known(voxels, volume, dimension))?;
        let Some(edges) = known else {
            let is_cube = |steps: [f64; 3]| steps[..dimension].iter().all(|&step| is_same(step.abs(), steps[0].abs()));
            let is_known = volume.spacing.is_none_or(is_cube);
            let pixel = asked.filter(|_| is_known).ok_or_else(|| lacking(volume, dimension))?;
            let division = Division::refined(geometry.refine, dimension)?;
            return Ok(Self { edges: [pixel; 3], spacing: pixel / division.factors[0], division });
        };
        if let Some(edge) = edges[..dimension].iter().find(|edge| !SPACINGS.contains(edge)) {
            return Err(Fault::usage(format!(
                "geometry.voxels: an edge of a voxel is {edge:e} m, outside {:e} to {:e} m: give \"edges\", or another \"header_unit\"",
                SPACINGS.start(),
                SPACINGS.end()
            )));
        }
        let is_cube = edges[..dimension].iter().all(|edge| is_same(*edge, edges[0]));
        let is_asked = |spacing: f64| edges[..dimension].iter().all(|edge| is_same(*edge, spacing));
        match asked {
            None if is_cube => {
                let division = Division::refined(geometry.refine, dimension)?;
                Ok(Self { edges: [edges[0]; 3], spacing: edges[0] / division.factors[0], division })
            }
            None => Err(Fault::usage(format!(
                "geometry: its voxels are {}, and a lattice needs cubes: give \"spacing\", the spacing of the lattice to which they are \
                 resampled, e.g. \"{} m\"",
                shown(&edges[..dimension]),
                edges[..dimension].iter().copied().fold(f64::INFINITY, f64::min)
            ))),
            Some(spacing) if is_asked(spacing) => {
                let division = Division::refined(geometry.refine, dimension)?;
                Ok(Self { edges: [spacing; 3], spacing: spacing / division.factors[0], division })
            }
            Some(_) if geometry.refine.is_some() => Err(Fault::usage(format!(
                "geometry: \"spacing\" resamples voxels of {}, so that \"refine\" has no meaning: take one of them out",
                shown(&edges[..dimension])
            ))),
            Some(spacing) => {
                let division = Division::resampled(edges, spacing, dimension)?;
                let sizes = division.sites(volume.shape);
                let sizes: Vec<String> = sizes[..dimension].iter().map(usize::to_string).collect();
                volume.notes.push(format!(
                    "resampled from voxels of {} to the spacing {}: {} sites for the whole volume",
                    shown(&edges[..dimension]),
                    shown(&[spacing]),
                    sizes.join(" x ")
                ));
                Ok(Self { edges, spacing, division })
            }
        }
    }
}

/// Whether two lengths are the same, rounded.
pub fn is_same(a: f64, b: f64) -> bool {
    (a - b).abs() <= SAME * b.abs()
}

/// The edges of voxels, where the config or the header with its unit tell them.
fn known(voxels: &VoxelConfig, volume: &mut Volume, dimension: usize) -> Result<Option<[f64; 3]>> {
    let by_header = volume.spacing.zip(volume.unit).map(|(steps, unit)| steps.map(|step| step * unit));
    if let Some(edges) = voxels.edges {
        if voxels.header_unit.is_some() {
            return Err(Fault::usage(
                "geometry.voxels: \"edges\" and \"header_unit\" both give the edges of a voxel; take one out",
            ));
        }
        let edges = edges.map(Length::si);
        if let Some(header) = by_header.filter(|header| (0..dimension).any(|k| !is_same(header[k], edges[k]))) {
            let (given, header) = (shown(&edges[..dimension]), shown(&header[..dimension]));
            volume.notes.push(format!("voxels are {given} by \"edges\", in place of {header} by the header"));
        }
        return Ok(Some(edges));
    }
    let Some(unit) = voxels.header_unit.map(Length::si) else {
        if let Some(edges) = by_header {
            volume.notes.push(format!("voxels are {} by the header", shown(&edges[..dimension])));
        }
        return Ok(by_header);
    };
    let steps = volume.spacing.ok_or_else(|| {
        Fault::usage(
            "geometry.voxels.header_unit: the file's header gives no spacing; give \"spacing\" or \"edges\" instead",
        )
    })?;
    if let Some(header) = volume.unit.filter(|&header| !is_same(header, unit)) {
        volume.notes.push(format!(
            "1 of the header's lengths is {} by \"header_unit\", in place of {} by the header",
            shown(&[unit]),
            shown(&[header])
        ));
    }
    Ok(Some(steps.map(|step| step * unit)))
}

/// The fault of a geometry that does not tell how large a pixel is.
fn lacking(volume: &Volume, dimension: usize) -> Fault {
    let Some(steps) = volume.spacing else {
        return Fault::usage(
            "geometry: needs \"spacing\", the edge of a pixel or voxel, e.g. \"1 um\" (the file does not tell it; where voxels are no \
             cubes, give \"edges\" in \"voxels\" too)",
        );
    };
    let steps: Vec<String> = steps[..dimension].iter().map(f64::to_string).collect();
    Fault::usage(format!(
        "geometry: the header says voxels of {}, and no unit: give \"header_unit\" in \"voxels\", what 1 in it is, e.g. \"1 mm\" (or \
         \"spacing\", the edge of voxels that are cubes, or their \"edges\" in \"voxels\")",
        steps.join(" x ")
    ))
}

pub(crate) fn check_spacing(spacing: f64) -> Result<()> {
    if SPACINGS.contains(&spacing) {
        return Ok(());
    }
    Err(Fault::usage(format!(
        "geometry.spacing: {spacing:e} m must be from {:e} to {:e} m, e.g. \"1 um\"",
        SPACINGS.start(),
        SPACINGS.end()
    )))
}

/// Lengths as people write them, of one unit.
pub(crate) fn shown(lengths: &[f64]) -> String {
    let greatest = lengths.iter().copied().fold(0.0, f64::max);
    let units = [(1.0, "m"), (1e-3, "mm"), (1e-6, "um"), (1e-9, "nm")];
    let (size, unit) = units.into_iter().find(|(size, _)| greatest >= 0.1 * size).unwrap_or((1e-9, "nm"));
    // Without the noise of the division.
    let number = |length: &f64| format!("{:.5e}", length / size).parse::<f64>().unwrap_or(*length).to_string();
    format!("{} {unit}", lengths.iter().map(number).collect::<Vec<_>>().join(" x "))
}
