//! Where a file came from: program, version, command line, inputs and their hashes.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::{Fault, Result};

/// Where a file came from; stored in every file that the tools write.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Provenance {
    /// Name and version of the tool.
    pub program: String,
    /// The command line it was called with.
    pub command_line: Vec<String>,
    /// Inputs as (path, SHA-256).
    pub inputs: Vec<(String, String)>,
    /// Seconds since 1970 when it was written; `None` in files that are the same bytes whenever they are made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub written: Option<u64>,
}

impl Provenance {
    /// Provenance of the running tool, with the hashes of its inputs.
    ///
    /// # Errors
    /// When an input cannot be read.
    pub fn of(tool: &str, inputs: &[&Path]) -> Result<Self> {
        let inputs =
            inputs.iter().map(|path| Ok((path.display().to_string(), hash_file(path)?))).collect::<Result<_>>()?;
        Ok(Self {
            program: format!("{tool} {}", env!("CARGO_PKG_VERSION")),
            command_line: std::env::args().collect(),
            inputs,
            written: std::time::SystemTime::now()
                .duration_since(std::time::UNIX_EPOCH)
                .ok()
                .map(|since| since.as_secs()),
        })
    }

    /// The same without the time.
    #[must_use]
    pub fn undated(self) -> Self {
        Self { written: None, ..self }
    }
}

/// SHA-256 of a file, as hexadecimal text. A folder hashes as its sorted file names and contents.
///
/// # Errors
/// When it cannot be read.
pub fn hash_file(path: &Path) -> Result<String> {
    let mut hasher = Sha256::new();
    absorb(path, &mut hasher).map_err(|error| Fault::usage(format!("cannot read {}: {error}", path.display())))?;
    Ok(hex(&hasher.finalize()))
}

/// SHA-256 of bytes, as hexadecimal text.
pub fn hash_bytes(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

fn absorb(path: &Path, hasher: &mut Sha256) -> std::io::Result<()> {
    if path.is_dir() {
        let mut entries =
            std::fs::read_dir(path)?.map(|entry| entry.map(|e| e.path())).collect::<std::io::Result<Vec<_>>>()?;
        entries.sort();
        for entry in entries {
            hasher.update(entry.file_name().unwrap_or_default().as_encoded_bytes());
            absorb(&entry, hasher)?;
        }
        return Ok(());
    }
    absorb_all(File::open(path)?, hasher)
}

/// Hashes all that is left to read.
pub(crate) fn absorb_all(mut reader: impl Read, hasher: &mut Sha256) -> std::io::Result<()> {
    let mut buffer = vec![0; 1 << 16];
    loop {
        match reader.read(&mut buffer)? {
            0 => return Ok(()),
            count => hasher.update(&buffer[..count]),
        }
    }
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
