//! Writes one rank's share of a checkpoint.

use std::fs;
use std::path::{Path, PathBuf};

use hdf5::{Dataset, File, H5Type};
use hematite_case::NodeId;
use hematite_config::{Fault, Result};

use super::{Bits, CheckpointMeta, Lists, cells_group, finished, folder, partial, rank_file, sums};
use crate::h5::{self, SLAB, set_attribute, writing};

/// The share of one rank, being written. Call [`finish`](Self::finish) on every rank, wait for all ranks, then call
/// [`publish`](Self::publish) on rank 0.
pub struct CheckpointWriter {
    path: PathBuf,
    file: File,
    nodes: usize,
}

impl CheckpointWriter {
    /// Begins the share of `rank` in a checkpoint of `meta.step`, for its own nodes `ids`. Rank 0 also writes `meta`.
    ///
    /// # Errors
    /// When the folder cannot be written.
    pub fn create(run: &Path, rank: usize, meta: &CheckpointMeta, ids: &[NodeId]) -> Result<Self> {
        let folder = partial(run, meta.step);
        fs::create_dir_all(&folder).map_err(writing(&folder))?;
        if rank == 0 {
            let path = folder.join(CheckpointMeta::FILE);
            let text = serde_json::to_string_pretty(meta).map_err(writing(&path))?;
            fs::write(&path, text + "\n").and_then(|()| fs::File::open(&path)?.sync_all()).map_err(writing(&path))?;
        }
        let path = rank_file(&folder, rank);
        let make = || {
            let file = File::create(&path)?;
            set_attribute(&file, "step", &meta.step)?;
            write_ids(&file.new_dataset::<u64>().shape(ids.len()).create("node_id")?, ids)?;
            file.create_group("own")?;
            file.create_group("arrays")?;
            Ok(file)
        };
        let file = make().map_err(writing::<hdf5::Error>(&path))?;
        Ok(Self { path, file, nodes: ids.len() })
    }

    /// Writes the array `name` with one value at each own node, in the order of the ids. Every rank writes every array,
    /// even without nodes.
    ///
    /// # Errors
    /// When the number of values is not that of the nodes, or the file cannot be written.
    pub fn own(&mut self, name: &str, bits: &Bits) -> Result<()> {
        if bits.len() != self.nodes {
            let (path, got, nodes) = (self.path.display(), bits.len(), self.nodes);
            return Err(Fault::io(format!("{path}: array {name} holds {got} numbers for {nodes} nodes")));
        }
        let name = format!("own/{name}");
        match bits {
            Bits::F16(bits) => write_numbers(&self.file, &name, bits),
            Bits::F32(bits) | Bits::U32(bits) => write_numbers(&self.file, &name, bits),
            Bits::F64(bits) => write_numbers(&self.file, &name, bits),
        }
        .and_then(|dataset| set_attribute(&dataset, "kind", &bits.kind()))
        .map_err(writing(&self.path))
    }

    /// Writes the array `name` of whole numbers at some of the nodes, the same count for each: `values` holds those of
    /// `ids[0]`, then of `ids[1]` and so on.
    ///
    /// # Errors
    /// When the values do not divide evenly, or the file cannot be written.
    pub fn array(&mut self, name: &str, ids: &[NodeId], values: &[i64]) -> Result<()> {
        let width = values.len().checked_div(ids.len()).unwrap_or(0);
        if width * ids.len() != values.len() {
            let (path, got, nodes) = (self.path.display(), values.len(), ids.len());
            return Err(Fault::io(format!("{path}: array {name} holds {got} values for {nodes} nodes")));
        }
        let write = || {
            let group = self.file.create_group(&format!("arrays/{name}"))?;
            write_ids(&group.new_dataset::<u64>().shape(ids.len()).create("node_id")?, ids)?;
            let dataset = group.new_dataset::<i64>().shape((ids.len(), width)).create("values")?;
            h5::write_rows(&dataset, 0, values)
        };
        write().map_err(writing(&self.path))
    }

