//! The files behind one `NAME.vtkhdf`.

use std::path::{Path, PathBuf};

use hdf5::File;
use hematite_config::{Fault, Result};

use super::header::Header;
use crate::h5::{self, reading};

/// One file, or the rank files of an index in its order. Rank files are read directly, as virtual datasets show a
/// missing or truncated file as zeros.
pub(crate) struct Pieces {
    pub(super) path: PathBuf,
    /// The header of the one file or of the index.
    pub(crate) header: Header,
    pub(super) files: Vec<(PathBuf, Header)>,
}

impl Pieces {
    /// Opens and checks each file, for the dumps up to `through_step`.
    pub(crate) fn open(path: &Path, through_step: u64) -> Result<Self> {
        let (mut header, paths) = list(path)?;
        header.steps.retain(|step| step.step <= through_step);
        let mut files = Vec::new();
        for piece in paths.into_iter().flatten() {
            let fault = |fault: Fault| fault.within(format!("rank file of {}", path.display()));
            let own = Header::read(&h5::open(&piece).map_err(fault)?, &piece).map_err(fault)?;
            if !own.steps.starts_with(&header.steps) || own.fields != header.fields || own.f64 != header.f64 {
                let (piece, path) = (piece.display(), path.display());
                return Err(Fault::usage(format!("{piece} does not hold the dumps that {path} lists")));
            }
            files.push((piece, own));
        }
        if files.is_empty() {
            files.push((path.to_owned(), header.clone()));
        }
        if files.iter().map(|(_, piece)| piece.nodes).sum::<usize>() != header.nodes {
            return Err(Fault::usage(format!("the rank files of {} do not hold its nodes", path.display())));
        }
        Ok(Self { path: path.to_owned(), header, files })
    }
}

/// The header of a file, and its rank files if it is an index. Opens no rank file.
pub(super) fn list(path: &Path) -> Result<(Header, Option<Vec<PathBuf>>)> {
    let file = h5::open(path)?;
    let names = rank_files(&file, "hematite").map_err(reading(path))?;
    let paths = names.map(|names| names.iter().map(|name| hematite_config::sibling(path, Path::new(name))).collect());
    Ok((Header::read(&file, path)?, paths))
}

/// The names of rank files that an index lists in its group `own`; `None` if it is no index.
pub(crate) fn rank_files(file: &File, own: &str) -> hdf5::Result<Option<Vec<String>>> {
    let own = file.group(own)?;
    match own.link_exists("rank_files") {
        true => h5::read_names(&own, "rank_files").map(Some),
        false => Ok(None),
    }
}
