//! Dumps of cells and bodies: temporal VTKHDF PolyData that open in ParaView as they are.
//!
//! A group of ours beside `/VTKHDF` holds data without a place in VTK: the populations, and for each dump its time step and
//! where its rows stand (`layout.rs`). With several ranks each writes its own file ([`rank_file`](crate::rank_file)), every
//! member into one of them, and the file that people open is an index over them by virtual datasets; rank files and index
//! have the same layout. Members stand ordered by population, then number; while that list stays the same from one dump to
//! the next, polygons are not written again.
//!
//! Each dump begins with a chunk of its own in every array, so that adding a dump touches no chunk of an earlier one, and
//! the number of dumps is raised last: a run that is killed while it writes leaves a file that holds its whole dumps.
//!
//! What differs between cells and rigid bodies is their [`Kind`].

mod carry;
mod header;
mod index;
mod layout;
mod reader;
#[cfg(test)]
pub(crate) mod tests;
mod writer;

use std::fmt::Debug;
use std::path::Path;

use hdf5::{File, Group};
use hematite_config::Result;

use crate::DumpStep;

pub use index::write_index;
pub use layout::{Array, CHUNK, Layout};
pub use reader::Reader;
pub use writer::Writer;

/// An array of data by its path in `/VTKHDF/Steps`, and its first row of a dump.
pub type Data = (&'static str, fn(&Layout) -> usize);

/// The data of one kind of file beside the data of all kinds.
pub struct Form {
    /// Its members, for faults: "cells".
    pub what: &'static str,
    /// One of them: "cell".
    pub member: &'static str,
    /// Our group.
    pub own: &'static str,
    /// VTK's primitive that members are drawn with.
    pub primitive: &'static str,
    /// The arrays.
    pub arrays: &'static [Array],
    /// The array with the population of each member.
    pub kind_of_members: &'static str,
    /// The arrays of data.
    pub data: &'static [Data],
}

/// A population as a dump knows it, and how its members are written and read.
pub trait Kind: Clone + Debug + PartialEq + 'static {
    /// Members of any population at one time.
    type Frame;

    /// What the file holds.
    const FORM: Form;

    /// Name of the population.
    fn name(&self) -> &str;

    /// What is wrong with a list of populations in this dimension, if anything.
    fn strange(kinds: &[Self], dimension: usize) -> Option<String>;

    /// Vertices of a member.
    fn vertices(&self) -> usize;

    /// Polygons, or vertex cells, of a member.
    fn polygons(&self) -> usize;

    /// Corners of all of them.
    fn corners(&self) -> usize;

    /// Writes the populations into our group.
    ///
    /// # Errors
    /// Those of HDF5.
    fn write_kinds(kinds: &[Self], own: &Group) -> hdf5::Result<()>;

    /// Reads them.
    ///
    /// # Errors
    /// A usage fault when they are damaged.
    fn read_kinds(own: &Group, path: &Path) -> Result<Vec<Self>>;

    /// When a frame is, and number and population of each member.
    fn members(frame: &Self::Frame) -> (DumpStep, &[u64], &[u32]);

    /// A frame without members.
    fn empty(step: DumpStep) -> Self::Frame;

    /// The members with the given indices, in that order.
    #[must_use]
    fn take(frame: &Self::Frame, kinds: &[Self], indices: &[usize]) -> Self::Frame;

    /// What is wrong with a frame, if anything.
    ///
    /// # Errors
    /// That, in words.
    fn check(frame: &Self::Frame, kinds: &[Self]) -> std::result::Result<(), String>;

    /// Writes the members of a frame in the given order, all but what [`Kind::put_topology`] writes.
    ///
    /// # Errors
    /// Those of HDF5.
    fn put(frame: &Self::Frame, kinds: &[Self], order: &[usize], file: &File, at: &Layout) -> hdf5::Result<()>;

    /// Writes the polygons of members of the given kinds.
    ///
    /// # Errors
    /// Those of HDF5.
    fn put_topology(kinds: &[Self], members: &[u32], file: &File, at: &Layout) -> hdf5::Result<()>;

    /// Adds the members of one file whose number `keep` wants to a frame.
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
