//! Readers, one format a file, that all return a [`Volume`].
//!
//! Every reader checks the size that a header claims against the length of the file before it allocates.

mod ascii_grid;
mod counted;
pub mod folder;
mod geo_tiff;
mod grid;
pub mod image;
pub mod meta_image;
pub mod nifti;
pub mod npy;
pub mod nrrd;
mod pnm;
pub mod raw;
mod text_header;
pub mod tiff;
mod tiff_claims;
pub mod vti;

use std::fs::File;
use std::path::{Path, PathBuf};

use hematite_config::{Fault, Result};

use crate::axes::upright;
use crate::config::VoxelConfig;
use crate::volume::Volume;

pub use grid::{Grid, MapPlace};

/// Reads a 2-D image; the first row of the result is the lowest one of the picture, so that y points up.
///
/// # Errors
/// A usage fault that names the file and what is wrong with it.
pub fn image(path: &Path) -> Result<Volume> {
    let mut volume = image::read(path).map_err(|fault| fault.within(path.display()))?;
    volume.values.flip_rows(volume.shape[0]);
    Ok(volume)
}

/// Reads a voxel volume; the format follows from the extension, a folder is read as slices. Row `j` of slice `k` is
/// `y = j`, `z = k` as stored, unless the header says where its axes point: then x, y, z are the patient's.
///
/// # Errors
/// A usage fault that names the file and what is wrong with it.
pub fn voxels(path: &Path, config: &VoxelConfig) -> Result<Volume> {
    let within = |fault: Fault| fault.within(path.display());
    let format = format(path).map_err(within)?;
    if format != Format::Raw {
        config.refuse_raw_keys().map_err(within)?;
    }
    if format != Format::Vti && config.array.is_some() {
        return Err(within(Fault::usage("\"array\" chooses an array of a .vti file; take it out")));
    }
    if format != Format::Npy && config.order.is_some() {
        return Err(within(Fault::usage("\"order\" is for .npy files; take it out")));
    }
    match format {
        Format::Raw => raw::read(path, &config.layout().map_err(within)?),
        Format::Nrrd => nrrd::read(path),
        Format::MetaImage => meta_image::read(path),
        Format::Vti => vti::read(path, config.array.as_deref()),
        Format::Tiff => tiff::read(path),
        Format::Nifti => nifti::read(path),
        Format::Npy => npy::read(path, config.order.unwrap_or_default()),
        Format::Folder => folder::read(path),
    }
    .map(upright)
    .map_err(within)
}

/// Reads a model of terrain: an ESRI ASCII grid, a GeoTIFF, or a grey image.
///
/// # Errors
/// A usage fault that names the file and what is wrong with it.
pub fn terrain(path: &Path) -> Result<Grid> {
    let ending = path.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
    let grid = match &*ending {
        "asc" => ascii_grid::read(path),
        "tif" | "tiff" => geo_tiff::read(path),
        "png" | "pgm" | "pnm" => {
            pnm::refuse_scaled(path).map_err(|fault| fault.within(path.display()))?;
            image(path).map(|volume| Grid { volume, place: None, missing: None, height_unit: None })
        }
        _ => Err(Fault::usage(
            "not a known format of terrain: its name must end in .asc (ESRI ASCII grid), .tif (GeoTIFF), .png or .pgm",
        )),
    };
    grid.map_err(|fault| fault.within(path.display()))
}

/// The files that [`voxels`] reads beside `path`: the data file of a detached header.
pub fn companions(path: &Path) -> Vec<PathBuf> {
    let data = match format(path) {
        Ok(Format::Nrrd) => nrrd::data_file(path),
        Ok(Format::MetaImage) => meta_image::data_file(path),
        _ => None,
    };
    data.into_iter().collect()
}

#[derive(Clone, Copy, PartialEq)]
enum Format {
    Raw,
    Nrrd,
    MetaImage,
    Vti,
    Tiff,
    Nifti,
    Npy,
    Folder,
}

