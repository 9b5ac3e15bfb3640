//! `SHA256SUMS`: the hashes of the files of a checkpoint, in the format of sha256sum.

use std::fs;
use std::io::Write;
use std::path::Path;

use hematite_config::{Fault, Result, hash_file};

use super::{CheckpointMeta, rank_file};
use crate::h5::writing;

const FILE: &str = "SHA256SUMS";

/// Writes the hash of a share beside it and syncs it to disk.
pub fn write_of_share(share: &Path) -> Result<()> {
    written(&share.with_extension("sha256"), &line(share)?)
}

/// Collects the hashes of the shares and of `checkpoint.json` in one file.
pub fn collect(folder: &Path, ranks: usize) -> Result<()> {
    let mut lines = line(&folder.join(CheckpointMeta::FILE))?;
    let sums: Vec<_> = (0..ranks).map(|rank| rank_file(folder, rank).with_extension("sha256")).collect();
    for sum in &sums {
        lines += &fs::read_to_string(sum).map_err(writing(sum))?;
    }
    written(&folder.join(FILE), &lines)?;
    sums.iter().try_for_each(|sum| fs::remove_file(sum).map_err(writing(sum)))
}

/// Compares the files of a checkpoint with their hashes. Each rank `rank` of `ranks` checks its part of the files.
///
/// # Errors
/// A usage fault that names a file that is missing or was changed.
pub fn verify(folder: &Path, rank: usize, ranks: usize) -> Result<()> {
    let path = folder.join(FILE);
    let text = fs::read_to_string(&path)
        .map_err(|error| Fault::usage(format!("{}: {error}: the checkpoint is not whole", path.display())))?;
    let lines: Vec<&str> = text.lines().collect();
    let meta = folder.join(CheckpointMeta::FILE);
    let files = std::iter::once(meta).chain((1..lines.len()).map(|n| rank_file(folder, n - 1)));
    for (n, (file, wanted)) in files.zip(&lines).enumerate() {
        if n % ranks == rank && line(&file)?.trim_end() != *wanted {
            return Err(Fault::usage(format!("{}: damaged: it is not what {FILE} beside it says", file.display())));
        }
    }
    let listed: CheckpointMeta = hematite_config::read(&folder.join(CheckpointMeta::FILE))?;
    if lines.len() != 1 + listed.ranks {
        let (path, sums) = (path.display(), lines.len());
        return Err(Fault::usage(format!("{path}: damaged: {sums} sums of {} files", 1 + listed.ranks)));
    }
    Ok(())
}

fn line(file: &Path) -> Result<String> {
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    Ok(format!("{}  {name}\n", hash_file(file)?))
}

fn written(path: &Path, text: &str) -> Result<()> {
    let write = || {
        let mut file = fs::File::create(path)?;
        file.write_all(text.as_bytes())?;
        file.sync_all()
    };
    write().map_err(writing(path))
}
