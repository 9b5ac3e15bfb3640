//! Dumps of cells and bodies: temporal VTKHDF PolyData that open in ParaView as they are.
//!
//! A group of Hematite beside `/VTKHDF` holds data without a place in VTK: the populations, and for each dump its time
//! step and the places of its rows (`layout.rs`). With several ranks each rank writes its members to its own file
//! ([`rank_file`](crate::rank_file)), and the file that users open is an index over them by virtual datasets. Rank
//! files and index have the same layout. Members are ordered by population, then by number. While this list does not
//! change from one dump to the next, polygons are not written again.
//!
//! Each dump begins a new chunk in every array, so adding a dump touches no chunk of an earlier one. The number of
//! dumps is raised last. So a run that is killed while it writes leaves a file with all complete dumps.
//!
//! [`Kind`] holds the differences between cells and rigid bodies.

mod carry;
mod header;
mod index;
mod layout;
mod reader;
#[cfg(test)]
pub(crate) mod tests;
mod writer;

use std::fmt::Debug;
use std::ops::Range;
use std::path::Path;

use hdf5::{File, Group};
use hematite_config::Result;

use crate::DumpStep;
use crate::h5::SLAB;

pub use index::write_index;
pub use layout::{Array, CHUNK, Layout};
pub use reader::Reader;
pub use writer::Writer;

/// The path in `/VTKHDF/Steps` of the offsets of a data array, and the array's first row of a dump.
pub type Data = (&'static str, fn(&Layout) -> usize);

/// What is special to one kind of file.
pub struct Form {
    /// Plural name of its members, for faults: "cells".
    pub what: &'static str,
    /// Singular name: "cell".
    pub member: &'static str,
    /// The group of Hematite in the file.
    pub own: &'static str,
    /// VTK's primitive for members.
    pub primitive: &'static str,
    /// All arrays.
    pub arrays: &'static [Array],
    /// The array with the population of each member.
    pub kind_of_members: &'static str,
    /// The data arrays.
    pub data: &'static [Data],
}

/// The rows of members one after the other, with so many rows each.
pub fn consecutive(rows: impl Iterator<Item = usize>) -> Vec<Range<usize>> {
    let mut next = 0;
    let range = |rows| {
        let first = next;
        next += rows;
        first..next
    };
    rows.map(range).collect()
}

/// Calls `read` with the rows of the members that are wanted, those of adjacent ones together, about a slab at a time.
pub fn each_run(
    members: impl Iterator<Item = (Range<usize>, bool)>,
    mut read: impl FnMut(Range<usize>) -> hdf5::Result<()>,
) -> hdf5::Result<()> {
    let mut run = 0..0;
    for (rows, _) in members.filter(|&(_, wanted)| wanted) {
        if run.end != rows.start || run.len() >= SLAB {
            read(std::mem::replace(&mut run, rows.start..rows.start))?;
        }
        run.end = rows.end;
    }
    read(run)
}

/// A population in a dump, and how its members are written and read.
pub trait Kind: Clone + Debug + PartialEq + 'static {
    /// Members of any population at one time.
    type Frame;

    /// Description of the file.
    const FORM: Form;

    /// Name of the population.
    fn name(&self) -> &str;

    /// A text that says what is wrong with a list of populations in this dimension, if anything.
    fn strange(kinds: &[Self], dimension: usize) -> Option<String>;

    /// Number of vertices of a member.
    fn vertices(&self) -> usize;

    /// Number of polygons, or of vertex cells, of a member.
    fn polygons(&self) -> usize;

    /// Number of corners of all polygons of a member.
    fn corners(&self) -> usize;

    /// Writes the populations into the group of Hematite.
    ///
    /// # Errors
    /// Those of HDF5.
    fn write_kinds(kinds: &[Self], own: &Group) -> hdf5::Result<()>;

    /// Reads the populations.
    ///
    /// # Errors
    /// A usage fault when they are damaged.
    fn read_kinds(own: &Group, path: &Path) -> Result<Vec<Self>>;

    /// Step and time of a frame, and number and population of each member.
    fn members(frame: &Self::Frame) -> (DumpStep, &[u64], &[u32]);

    /// A frame without members.
    fn empty(step: DumpStep) -> Self::Frame;

    /// The members with the given indices, in that order.
    #[must_use]
    fn take(frame: &Self::Frame, kinds: &[Self], indices: &[usize]) -> Self::Frame;

    /// Checks a frame.
    ///
    /// # Errors
    /// A text that says what is wrong with it.
    fn check(frame: &Self::Frame, kinds: &[Self]) -> std::result::Result<(), String>;

    /// Writes the members of a frame in the given order, except the arrays of [`Kind::put_topology`].
    ///
    /// # Errors
    /// Those of HDF5.
    fn put(frame: &Self::Frame, kinds: &[Self], order: &[usize], file: &File, at: &Layout) -> hdf5::Result<()>;

    /// Writes the polygons of members of the given kinds.
    ///
    /// # Errors
    /// Those of HDF5.
    fn put_topology(kinds: &[Self], members: &[u32], file: &File, at: &Layout) -> hdf5::Result<()>;

    /// Adds to `frame` the members of one file for whose number `keep` is true.
    ///
    /// # Errors
    /// Those of HDF5.
    fn get(
        file: &File,
        at: &Layout,
        kinds: &[Self],
        keep: &dyn Fn(u64) -> bool,
        frame: &mut Self::Frame,
    ) -> hdf5::Result<()>;
}
