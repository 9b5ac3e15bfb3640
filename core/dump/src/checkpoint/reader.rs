//! Reads a checkpoint on any number of ranks.

use std::path::{Path, PathBuf};

use hdf5::{Dataset, File};
use hematite_case::NodeId;
use hematite_chunks::Number;
use hematite_config::{Fault, Result};

use super::{Bits, CheckpointMeta, Lists, cells_group, finished, rank_file, sums};
use crate::h5::{self, reading};
use crate::lookup::{self, Rows};

/// A finished checkpoint.
pub struct Checkpoint {
    path: PathBuf,
    meta: CheckpointMeta,
}

/// The places of a list of nodes in a checkpoint.
pub struct Located<'a> {
    checkpoint: &'a Checkpoint,
    nodes: usize,
    /// Rows in each rank file.
    rows: Vec<Rows>,
}

/// Records of cells, ascending by number.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CellRecords {
    /// Number of each cell.
    pub ids: Vec<u64>,
    /// Number of values of each cell.
    pub width: usize,
    /// The values, cell after cell.
    pub values: Vec<i64>,
}

impl CellRecords {
    /// The values of the cell with the given index.
    ///
    /// # Panics
    /// When the index is out of range.
    pub fn of(&self, index: usize) -> &[i64] {
        &self.values[index * self.width..][..self.width]
    }
}

/// Most values of records that are read at a time.
const RECORD_SLAB: usize = 1 << 20;

impl Checkpoint {
    /// The newest checkpoint of a run folder, if there is any.
    pub fn latest(run: &Path) -> Option<PathBuf> {
        Self::newest_first(run).into_iter().next()
    }

    /// The checkpoints of a run folder, newest first.
    pub fn newest_first(run: &Path) -> Vec<PathBuf> {
        finished(run).into_iter().rev().map(|(_, path)| path).collect()
    }

    /// Compares the files of the checkpoint at `path` with their hashes. Each rank `rank` of `ranks` checks its part of
    /// the files.
    ///
    /// # Errors
    /// A usage fault that names a file that is missing or was changed.
    pub fn verify(path: &Path, rank: usize, ranks: usize) -> Result<()> {
        if path.join(CheckpointMeta::FILE).is_file() { sums::verify(path, rank, ranks) } else { Err(none(path)) }
    }

    /// Opens a checkpoint folder with all its shares.
    ///
    /// # Errors
    /// A usage fault that names a file that is missing or damaged.
    pub fn open(path: &Path) -> Result<Self> {
        let file = path.join(CheckpointMeta::FILE);
        if !file.is_file() {
            return Err(none(path));
        }
        let meta: CheckpointMeta = hematite_config::read(&file)?;
        if meta.schema != CheckpointMeta::SCHEMA {
            let (file, found, known) = (file.display(), meta.schema, CheckpointMeta::SCHEMA);
            return Err(Fault::usage(format!("{file}: key \"schema\" is {found}, this version reads {known}")));
        }
        let (mut nodes, mut known) = (0_u64, None);
        let checkpoint = Self { path: path.to_owned(), meta };
        for rank in 0..checkpoint.meta.ranks {
            let file = rank_file(path, rank);
            let open = h5::open(&file)?;
            let (ids, arrays, step) = (|| {
                let arrays = open.group("own")?.datasets()?;
                let arrays = arrays.iter().map(|array| (array.name(), array.shape())).collect::<Vec<_>>();
                Ok((open.dataset("node_id")?.shape(), arrays, h5::attribute::<u64>(&open, "step")?))
            })()
            .map_err(reading::<hdf5::Error>(&file))?;
            let own = ids.first().copied().unwrap_or(0);
            h5::check_claim(&file, "nodes", own as u64)?;
            let names: Vec<String> = arrays.iter().map(|(name, _)| name.clone()).collect();
            let other = names != *known.get_or_insert(names.clone());
            if ids.len() != 1
                || other
                || arrays.iter().any(|(_, shape)| *shape != [own])
                || step != checkpoint.meta.step
            {
                let file = file.display();
                return Err(Fault::usage(format!(
                    "{file}: arrays {arrays:?} of step {step} do not fit checkpoint.json"
                )));
            }
            nodes = nodes.saturating_add(own as u64);
        }
        for population in &checkpoint.meta.populations {
            checkpoint.check_cells(&population.name, population.count.inside)?;
        }
        if nodes != checkpoint.meta.nodes {
            let (path, wanted) = (path.display(), checkpoint.meta.nodes);
            return Err(Fault::usage(format!("{path}: its shares hold {nodes} nodes, checkpoint.json says {wanted}")));
        }
        Ok(checkpoint)
    }