    /// Writes lists at all own nodes, in the order of the ids.
    ///
    /// # Errors
    /// When the numbers do not fit, or the file cannot be written.
    pub fn lists(&mut self, name: &str, lists: &Lists) -> Result<()> {
        let Lists { width, counts, values } = lists;
        let items = counts.iter().map(|&count| count as usize).sum::<usize>();
        if counts.len() != self.nodes || values.len() != items * width {
            let (path, nodes, got) = (self.path.display(), self.nodes, values.len());
            let counted = counts.len();
            let what = format!("{path}: lists {name}: {counted} for {nodes} nodes, {got} values for {items} items");
            return Err(Fault::io(what));
        }
        let write = || {
            let group = self.file.create_group(&format!("lists/{name}"))?;
            h5::write_rows(&group.new_dataset::<u32>().shape(counts.len()).create("count")?, 0, counts)?;
            h5::write_rows(&group.new_dataset::<i64>().shape((items, *width)).create("values")?, 0, values)
        };
        write().map_err(writing(&self.path))
    }

    /// Writes the records of this rank's cells of a population, `width` numbers each: `values` holds those of the cell
    /// `ids[0]`, then of `ids[1]` and so on. Every rank writes every population, even without cells.
    ///
    /// # Errors
    /// When there are not `width` values a cell, or the file cannot be written.
    pub fn cells(&mut self, population: &str, ids: &[u64], width: usize, values: &[i64]) -> Result<()> {
        if values.len() != ids.len() * width {
            let (path, got, cells) = (self.path.display(), values.len(), ids.len());
            let what = format!("{path}: population {population}: {got} values for {cells} cells of {width} values");
            return Err(Fault::io(what));
        }
        let write = || {
            let group = self.file.create_group(&cells_group(population))?;
            h5::write_rows(&group.new_dataset::<u64>().shape(ids.len()).create("id")?, 0, ids)?;
            let dataset = group.new_dataset::<i64>().shape((ids.len(), width)).create("values")?;
            h5::write_rows(&dataset, 0, values)
        };
        write().map_err(writing(&self.path))
    }

    /// Ends this rank's share and syncs it and its hash to disk.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn finish(self) -> Result<()> {
        self.file.close().map_err(writing(&self.path))?;
        fs::File::open(&self.path).and_then(|file| file.sync_all()).map_err(writing(&self.path))?;
        sums::write_of_share(&self.path)
    }

    /// Removes the checkpoints after time step `step`, from which the run restarts: damaged checkpoints, and those of
    /// steps that the restart abandons. Call on rank 0 only.
    ///
    /// # Errors
    /// When a checkpoint cannot be removed.
    pub fn remove_after(run: &Path, step: u64) -> Result<()> {
        let later = finished(run).into_iter().filter(|(at, _)| *at > step);
        later.into_iter().try_for_each(|(_, path)| fs::remove_dir_all(&path).map_err(writing(&path)))
    }

    /// Completes the checkpoint of `meta.step`, when every rank has finished its share. Call on rank 0 only. Keeps the
    /// newest earlier checkpoint and removes other earlier ones, as well as later ones, which belong to steps that a
    /// restart abandoned.
    ///
    /// # Errors
    /// When a share is missing or the folder cannot be renamed.
    pub fn publish(run: &Path, meta: &CheckpointMeta) -> Result<()> {
        let (from, to) = (partial(run, meta.step), folder(run, meta.step));
        if let Some(missing) = (0..meta.ranks).map(|rank| rank_file(&from, rank)).find(|path| !path.is_file()) {
            return Err(Fault::io(format!("checkpoint of step {}: {} is missing", meta.step, missing.display())));
        }
        sums::collect(&from, meta.ranks)?;
        if to.exists() {
            fs::remove_dir_all(&to).map_err(writing(&to))?;
        }
        fs::rename(&from, &to).map_err(writing(&to))?;
        fs::File::open(run.join("checkpoint")).and_then(|folder| folder.sync_all()).map_err(writing(&to))?;
        let earlier = finished(run).into_iter().filter(|(step, _)| *step < meta.step).map(|(step, _)| step).max();
        for (step, path) in finished(run) {
            if step != meta.step && Some(step) != earlier {
                fs::remove_dir_all(&path).map_err(writing(&path))?;
            }
        }
        Ok(())
    }
}

fn write_ids(dataset: &Dataset, ids: &[NodeId]) -> hdf5::Result<()> {
    h5::stream(dataset, ids.len(), |rows, out| out.extend(ids[rows].iter().map(|id| id.0)))
}

fn write_numbers<T: H5Type>(file: &File, name: &str, numbers: &[T]) -> hdf5::Result<Dataset> {
    let dataset = file.new_dataset::<T>().shape(numbers.len()).create(name)?;
    for (number, slab) in numbers.chunks(SLAB).enumerate() {
        let start = number * SLAB;
        dataset.write_slice(slab, start..start + slab.len())?;
    }
    Ok(dataset)
}
