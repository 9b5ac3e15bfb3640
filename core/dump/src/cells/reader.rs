//! Reads dumps of cells, from one file or through an index over rank files.

use std::path::{Path, PathBuf};

use hdf5::File;
use hematite_config::{Fault, Result};

use super::header::{Header, OWN};
use super::layout::Layout;
use crate::fields::rank_files;
use crate::h5::{self, SLAB, reading};
use crate::{CellFrame, CellKind, DumpStep};

/// The dumps of one `cells.vtkhdf`. Holds no file open.
pub struct CellReader {
    path: PathBuf,
    header: Header,
    /// The file itself, or the rank files of an index. They are read as files, not through the virtual datasets: those
    /// show a missing or truncated file as zeros.
    files: Vec<(PathBuf, Header)>,
}

impl CellReader {
    /// Opens a file of cells.
    ///
    /// # Errors
    /// A usage fault that names the file which is missing, truncated or no dump of cells.
    pub fn open(path: &Path) -> Result<Self> {
        Self::through(path, u64::MAX)
    }

    /// Opens it for the dumps up to a time step.
    pub(super) fn through(path: &Path, step: u64) -> Result<Self> {
        let (mut header, paths) = list(path)?;
        let keep = header.steps.partition_point(|dump| dump.step <= step);
        header.steps.truncate(keep);
        header.layout.truncate(keep);
        let mut files = Vec::new();
        for piece in paths.into_iter().flatten() {
            let fault = |fault: Fault| fault.within(format!("rank file of {}", path.display()));
            let own = Header::read(&h5::open(&piece).map_err(fault)?, &piece).map_err(fault)?;
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
    pub fn kinds(&self) -> &[CellKind] {
        &self.header.kinds
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

    /// Reads dump number `dump`, ascending by cell number.
    ///
    /// # Errors
    /// A usage fault when there is no such dump, or a file is damaged.
    pub fn frame(&self, dump: usize) -> Result<CellFrame> {
        self.frame_of(dump, |_| true)
    }

    /// Reads the cells of dump number `dump` whose number `keep` wants, ascending.
    ///
    /// # Errors
    /// A usage fault when there is no such dump, or a file is damaged.
    pub fn frame_of(&self, dump: usize, keep: impl Fn(u64) -> bool) -> Result<CellFrame> {
        let (path, dumps) = (self.path.display(), self.steps().len());
        let Some(step) = self.steps().get(dump) else {
            return Err(Fault::usage(format!("{path} holds {dumps} dumps, there is no number {dump}")));
        };
        let mut frame = CellFrame { step: step.step, time: step.time, ..CellFrame::default() };
        for (path, header) in &self.files {
            read(&h5::open(path)?, &header.layout[dump], &header.kinds, &keep, &mut frame).map_err(reading(path))?;
        }
        let mut order: Vec<usize> = (0..frame.id.len()).collect();
        order.sort_unstable_by_key(|&cell| frame.id[cell]);
        if let Some(twice) = order.windows(2).find(|pair| frame.id[pair[0]] == frame.id[pair[1]]) {
            let (id, step) = (frame.id[twice[0]], step.step);
            return Err(Fault::usage(format!("{path}: cell {id} is there twice at step {step}: it is damaged")));
        }
        Ok(if order.is_sorted() { frame } else { frame.take(self.kinds(), &order) })
    }
}

/// What a file says of itself, and the rank files if it is an index. Opens no rank file.
pub(super) fn list(path: &Path) -> Result<(Header, Option<Vec<PathBuf>>)> {
    let file = h5::open(path)?;
    let header = Header::read(&file, path)?;
    let names = rank_files(&file, OWN).map_err(reading(path))?;
    let paths = names.map(|names| names.iter().map(|name| hematite_config::sibling(path, Path::new(name))).collect());
    Ok((header, paths))
}

/// Adds the wanted cells of one file to a frame.
fn read(
    file: &File,
    at: &Layout,
    kinds: &[CellKind],
    keep: &impl Fn(u64) -> bool,
    frame: &mut CellFrame,
) -> hdf5::Result<()> {
    let own = file.group(OWN)?;
    let id = h5::read_rows::<u64>(&own.dataset("id")?, at.cell, at.cells)?;
    let kind = h5::read_rows::<u32>(&own.dataset("kind")?, at.cell, at.cells)?;
    let image = h5::read_rows::<i32>(&own.dataset("image")?, at.cell, at.cells)?;
    if kind.iter().any(|&kind| kind as usize >= kinds.len()) || Layout::of_cells(kinds, &kind).vertices != at.vertices {
        return Err("the kinds of its cells do not fit their vertices".into());
    }
    let points = file.dataset("VTKHDF/Points")?;
    let (velocity, force) = (file.dataset("VTKHDF/PointData/velocity")?, file.dataset("VTKHDF/PointData/force")?);
    // Runs of wanted cells that stand one after the other, of about a slab of vertices.
    let mut run = 0..0;
    let flush = |run: std::ops::Range<usize>, frame: &mut CellFrame| -> hdf5::Result<()> {
        let (start, rows) = (at.vertex + run.start, run.len());
        frame.position.extend(h5::read_rows::<f64>(&points, start, rows)?.as_chunks::<3>().0);
        frame.velocity.extend(h5::read_rows::<f32>(&velocity, start, rows)?.as_chunks::<3>().0);
        frame.force.extend(h5::read_rows::<f32>(&force, start, rows)?.as_chunks::<3>().0);
        Ok(())
    };
    let mut first = 0;
    for (cell, image) in image.as_chunks::<3>().0.iter().enumerate() {
        let end = first + kinds[kind[cell] as usize].vertices;
        if keep(id[cell]) {
            if run.end != first || run.len() >= SLAB {
                flush(std::mem::replace(&mut run, first..first), frame)?;
            }
            run.end = end;
            frame.id.push(id[cell]);
            frame.kind.push(kind[cell]);
            frame.image.push(*image);
        }
        first = end;
    }
    flush(run, frame)
}
