//! Continues the dumps of a run, on any number of ranks.

use std::path::{Path, PathBuf};

use hematite_chunks::Number;
use hematite_config::{Exit, Fault, Result, publish};

use super::header::Header;
use super::index::write_index;
use super::pieces::{self, Pieces};
use super::writer::{FieldWriter, append, geometry};
use crate::h5::{self, reading, writing};
use crate::lookup::{self, Rows};
use crate::{Field, Grid};

/// The file that users open: the dumps of one rank, or the index over the files of several ranks.
pub fn dump_file(run: &Path, name: &str) -> PathBuf {
    run.join(format!("{name}.vtkhdf"))
}

/// The file that `rank` of `ranks` writes. Its name contains the number of ranks: a run that restarts on another number
/// does not touch the earlier files before its own are complete.
pub fn rank_file(run: &Path, name: &str, rank: usize, ranks: usize) -> PathBuf {
    match ranks {
        1 => dump_file(run, name),
        _ => run.join(format!("{name}_r{rank:04}of{ranks:04}.vtkhdf")),
    }
}

/// Removes the rank files of a dump that runs on other numbers of ranks left. Call on one rank, when the file that
/// users open no longer needs them.
///
/// # Errors
/// When a file cannot be removed.
pub fn clear_other_ranks(run: &Path, name: &str, ranks: usize) -> Result<()> {
    let own: Vec<PathBuf> = (0..ranks).map(|rank| rank_file(run, name, rank, ranks)).collect();
    for entry in std::fs::read_dir(run).map_err(writing(run))? {
        let path = entry.map_err(writing(run))?.path();
        if series_of(&path) == Some(name) && !own.contains(&path) {
            std::fs::remove_file(&path).map_err(writing(&path))?;
        }
    }
    Ok(())
}

/// The name of the dump to which a rank file belongs; `None` for other files.
fn series_of(path: &Path) -> Option<&str> {
    let (name, ranks) = path.file_name()?.to_str()?.strip_suffix(".vtkhdf")?.rsplit_once("_r")?;
    let (rank, of) = ranks.split_once("of")?;
    (rank.parse::<usize>().is_ok() && of.parse::<usize>().is_ok()).then_some(name)
}

/// Drops dumps of fields after time step `keep_through_step` from a run folder, except from the files named in `but`.
/// Call on one rank. Leaves files alone that are damaged or hold no fields: no run continues them.
///
/// # Errors
/// When a file cannot be written, or another process is writing it.
pub fn cut_back(run: &Path, but: &[&str], keep_through_step: u64) -> Result<()> {
    for entry in std::fs::read_dir(run).map_err(writing(run))? {
        let path = entry.map_err(writing(run))?.path();
        let name = path.file_name().and_then(|name| name.to_str()?.strip_suffix(".vtkhdf"));
        if series_of(&path).is_some() || name.is_none_or(|name| but.contains(&name)) {
            continue;
        }
        match shorten(&path, keep_through_step) {
            Err(fault) if fault.exit != Exit::Usage => return Err(fault),
            _ => {}
        }
    }
    Ok(())
}

/// Drops dumps after time step `keep_through_step` from the file `whole`, which may be an index.
fn shorten(whole: &Path, keep_through_step: u64) -> Result<()> {
    let Some(files) = pieces::list(whole)?.1 else {
        return FieldWriter::reopen(whole, keep_through_step).map(drop);
    };
    files.iter().try_for_each(|file| FieldWriter::reopen(file, keep_through_step).map(drop))?;
    write_index(whole, &files)
}

/// The rank files of `whole`; `None` if it is no index. Refuses a file with fields other than `fields`, or with another
/// precision.
fn listed(whole: &Path, fields: &[Field], f64: bool) -> Result<Option<Vec<PathBuf>>> {
    let (held, files) = pieces::list(whole)?;
    let path = whole.display();
    if held.fields != Field::in_order(fields.iter().copied()) {
        return Err(Fault::usage(format!("{path} holds other fields than the config asks for: use another folder")));
    }
    if held.f64 != f64 {
        return Err(Fault::usage(format!("{path} is of another precision than the run: use another folder")));
    }
    Ok(files)
}