    /// The header.
    pub fn meta(&self) -> &CheckpointMeta {
        &self.meta
    }

    /// Finds nodes, given in any order.
    ///
    /// # Errors
    /// A usage fault when the checkpoint lacks one of them.
    pub fn locate(&self, ids: &[NodeId]) -> Result<Located<'_>> {
        let wanted = lookup::sorted(ids);
        let mut rows = Vec::new();
        for rank in 0..self.meta.ranks {
            let path = rank_file(&self.path, rank);
            rows.push(find(&path, "node_id", &wanted)?);
        }
        if let Some((count, first)) = lookup::missing(ids, &rows) {
            return Err(Fault::usage(format!(
                "{} lacks {count} of {} nodes, the first is node {}: is it of another case?",
                self.path.display(),
                ids.len(),
                first.0
            )));
        }
        Ok(Located { checkpoint: self, nodes: ids.len(), rows })
    }

    /// The values of the array `name` at nodes given in any order, `width` values a node.
    ///
    /// # Errors
    /// A usage fault when there is no such array, its width is not `width`, or it lacks a node.
    pub fn array(&self, name: &str, width: usize, ids: &[NodeId]) -> Result<Vec<i64>> {
        let wanted = lookup::sorted(ids);
        let mut values = vec![0; ids.len() * width];
        let mut found = Vec::new();
        for rank in 0..self.meta.ranks {
            let path = rank_file(&self.path, rank);
            let rows = find(&path, &format!("arrays/{name}/node_id"), &wanted)?;
            if rows.is_empty() {
                continue;
            }
            let file = h5::open(&path)?;
            let dataset = file.dataset(&format!("arrays/{name}/values")).map_err(reading(&path))?;
            let shape = dataset.shape();
            if shape.len() != 2 || shape[1] != width {
                let path = path.display();
                return Err(Fault::usage(format!(
                    "{path}: array {name} has shape {shape:?}, wanted {width} values a node"
                )));
            }
            lookup::scatter(&rows, width, &mut values, |first, count| h5::read_rows(&dataset, first, count))
                .map_err(reading(&path))?;
            found.push(rows);
        }
        if let Some((count, first)) = lookup::missing(ids, &found) {
            let (path, first) = (self.path.display(), first.0);
            return Err(Fault::usage(format!("{path}: array {name} lacks {count} nodes, the first is node {first}")));
        }
        Ok(values)
    }

    /// All records of a population.
    ///
    /// # Errors
    /// A usage fault when there is no such population or a file is damaged.
    pub fn cells(&self, population: &str) -> Result<CellRecords> {
        self.cells_where(population, |_, _| true)
    }

    /// The records of a population for which `keep(id, values)` is true. Besides these, memory holds one slab of the
    /// file.
    ///
    /// # Errors
    /// A usage fault when there is no such population or a file is damaged.
    pub fn cells_where(&self, population: &str, keep: impl Fn(u64, &[i64]) -> bool) -> Result<CellRecords> {
        let mut found = CellRecords::default();
        self.each_cell(population, |id, values| {
            if keep(id, values) {
                found.ids.push(id);
                found.values.extend_from_slice(values);
            }
            found.width = values.len();
            Ok(())
        })?;
        let mut order: Vec<usize> = (0..found.ids.len()).collect();
        order.sort_unstable_by_key(|&cell| found.ids[cell]);
        if let Some(twice) = order.windows(2).find(|pair| found.ids[pair[0]] == found.ids[pair[1]]) {
            let (path, id) = (self.path.display(), found.ids[twice[0]]);
            return Err(Fault::usage(format!("{path}: cell {id} of population {population} is there twice")));
        }
        if order.is_sorted() {
            return Ok(found);
        }
        Ok(CellRecords {
            ids: order.iter().map(|&cell| found.ids[cell]).collect(),
            width: found.width,
            values: order.iter().flat_map(|&cell| found.of(cell)).copied().collect(),
        })
    }

    /// Calls `then(id, values)` for every cell of a population, in no particular order. Reads slab by slab.
    ///
    /// # Errors
    /// Those of `then`, and a usage fault when there is no such population or a file is damaged.
    pub fn each_cell(&self, population: &str, mut then: impl FnMut(u64, &[i64]) -> Result<()>) -> Result<()> {
        let mut width = None;
        for rank in 0..self.meta.ranks {
            let path = rank_file(&self.path, rank);
            let file = h5::open(&path)?;
            let (ids, values) = records(&file, &path, population)?;
            let (cells, own) = (ids.size(), h5::columns(&values));
            if cells > 0 && *width.get_or_insert(own) != own {
                let path = path.display();
                return Err(Fault::usage(format!("{path}: population {population} has other records than before it")));
            }
            let slab = (RECORD_SLAB / own.max(1)).max(1);
            for first in (0..cells).step_by(slab) {
                let rows = slab.min(cells - first);
                let read = || Ok((h5::read_rows::<u64>(&ids, first, rows)?, h5::read_rows(&values, first, rows)?));
                let (ids, values): (Vec<u64>, Vec<i64>) = read().map_err(reading::<hdf5::Error>(&path))?;
                for (cell, id) in ids.into_iter().enumerate() {
                    then(id, &values[cell * own..][..own])?;
                }
            }
        }
        Ok(())
    }

    /// Refuses shares that do not hold `wanted` cells of a population, the number in checkpoint.json.
    fn check_cells(&self, population: &str, wanted: u64) -> Result<()> {
        let mut cells = 0;
        for rank in 0..self.meta.ranks {
            let path = rank_file(&self.path, rank);
            cells += records(&h5::open(&path)?, &path, population)?.0.size() as u64;
        }
        if cells != wanted {
            let path = self.path.display();
            return Err(Fault::usage(format!(
                "{path}: its shares hold {cells} cells of population {population}, checkpoint.json says {wanted}"
            )));
        }
        Ok(())
    }
}

