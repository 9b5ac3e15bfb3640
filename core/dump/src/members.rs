//! Dumps of the members of a physics: cells, bodies or chains.

use std::path::{Path, PathBuf};

use hematite_config::Result;

use crate::{
    BodyFrame, BodyKind, BodyWriter, CellFrame, CellKind, CellWriter, ChainFrame, ChainKind, ChainWriter, DumpStep,
    TrackFrame, rank_file, write_body_index, write_cell_index, write_chain_index,
};

/// The populations of a physics in dumps.
#[derive(Clone, Debug, PartialEq)]
pub enum MemberKinds {
    /// Cells.
    Cells(Vec<CellKind>),
    /// Rigid bodies.
    Bodies(Vec<BodyKind>),
    /// Chains of polymers.
    Chains(Vec<ChainKind>),
}

/// The members of a physics on one rank at one time.
#[derive(Clone, Debug, PartialEq)]
pub enum MemberFrame {
    /// Cells.
    Cells(CellFrame),
    /// Rigid bodies.
    Bodies(BodyFrame),
    /// Chains of polymers.
    Chains(ChainFrame),
}

/// Adds dumps of members to one file.
pub enum MemberWriter {
    /// Writes cells.
    Cells(CellWriter),
    /// Writes rigid bodies.
    Bodies(BodyWriter),
    /// Writes chains of polymers.
    Chains(ChainWriter),
}

/// A file of dumps of members on one rank.
#[derive(Clone, Copy, Debug)]
pub struct MemberFile<'a> {
    /// The folder.
    pub folder: &'a Path,
    /// Name of the file, without extension.
    pub name: &'a str,
    /// The rank and the number of ranks.
    pub of: (usize, usize),
    /// 2 or 3.
    pub dimension: usize,
    /// Lattice spacing, m.
    pub spacing: f64,
}

impl MemberKinds {
    /// Tracks of a frame of these kinds; none of chains, whose dumps have all that tracks would hold.
    ///
    /// # Panics
    /// When the kind of a member is not in the list, or kinds and frame are of different members.
    pub fn tracks(&self, frame: &MemberFrame, dimension: usize) -> TrackFrame {
        match (self, frame) {
            (Self::Cells(kinds), MemberFrame::Cells(frame)) => TrackFrame::of(frame, kinds, dimension),
            (Self::Bodies(kinds), MemberFrame::Bodies(frame)) => TrackFrame::of_bodies(frame, kinds),
            (Self::Chains(_), MemberFrame::Chains(frame)) => {
                TrackFrame { step: frame.step, time: frame.time, ..TrackFrame::default() }
            }
            _ => panic!("cells are not bodies"),
        }
    }

    /// Writes the file that users open, an index over the files of the ranks.
    ///
    /// # Errors
    /// When a file cannot be read or written.
    pub fn write_index(&self, path: &Path, rank_files: &[PathBuf]) -> Result<()> {
        match self {
            Self::Cells(_) => write_cell_index(path, rank_files),
            Self::Bodies(_) => write_body_index(path, rank_files),
            Self::Chains(_) => write_chain_index(path, rank_files),
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
            MemberKinds::Chains(kinds) => Self::Chains(ChainWriter::create(&path, kinds, dimension, spacing)?),
        })
    }

    /// Continues a file after time step `step`; drops later dumps.
    ///
    /// # Errors
    /// A usage fault when the file holds other populations or is damaged; an I/O fault when it cannot be written.
    pub fn go_on(file: MemberFile, kinds: &MemberKinds, step: u64) -> Result<Self> {
        let MemberFile { folder, name, of, dimension, spacing } = file;
        let at = (folder, name);
        Ok(match kinds {
            MemberKinds::Cells(kinds) => Self::Cells(CellWriter::go_on(at, of, kinds, dimension, spacing, step)?),
            MemberKinds::Bodies(kinds) => Self::Bodies(BodyWriter::go_on(at, of, kinds, dimension, spacing, step)?),
            MemberKinds::Chains(kinds) => Self::Chains(ChainWriter::go_on(at, of, kinds, dimension, spacing, step)?),
        })
    }

    /// Steps and times of the dumps so far.
    pub fn steps(&self) -> &[DumpStep] {
        match self {
            Self::Cells(writer) => writer.steps(),
            Self::Bodies(writer) => writer.steps(),
            Self::Chains(writer) => writer.steps(),
        }
    }

    /// Adds a dump.
    ///
    /// # Errors
    /// When it cannot be written.
    ///
    /// # Panics
    /// When writer and frame are of different members.
    pub fn append(&mut self, frame: &MemberFrame) -> Result<()> {
        match (self, frame) {
            (Self::Cells(writer), MemberFrame::Cells(frame)) => writer.append(frame),
            (Self::Bodies(writer), MemberFrame::Bodies(frame)) => writer.append(frame),
            (Self::Chains(writer), MemberFrame::Chains(frame)) => writer.append(frame),
            _ => panic!("cells are not bodies"),
        }
    }
}