impl FieldWriter {
    /// Checks, without changing anything, that [`FieldWriter::go_on`] can continue the dump `name` of a run.
    ///
    /// # Errors
    /// A usage fault when the earlier dumps hold other fields or are damaged.
    pub fn check((run, name): (&Path, &str), fields: &[Field], f64: bool) -> Result<()> {
        let whole = dump_file(run, name);
        if whole.exists() { listed(&whole, fields, f64).map(drop) } else { Ok(()) }
    }

    /// Continues the dump `name` of a run as `rank` of `ranks`, or begins it. Drops dumps after time step
    /// `keep_through_step`. On the number of ranks that wrote the dump, reopens the rank's file with the nodes that it
    /// holds ([`FieldWriter::node_ids`]), even if other ranks own these by now. On another number, makes a new file
    /// with the earlier dumps of this rank's nodes.
    ///
    /// When all ranks have returned, rank 0 must write the index (with several ranks) and remove files of other numbers
    /// of ranks.
    ///
    /// # Errors
    /// A usage fault when the earlier dumps hold other fields, or lack nodes, or are damaged.
    pub fn go_on(
        (run, name): (&Path, &str),
        (rank, ranks): (usize, usize),
        grid: &Grid,
        fields: &[Field],
        f64: bool,
        keep_through_step: u64,
    ) -> Result<Self> {
        let (whole, own) = (dump_file(run, name), rank_file(run, name, rank, ranks));
        if !whole.exists() {
            return Self::create(&own, grid, fields, f64);
        }
        let files = listed(&whole, fields, f64)?;
        // Opens no file of another rank, since that rank may be reopening it.
        if files.map_or(own == whole, |files| files.contains(&own)) {
            return Self::reopen(&own, keep_through_step);
        }
        // Later dumps may differ between ranks: a run may be killed between the last dumps of two ranks, or while it
        // drops dumps.
        let earlier = Pieces::open(&whole, keep_through_step)?;
        let mut header = Self::header_of(&own, grid, fields, f64)?;
        publish(&own, |temporary| {
            geometry(temporary, &header, grid).map_err(|fault| fault.within(own.display()))?;
            copy(temporary, &mut header, grid, &earlier)
        })?;
        Ok(Self::with(&own, header))
    }
}

/// Copies earlier dumps of a grid's nodes into a new file.
fn copy(path: &Path, header: &mut Header, grid: &Grid, earlier: &Pieces) -> Result<()> {
    let wanted = lookup::sorted(&grid.id);
    let mut rows = Vec::new();
    for (path, _) in &earlier.files {
        let file = h5::open(path)?;
        let found = file.dataset("hematite/node_id").and_then(|ids| lookup::find(&ids, &wanted));
        rows.push(found.map_err(reading(path))?);
    }
    if let Some((count, first)) = lookup::missing(&grid.id, &rows) {
        let (path, first) = (earlier.path.display(), first.0);
        return Err(Fault::usage(format!("{path} lacks {count} nodes, the first is node {first}: use another folder")));
    }
    let file = h5::open_rw(path)?;
    for (dump, &step) in earlier.header.steps.iter().enumerate() {
        for field in header.fields.clone() {
            if header.f64 {
                let values = gather::<f64>(earlier, &rows, dump, field, header.nodes)?;
                append(&file, header, dump, field, &values)
            } else {
                let values = gather::<f32>(earlier, &rows, dump, field, header.nodes)?;
                append(&file, header, dump, field, &values)
            }
            .map_err(writing(path))?;
        }
        header.write_step(&file, dump, step, 1).map_err(writing(path))?;
        header.steps.push(step);
    }
    Header::write_count(&file, header.steps.len()).and_then(|()| file.close()).map_err(writing(path))
}

fn gather<T: Number + Default>(
    from: &Pieces,
    rows: &[Rows],
    dump: usize,
    field: Field,
    nodes: usize,
) -> Result<Vec<T>> {
    let mut values = vec![T::default(); nodes * field.components()];
    for ((path, header), rows) in from.files.iter().zip(rows).filter(|(_, rows)| !rows.is_empty()) {
        let file = h5::open(path)?;
        let array = file.dataset(&format!("VTKHDF/CellData/{}", field.name())).map_err(reading(path))?;
        let read = |first, count| h5::read_rows::<T>(&array, dump * header.stride + first, count);
        lookup::scatter(rows, field.components(), &mut values, read).map_err(reading(path))?;
    }
    Ok(values)
}