fn none(path: &Path) -> Fault {
    let (path, name) = (path.display(), CheckpointMeta::FILE);
    Fault::usage(format!("{path} holds no {name}: is it a checkpoint (checkpoint/step-..)?"))
}

/// The datasets with the numbers and the values of the cells in a share, whose shapes fit each other.
fn records(file: &File, path: &Path, population: &str) -> Result<(Dataset, Dataset)> {
    let missing = |_| Fault::usage(format!("{} holds no population {population}", path.display()));
    let group = file.group(&cells_group(population)).map_err(missing)?;
    let open = || Ok((group.dataset("id")?, group.dataset("values")?));
    let (ids, values) = open().map_err(reading::<hdf5::Error>(path))?;
    h5::check_claim(path, "numbers of cells", values.size() as u64)?;
    if ids.ndim() != 1 || values.ndim() != 2 || values.shape()[0] != ids.size() {
        let (path, ids, values) = (path.display(), ids.shape(), values.shape());
        return Err(Fault::usage(format!(
            "{path}: population {population} has records {values:?} of cells {ids:?}: it is damaged"
        )));
    }
    Ok((ids, values))
}

impl Located<'_> {
    /// The values of the array `name` at the nodes, in the order of the list.
    ///
    /// # Errors
    /// A usage fault when there is no such array or a file is damaged.
    pub fn own(&self, name: &str) -> Result<Bits> {
        let path = rank_file(&self.checkpoint.path, 0);
        let dataset = h5::open(&path)?.dataset(&format!("own/{name}"));
        let dataset = dataset.map_err(|_| Fault::usage(format!("{} holds no array {name}", path.display())))?;
        match h5::attribute::<u32>(&dataset, "kind").map_err(reading(&path))? {
            16 => Ok(Bits::F16(self.gather(name)?)),
            32 => Ok(Bits::F32(self.gather(name)?)),
            64 => Ok(Bits::F64(self.gather(name)?)),
            0 => Ok(Bits::U32(self.gather(name)?)),
            kind => Err(Fault::usage(format!("{}: array {name} is of an unknown kind {kind}", path.display()))),
        }
    }

    /// The lists `name` at the nodes, in the order of the nodes.
    ///
    /// # Errors
    /// A usage fault when there are no such lists or a file is damaged.
    pub fn lists(&self, name: &str) -> Result<Lists> {
        let mut found = Lists { counts: vec![0; self.nodes], ..Lists::default() };
        let mut of_node: Vec<Vec<i64>> = vec![Vec::new(); self.nodes];
        for (rank, rows) in self.rows.iter().enumerate().filter(|(_, rows)| !rows.is_empty()) {
            let path = rank_file(&self.checkpoint.path, rank);
            let damaged =
                || Fault::usage(format!("{}: lists {name} do not fit their nodes: it is damaged", path.display()));
            let file = h5::open(&path)?;
            let (counts, values) = (|| {
                let group = file.group(&format!("lists/{name}"))?;
                Ok((group.dataset("count")?, group.dataset("values")?))
            })()
            .map_err(reading::<hdf5::Error>(&path))?;
            h5::check_claim(&path, "numbers of lists", values.size() as u64)?;
            if counts.ndim() != 1 || values.ndim() != 2 {
                return Err(damaged());
            }
            found.width = values.shape()[1];
            let counts: Vec<u32> = h5::read_rows(&counts, 0, counts.size()).map_err(reading(&path))?;
            let starts: Vec<usize> = std::iter::once(0)
                .chain(counts.iter().scan(0, |end, &count| {
                    *end += count as usize;
                    Some(*end)
                }))
                .collect();
            if starts.last() != Some(&values.shape()[0]) {
                return Err(damaged());
            }
            for &(row, index) in rows {
                let count = *counts.get(row).ok_or_else(damaged)?;
                found.counts[index] = count;
                if count > 0 {
                    of_node[index] = h5::read_rows(&values, starts[row], count as usize).map_err(reading(&path))?;
                }
            }
        }
        found.values = of_node.concat();
        Ok(found)
    }

    fn gather<T: Number + Default>(&self, name: &str) -> Result<Vec<T>> {
        let mut values = vec![T::default(); self.nodes];
        for (rank, rows) in self.rows.iter().enumerate().filter(|(_, rows)| !rows.is_empty()) {
            let path = rank_file(&self.checkpoint.path, rank);
            let file = h5::open(&path)?;
            let dataset = file.dataset(&format!("own/{name}")).map_err(reading(&path))?;
            let read = |first, count| h5::read_rows(&dataset, first, count);
            lookup::scatter(rows, 1, &mut values, read).map_err(reading(&path))?;
        }
        Ok(values)
    }
}

fn find(path: &Path, name: &str, wanted: &[(NodeId, usize)]) -> Result<Rows> {
    let file = h5::open(path)?;
    let dataset = file.dataset(name).map_err(reading(path))?;
    h5::check_claim(path, "nodes", dataset.size() as u64)?;
    lookup::find(&dataset, wanted).map_err(reading(path))
}
