//! Dumps of cells or of bodies, whichever a physics has.

use std::path::{Path, PathBuf};

use hematite_config::Result;

use crate::{
    BodyFrame, BodyKind, BodyWriter, CellFrame, CellKind, CellWriter, DumpStep, TrackFrame, rank_file,
    write_body_index, write_cell_index,
};

/// What dumps know of the populations of a physics.
#[derive(Clone, Debug, PartialEq)]
pub enum MemberKinds {
    /// Cells.
    Cells(Vec<CellKind>),
    /// Rigid bodies.
    Bodies(Vec<BodyKind>),
}

/// The members of a physics on one rank at one time.
#[derive(Clone, Debug, PartialEq)]
pub enum MemberFrame {
    /// Cells.
    Cells(CellFrame),
    /// Rigid bodies.
    Bodies(BodyFrame),
}

/// Adds dumps of members to one file.
pub enum MemberWriter {
    /// Of cells.
    Cells(CellWriter),
    /// Of rigid bodies.
    Bodies(BodyWriter),
}

/// Where a dump of members is written, and what it is of.
#[derive(Clone, Copy, Debug)]
pub struct MemberFile<'a> {
    /// The folder.
    pub folder: &'a Path,
    /// Name of the file, without its ending.
    pub name: &'a str,
    /// The rank and the number of ranks.
    pub of: (usize, usize),
    /// 2 or 3.
    pub dimension: usize,
    /// Lattice spacing, m.
    pub spacing: f64,
}

impl MemberKinds {
    /// Tracks of a frame of these kinds.
    ///
    /// # Panics
    /// When a member is of a kind that is not in the list, or the frame is of other members.
    pub fn tracks(&self, frame: &MemberFrame, dimension: usize) -> TrackFrame {
        match (self, frame) {
            (Self::Cells(kinds), MemberFrame::Cells(frame)) => TrackFrame::of(frame, kinds, dimension),
            (Self::Bodies(kinds), MemberFrame::Bodies(frame)) => TrackFrame::of_bodies(frame, kinds),
            _ => panic!("cells are not bodies"),
        }
    }

    /// Writes the file that people open, an index over the files of the ranks.
    ///
    /// # Errors
    /// When a file cannot be read or written.
    pub fn write_index(&self, path: &Path, rank_files: &[PathBuf]) -> Result<()> {
        match self {
            Self::Cells(_) => write_cell_index(path, rank_files),
            Self::Bodies(_) => write_body_index(path, rank_files),
        }
    }
}

impl MemberWriter {
    /// Begins a file.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn create(file: MemberFile, kinds: &MemberKinds) -> Result<Self> {
        let MemberFile { folder, name, of: (rank, ranks), dimension, spacing } = file;
        let path = rank_file(folder, name, rank, ranks);
        Ok(match kinds {
            MemberKinds::Cells(kinds) => Self::Cells(CellWriter::create(&path, kinds, dimension, spacing)?),
            MemberKinds::Bodies(kinds) => Self::Bodies(BodyWriter::create(&path, kinds, dimension, spacing)?),
        })
    }

    /// Goes on with a file after time step `step`.
    ///
    /// # Errors
    /// A usage fault where it is of other members; when it cannot be written.
    pub fn go_on(file: MemberFile, kinds: &MemberKinds, step: u64) -> Result<Self> {
        let MemberFile { folder, name, of, dimension, spacing } = file;
        let at = (folder, name);
        Ok(match kinds {
            MemberKinds::Cells(kinds) => Self::Cells(CellWriter::go_on(at, of, kinds, dimension, spacing, step)?),
            MemberKinds::Bodies(kinds) => Self::Bodies(BodyWriter::go_on(at, of, kinds, dimension, spacing, step)?),
        })
    }

    /// The times of the dumps so far.
    pub fn steps(&self) -> &[DumpStep] {
        match self {
            Self::Cells(writer) => writer.steps(),
            Self::Bodies(writer) => writer.steps(),
        }
    }

    /// Adds a dump.
    ///
    /// # Errors
    /// When it cannot be written.
    ///
    /// # Panics
    /// When the frame is of other members.
    pub fn append(&mut self, frame: &MemberFrame) -> Result<()> {
        match (self, frame) {
            (Self::Cells(writer), MemberFrame::Cells(frame)) => writer.append(frame),
            (Self::Bodies(writer), MemberFrame::Bodies(frame)) => writer.append(frame),
            _ => panic!("cells are not bodies"),
        }
    }
}