fn format(path: &Path) -> Result<Format> {
    if path.is_dir() {
        return Ok(Format::Folder);
    }
    let name = path.file_name().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
    let known = [
        (Format::Raw, &[".raw", ".bin"][..]),
        (Format::Nrrd, &[".nrrd", ".nhdr"]),
        (Format::MetaImage, &[".mha", ".mhd"]),
        (Format::Vti, &[".vti"]),
        (Format::Tiff, &[".tif", ".tiff"]),
        (Format::Nifti, &[".nii", ".nii.gz"]),
        (Format::Npy, &[".npy"]),
    ];
    let found = known.into_iter().find(|(_, endings)| endings.iter().any(|ending| name.ends_with(ending)));
    found.map(|(format, _)| format).ok_or_else(|| {
        Fault::usage(
            "not a known voxel format: its name must end in .raw .bin .nrrd .nhdr .mha .mhd .vti .tif .tiff .nii .nii.gz or .npy, or be a folder of slices",
        )
    })
}

fn open_fault(error: std::io::Error) -> Fault {
    Fault::usage(format!("cannot be read: {error}"))
}

fn length(file: &File) -> Result<u64> {
    Ok(file.metadata().map_err(open_fault)?.len())
}

/// The first bytes of a file, where a text header must end: all of it, or 64 KiB.
fn head(path: &Path) -> Result<Vec<u8>> {
    use std::io::Read;
    let mut bytes = Vec::new();
    File::open(path).map_err(open_fault)?.take(1 << 16).read_to_end(&mut bytes).map_err(open_fault)?;
    Ok(bytes)
}

/// Metres in a unit of length as headers write it, e.g. `"mm"`; none of a word that is no such unit.
fn metres(unit: &str) -> Option<f64> {
    let unit = unit.trim().trim_matches('"').trim();
    Some(match unit.to_ascii_lowercase().as_str() {
        "m" | "meter" | "meters" | "metre" | "metres" => 1.0,
        "cm" | "centimeter" | "centimeters" | "centimetre" | "centimetres" => 1e-2,
        "mm" | "millimeter" | "millimeters" | "millimetre" | "millimetres" => 1e-3,
        "um" | "µm" | "μm" | "micron" | "microns" | "micrometer" | "micrometers" | "micrometre" | "micrometres" => {
            1e-6
        }
        "nm" | "nanometer" | "nanometers" | "nanometre" | "nanometres" => 1e-9,
        _ => return None,
    })
}

/// What to say where a header gives edges of voxels twice, `taken` and `other`, each with its field, and they differ.
/// Edges of `other` that are no positive numbers give nothing.
fn differing_edges(taken: (&str, [f64; 3]), other: (&str, [f64; 3])) -> Option<String> {
    /// Lengths that differ by less are the same, rounded.
    const SAME: f64 = 1e-3;
    let differs = |k: usize| other.1[k] > 0.0 && (other.1[k] / taken.1[k] - 1.0).abs() > SAME;
    let text = |edges: [f64; 3]| edges.map(|edge| format!("{edge:.4}")).join(" x ");
    (0..3).any(differs).then(|| {
        format!(
            "its {} has voxels of {}, its {} of {}: the {0} is taken; \"edges\" in \"voxels\" takes others",
            taken.0,
            text(taken.1),
            other.0,
            text(other.1)
        )
    })
}

/// The whole numbers of a header field, checked for how many there are.
fn extents(field: &str, text: &str, dimensions: usize) -> Result<[u64; 3]> {
    let numbers: Option<Vec<u64>> = text.split_whitespace().map(|word| word.parse().ok()).collect();
    let numbers = numbers.filter(|n| n.len() == dimensions && (2..=3).contains(&dimensions)).ok_or_else(|| {
        Fault::usage(format!("{field} \"{text}\" is not {dimensions} whole numbers (2 and 3 dimensions are read)"))
    })?;
    Ok([numbers[0], numbers[1], numbers.get(2).copied().unwrap_or(1)])
}
