//! Writes one rank's file.

use std::path::{Path, PathBuf};

use hdf5::File;
use hematite_config::{Fault, Result, publish};

use super::Kind;
use super::header::{Entry, Header};
use super::layout::{CHUNK, Layout};
use crate::DumpStep;
use crate::h5::{self, writing};

/// Adds dumps to one file. Between calls the file is closed and complete, so that others can read it.
pub struct Writer<K> {
    path: PathBuf,
    header: Header<K>,
    /// Kinds of the members of the last dump, in the order of the file.
    last: Vec<u32>,
}

impl<K: Kind> Writer<K> {
    /// Makes the file without a dump; it appears whole. `spacing`: of the lattice, m.
    ///
    /// # Errors
    /// When there is no kind, a kind does not fit the dimension, or the file cannot be written.
    pub fn create(path: &Path, kinds: &[K], dimension: usize, spacing: f64) -> Result<Self> {
        let header = Header::new(path, kinds, dimension, spacing)?;
        publish(path, |temporary| empty(temporary, &header).map_err(writing(path)))?;
        Ok(Self::with(path, header))
    }

    /// A writer on an empty file with this header.
    pub(super) fn with(path: &Path, header: Header<K>) -> Self {
        Self { path: path.to_owned(), header, last: Vec::new() }
    }

    /// Moves the writer to a file of another name.
    pub(super) fn moved(self, path: &Path) -> Self {
        Self { path: path.to_owned(), ..self }
    }

    /// Continues a file. Drops dumps after time step `keep_through_step`, and a dump that a killed run left incomplete.
    ///
    /// # Errors
    /// When the file is no dump of this form, or cannot be written.
    pub fn reopen(path: &Path, keep_through_step: u64) -> Result<Self> {
        let file = h5::open_rw(path)?;
        let mut header = Header::<K>::read(&file, path)?;
        let keep = header.steps.partition_point(|step| step.step <= keep_through_step);
        header.steps.truncate(keep);
        header.layout.truncate(keep);
        header.shorten(&file).map_err(writing(path))?;
        let last = match header.layout.last() {
            Some(at) => {
                file.dataset(K::FORM.kind_of_members).and_then(|kinds| h5::read_rows(&kinds, at.cell, at.cells))
            }
            None => Ok(Vec::new()),
        };
        Ok(Self { path: path.to_owned(), header, last: last.map_err(writing(path))? })
    }

    /// The dumps in the file.
    pub fn steps(&self) -> &[DumpStep] {
        &self.header.steps
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Adds a dump of this rank's members, given in any order. Then the file is complete and closed.
    ///
    /// # Errors
    /// When the frame is inconsistent or does not come after the last dump, or the file cannot be written.
    pub fn append(&mut self, frame: &K::Frame) -> Result<()> {
        let fault = |what: String| Fault::io(format!("{}: {what}", self.path.display()));
        let (step, ids, kind_of) = K::members(frame);
        if let Some(last) = self.header.steps.last().filter(|last| last.step >= step.step) {
            return Err(fault(format!("a dump at step {} cannot follow one at step {}", step.step, last.step)));
        }
        K::check(frame, &self.header.kinds).map_err(fault)?;
        let mut order: Vec<usize> = (0..ids.len()).collect();
        order.sort_unstable_by_key(|&member| (kind_of[member], ids[member]));
        let kinds: Vec<u32> = order.iter().map(|&member| kind_of[member]).collect();
        let at = Layout::of_members(&self.header.kinds, &kinds);
        let repeats = !self.header.steps.is_empty() && kinds == self.last;
        let at = at.after(self.header.layout.last(), repeats);
        h5::check_limit(&self.path, at.bytes(K::FORM.arrays))?;
        let file = h5::open_rw(&self.path)?;
        let write = || {
            K::put(frame, &self.header.kinds, &order, &file, &at)?;
            if !repeats {
                K::put_topology(&self.header.kinds, &kinds, &file, &at)?;
                Header::<K>::write_parts(&file, at.part, &[at])?;
            }
            let dump = self.header.steps.len();
            Header::<K>::write_steps(&file, dump, &[Entry { step, at, parts: 1 }])?;
            Header::<K>::write_count(&file, dump + 1)
        };
        write().and_then(|()| file.close()).map_err(writing(&self.path))?;
        self.header.steps.push(step);
        self.header.layout.push(at);
        self.last = kinds;
        Ok(())
    }
}

/// Makes a file without a dump.
pub(super) fn empty<K: Kind>(path: &Path, header: &Header<K>) -> hdf5::Result<()> {
    let file = File::create(path)?;
    header.write(&file)?;
    for array in K::FORM.arrays {
        let dataset = h5::growing_as(&file, array.name, &(array.number)(), array.columns, CHUNK)?;
        array.write_unit(&dataset)?;
    }
    file.flush()
}
