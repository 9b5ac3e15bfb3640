//! Seals. The seal of a file is its last line: the SHA-256 of all bytes before it. Readers compare it with the file and
//! so notice any change. HDF5 ignores the line, which follows HDF5's own end of the file.

use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::Path;

use sha2::{Digest, Sha256};

use crate::provenance::{absorb_all, hex};
use crate::{Fault, Result};

const BEGINNING: &str = "\nhematite sha256 ";
/// Bytes of a seal: its beginning, the hash in hexadecimal, the end of the line.
const LENGTH: u64 = BEGINNING.len() as u64 + 64 + 1;

/// Seals a file that is not sealed yet.
///
/// # Errors
/// When it cannot be read or written.
pub fn seal(path: &Path) -> Result<()> {
    let fault = |error: std::io::Error| Fault::io(format!("cannot seal {}: {error}", path.display()));
    let mut file = OpenOptions::new().read(true).append(true).open(path).map_err(fault)?;
    let length = file.metadata().map_err(fault)?.len();
    let hasher = absorbed(&mut file, length).map_err(fault)?;
    file.write_all(line(&hasher).as_bytes()).and_then(|()| file.sync_all()).map_err(fault)
}

/// Removes the seal of a file that has one, so that the file can be changed.
///
/// # Errors
/// When it cannot be read or written.
pub fn unseal(path: &Path) -> Result<()> {
    let fault = |error: std::io::Error| Fault::io(format!("cannot change {}: {error}", path.display()));
    let mut file = OpenOptions::new().read(true).write(true).open(path).map_err(fault)?;
    let content = file.metadata().map_err(fault)?.len().saturating_sub(LENGTH);
    let mut last = String::new();
    file.seek(SeekFrom::Start(content)).map_err(fault)?;
    match file.read_to_string(&mut last) {
        Ok(_) if last.starts_with(BEGINNING) => file.set_len(content).map_err(fault),
        _ => Ok(()),
    }
}

/// The SHA-256 of a sealed file, seal included, as hexadecimal text.
///
/// # Errors
/// A usage fault where the file is not what was sealed, or cannot be read.
pub fn sealed_hash(path: &Path) -> Result<String> {
    let fault = |error: std::io::Error| Fault::usage(format!("cannot read {}: {error}", path.display()));
    let mut file = File::open(path).map_err(fault)?;
    let content = file.metadata().map_err(fault)?.len().saturating_sub(LENGTH);
    let mut hasher = absorbed(&mut file, content).map_err(fault)?;
    let mut last = Vec::new();
    file.read_to_end(&mut last).map_err(fault)?;
    if last != line(&hasher).as_bytes() {
        return Err(Fault::usage(format!("{} is not what was written: it was damaged or changed", path.display())));
    }
    hasher.update(&last);
    Ok(hex(&hasher.finalize()))
}

fn line(hasher: &Sha256) -> String {
    format!("{BEGINNING}{}\n", hex(&hasher.clone().finalize()))
}

/// The hash of the first `length` bytes.
fn absorbed(file: &mut File, length: u64) -> std::io::Result<Sha256> {
    file.seek(SeekFrom::Start(0))?;
    let mut hasher = Sha256::new();
    absorb_all(file.take(length), &mut hasher)?;
    Ok(hasher)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash_file;

    #[test]
    fn any_change_is_noticed() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("case.h5");
        std::fs::write(&path, [7; 300]).expect("writes");
        assert!(sealed_hash(&path).is_err());
        seal(&path).expect("seals");
        assert_eq!(sealed_hash(&path), hash_file(&path));
        let whole = std::fs::read(&path).expect("reads");
        for bit in 0..8 * whole.len() {
            let mut bytes = whole.clone();
            bytes[bit / 8] ^= 1 << (bit % 8);
            std::fs::write(&path, &bytes).expect("writes");
            assert!(sealed_hash(&path).is_err(), "bit {bit}");
        }
        for length in 0..whole.len() {
            std::fs::write(&path, &whole[..length]).expect("writes");
            assert!(sealed_hash(&path).is_err(), "{length} bytes");
        }
        std::fs::write(&path, &whole).expect("writes");
        unseal(&path).expect("unseals");
        unseal(&path).expect("nothing to do");
        assert_eq!(std::fs::read(&path).expect("reads"), [7; 300]);
    }
}
