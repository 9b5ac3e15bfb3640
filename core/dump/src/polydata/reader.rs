//! Reads dumps, from one file or through an index over rank files.

use std::path::{Path, PathBuf};

use hematite_config::{Fault, Result};

use super::Kind;
use super::header::Header;
use crate::DumpStep;
use crate::fields::{dump_file, rank_files};
use crate::h5::{self, reading};

/// The dumps of one `cells.vtkhdf` or `bodies.vtkhdf`. Holds no file open.
pub struct Reader<K> {
    path: PathBuf,
    header: Header<K>,
    /// The file itself, or the rank files of an index. Rank files are read directly, as virtual datasets show a missing
    /// or truncated file as zeros.
    files: Vec<(PathBuf, Header<K>)>,
}

impl<K: Kind> Reader<K> {
    /// Opens a file.
    ///
    /// # Errors
    /// A usage fault that names a file that is missing, truncated or no dump of this form.
    pub fn open(path: &Path) -> Result<Self> {
        Self::through(path, u64::MAX)
    }

    /// Opens the file in a run folder; `None` where there is none.
    ///
    /// # Errors
    /// As [`Reader::open`].
    pub fn find(run: &Path) -> Result<Option<Self>> {
        let path = dump_file(run, K::FORM.what);
        path.is_file().then(|| Self::open(&path)).transpose()
    }

    /// Opens a file for the dumps up to a time step.
    pub(crate) fn through(path: &Path, step: u64) -> Result<Self> {
        let (mut header, paths) = list(path)?;
        let keep = header.steps.partition_point(|dump| dump.step <= step);
        header.steps.truncate(keep);
        header.layout.truncate(keep);
        let mut files = Vec::new();
        for piece in paths.into_iter().flatten() {
            let fault = |fault: Fault| fault.within(format!("rank file of {}", path.display()));
            let own = Header::<K>::read(&h5::open(&piece).map_err(fault)?, &piece).map_err(fault)?;
            if !own.steps.starts_with(&header.steps) || !own.alike(&header) {
                let (piece, path) = (piece.display(), path.display());
                return Err(Fault::usage(format!("{piece} does not hold the dumps that {path} lists")));
            }
            files.push((piece, own));
        }
        if files.is_empty() {
            files.push((path.to_owned(), header.clone()));
        }
        Ok(Self { path: path.to_owned(), header, files })
    }

    /// The populations.
    pub fn kinds(&self) -> &[K] {
        &self.header.kinds
    }

    /// Names of the populations.
    pub fn names(&self) -> Vec<String> {
        self.kinds().iter().map(|kind| kind.name().to_owned()).collect()
    }

    /// 2 or 3.
    pub fn dimension(&self) -> usize {
        self.header.dimension
    }

    /// Lattice spacing in metres.
    pub fn spacing(&self) -> f64 {
        self.header.spacing
    }

    /// The dumps.
    pub fn steps(&self) -> &[DumpStep] {
        &self.header.steps
    }

    /// The number of the dump at a time step, if there is one.
    pub fn at(&self, step: u64) -> Option<usize> {
        self.steps().iter().position(|dump| dump.step == step)
    }

    /// Reads the members of dump number `dump`, ascending by number.
    ///
    /// # Errors
    /// A usage fault when there is no such dump, or a file is damaged.
    pub fn frame(&self, dump: usize) -> Result<K::Frame> {
        self.frame_of(dump, |_| true)
    }

    /// Reads the members of dump number `dump` for whose number `keep` is true, ascending by number.
    ///
    /// # Errors
    /// A usage fault when there is no such dump, or a file is damaged.
    pub fn frame_of(&self, dump: usize, keep: impl Fn(u64) -> bool) -> Result<K::Frame> {
        let (path, dumps) = (self.path.display(), self.steps().len());
        let Some(step) = self.steps().get(dump) else {
            return Err(Fault::usage(format!("{path} holds {dumps} dumps, there is no number {dump}")));
        };
        let mut frame = K::empty(*step);
        for (path, header) in &self.files {
            K::get(&h5::open(path)?, &header.layout[dump], &header.kinds, &keep, &mut frame).map_err(reading(path))?;
        }
        let (_, ids, _) = K::members(&frame);
        let mut order: Vec<usize> = (0..ids.len()).collect();
        order.sort_unstable_by_key(|&member| ids[member]);
        if let Some(twice) = order.windows(2).find(|pair| ids[pair[0]] == ids[pair[1]]) {
            let (what, id, step) = (K::FORM.member, ids[twice[0]], step.step);
            return Err(Fault::usage(format!("{path}: {what} {id} is there twice at step {step}: it is damaged")));
        }
        Ok(if order.is_sorted() { frame } else { K::take(&frame, self.kinds(), &order) })
    }
}

/// The header of a file, and its rank files if it is an index. Opens no rank file.
pub(super) fn list<K: Kind>(path: &Path) -> Result<(Header<K>, Option<Vec<PathBuf>>)> {
    let file = h5::open(path)?;
    let header = Header::read(&file, path)?;
    let names = rank_files(&file, K::FORM.own).map_err(reading(path))?;
    let paths = names.map(|names| names.iter().map(|name| hematite_config::sibling(path, Path::new(name))).collect());
    Ok((header, paths))
}
