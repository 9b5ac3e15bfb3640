//! Going on with the dumps of a run, on the same number of ranks or on another.

use std::path::{Path, PathBuf};

use hdf5::H5Type;
use hematite_config::{Exit, Fault, Result, publish};

use super::header::Header;
use super::index::write_index;
use super::pieces::{self, Pieces};
use super::writer::{FieldWriter, append, geometry};
use crate::h5::{self, reading, writing};
use crate::lookup::{self, Rows};
use crate::{Field, Grid};

/// The file that people open: the dumps of one rank, or the index over the files of several.
pub fn dump_file(run: &Path, name: &str) -> PathBuf {
    run.join(format!("{name}.vtkhdf"))
}

/// The file that `rank` of `ranks` writes. Names tell the number of ranks, so that a run which goes on with another
/// number leaves the earlier files alone until its own are whole.
pub fn rank_file(run: &Path, name: &str, rank: usize, ranks: usize) -> PathBuf {
    match ranks {
        1 => dump_file(run, name),
        _ => run.join(format!("{name}_r{rank:04}of{ranks:04}.vtkhdf")),
    }
}

/// Removes rank files of a dump that other numbers of ranks have left. To be called on one rank, when the file that
/// people open no longer needs them.
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

/// The name of the dump that a rank file is of; none of other files.
fn series_of(path: &Path) -> Option<&str> {
    let (name, ranks) = path.file_name()?.to_str()?.strip_suffix(".vtkhdf")?.rsplit_once("_r")?;
    let (rank, of) = ranks.split_once("of")?;
    (rank.parse::<usize>().is_ok() && of.parse::<usize>().is_ok()).then_some(name)
}

/// Drops what lies after time step `keep_through_step` in the dumps of fields that a run folder holds, but for those with the names
/// `but`. To be called on one rank. What is damaged, or no dump of fields, stays as it is: no run goes on with it.
///
/// # Errors
/// When a file cannot be written, or is being written by another process.
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

/// Drops what lies after time step `keep_through_step` in the dump `whole`, which may be an index.
fn shorten(whole: &Path, keep_through_step: u64) -> Result<()> {
    let Some(files) = pieces::list(whole)?.1 else {
        return FieldWriter::reopen(whole, keep_through_step).map(drop);
    };
    files.iter().try_for_each(|file| FieldWriter::reopen(file, keep_through_step).map(drop))?;
    write_index(whole, &files)
}

/// The files of the dump `whole`, which must hold `fields` and no others, in f64 or not.
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
    /// Whether [`FieldWriter::go_on`] may go on with the dump `name` of a run, as far as can be told without changing it.
    ///
    /// # Errors
    /// A usage fault when the earlier dumps hold other fields or are damaged.
    pub fn check((run, name): (&Path, &str), fields: &[Field], f64: bool) -> Result<()> {
        let whole = dump_file(run, name);
        if whole.exists() { listed(&whole, fields, f64).map(drop) } else { Ok(()) }
    }

    /// Goes on with the dump `name` of a run as `rank` of `ranks`, dropping dumps after time step `keep_through_step`.
    /// With the number of ranks that wrote it, the rank's file is reopened, with the nodes it holds
    /// ([`FieldWriter::node_ids`]), which other ranks may own by now; with another, a new one is made that holds
    /// the earlier dumps of this rank's nodes. Where there is no dump yet, one is begun.
    ///
    /// Afterwards, when all ranks are here, rank 0 writes the index (with several ranks) and clears other ranks' files.
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
        // No other rank's file is opened here: that rank may be reopening it.
        if files.map_or(own == whole, |files| files.contains(&own)) {
            return Self::reopen(&own, keep_through_step);
        }
        // Later dumps need not agree: a kill may have come between two ranks' last dumps, or while they were dropped.
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

fn gather<T: H5Type + Copy + Default>(
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
