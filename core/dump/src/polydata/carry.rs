//! Continues the dumps of a run, on any number of ranks.

use std::path::Path;

use hematite_config::{Fault, Result, publish};

use super::Kind;
use super::header::Header;
use super::reader::{self, Reader};
use super::writer::{Writer, empty};
use crate::h5::writing;
use crate::{dump_file, rank_file};

impl<K: Kind> Writer<K> {
    /// Continues the dump `name` of a run as `rank` of `ranks`, or begins it. Drops dumps after time step
    /// `keep_through_step`. On the number of ranks that wrote the dump, reopens the rank's file. On another number,
    /// makes a new file with every `ranks`-th member of the earlier dumps.
    ///
    /// When all ranks have returned, rank 0 must write the index (with several ranks) and remove files of other numbers
    /// of ranks.
    ///
    /// # Errors
    /// A usage fault when the earlier dumps hold other populations, or are damaged.
    pub fn go_on(
        (run, name): (&Path, &str),
        (rank, ranks): (usize, usize),
        kinds: &[K],
        dimension: usize,
        spacing: f64,
        keep_through_step: u64,
    ) -> Result<Self> {
        let (whole, own) = (dump_file(run, name), rank_file(run, name, rank, ranks));
        if !whole.exists() {
            return Self::create(&own, kinds, dimension, spacing);
        }
        let (held, files) = reader::list::<K>(&whole)?;
        let header = Header::new(&own, kinds, dimension, spacing)?;
        if !held.alike(&header) {
            return Err(Fault::usage(format!(
                "{} holds other populations than the run: use another folder",
                whole.display()
            )));
        }
        // Opens no file of another rank, since that rank may be reopening it.
        if files.map_or(own == whole, |files| files.contains(&own)) {
            return Self::reopen(&own, keep_through_step);
        }
        // Later dumps may differ between ranks: a run may be killed between the last dumps of two ranks, or while it
        // drops dumps.
        let earlier = Reader::<K>::through(&whole, keep_through_step)?;
        let writer = publish(&own, |temporary| {
            empty(temporary, &header).map_err(writing(&own))?;
            let mut writer = Self::with(temporary, header);
            for dump in 0..earlier.steps().len() {
                writer.append(&earlier.frame_of(dump, |id| id % ranks as u64 == rank as u64)?)?;
            }
            Ok(writer)
        })?;
        Ok(writer.moved(&own))
    }
}
