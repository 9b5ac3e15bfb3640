//! A folder of slices: its images in the order of their names, the first one at z = 0.

use std::path::{Path, PathBuf};

use hematite_config::{Fault, Result};

use super::{image, open_fault};
use crate::volume::{self, MAX_VOXELS, Volume};

pub(super) fn read(path: &Path) -> Result<Volume> {
    let slices = slices(path)?;
    let (first, rest) = slices
        .split_first()
        .ok_or_else(|| Fault::usage("is a folder without slices: it holds no .pgm .pbm .ppm .png .tif image"))?;
    let within = |slice: &Path| format!("slice {}", slice.file_name().unwrap_or_default().to_string_lossy());
    let mut whole = image::read(first).map_err(|fault| fault.within(within(first)))?;
    for slice in rest {
        let next = image::read(slice).map_err(|fault| fault.within(within(slice)))?;
        if next.shape != [whole.shape[0], whole.shape[1], 1] {
            return Err(Fault::usage(format!(
                "{} has {} x {} pixels, the first slice {} x {}",
                within(slice),
                next.shape[0],
                next.shape[1],
                whole.shape[0],
                whole.shape[1]
            )));
        }
        whole.shape[2] += 1;
        volume::count(whole.shape.map(|n| n as u64), MAX_VOXELS)?;
        if !whole.values.append(next.values) {
            return Err(Fault::usage(format!("{} stores another type of value than the first slice", within(slice))));
        }
    }
    Ok(whole)
}

fn slices(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut slices = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(open_fault)? {
        let path = entry.map_err(open_fault)?.path();
        let hidden = path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"."));
        if !hidden && path.is_file() && image::is_image(&path) {
            slices.push(path);
        }
    }
    slices.sort();
    Ok(slices)
}
