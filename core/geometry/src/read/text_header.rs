//! Text headers, as NRRD and MetaImage have them: fields, before the values or beside a data file.

use std::collections::HashMap;
use std::fs::File;
use std::path::{Path, PathBuf};

use hematite_config::{Fault, Result, sibling};

/// The fields of a header.
pub(super) struct Header {
    /// The format, for messages.
    pub format: &'static str,
    pub fields: HashMap<String, String>,
    /// Bytes up to the first value, where they are in the same file.
    pub length: u64,
}

/// Puts a field into a header of a `format`.
///
/// # Errors
/// A usage fault where the field is there with another value.
pub(super) fn put(format: &str, fields: &mut HashMap<String, String>, field: String, value: &str) -> Result<()> {
    match fields.get(&field).filter(|&before| before != value) {
        Some(before) => Err(Fault::usage(format!(
            "its {format} header gives \"{field}\" twice, \"{before:.60}\" and \"{value:.60}\": take one of them out"
        ))),
        None => {
            fields.insert(field, value.to_owned());
            Ok(())
        }
    }
}

impl Header {
    pub fn get(&self, field: &str) -> Option<&str> {
        self.fields.get(field).map(String::as_str)
    }

    pub fn need(&self, field: &str) -> Result<&str> {
        self.get(field).ok_or_else(|| Fault::usage(format!("its {} header has no \"{field}\"", self.format)))
    }

    /// Reads with `read` where the values are: in the data file `detached`, which faults then name too, or in the file
    /// of the header itself. `read` gets the file and the byte at which the values begin.
    pub fn with_values<T>(
        &self,
        path: &Path,
        detached: Option<&str>,
        read: impl FnOnce(File, u64) -> Result<T>,
    ) -> Result<T> {
        let Some(name) = detached else {
            return read(File::open(path).map_err(super::open_fault)?, self.length);
        };
        if name.contains('%') || name.starts_with("LIST") {
            return Err(Fault::usage(format!("its data file \"{name}\" is a list; only one data file is read")));
        }
        let data = data_file(path, name);
        let opened = File::open(&data).map_err(super::open_fault);
        opened.and_then(|file| read(file, 0)).map_err(|fault| fault.within(format!("data file {}", data.display())))
    }
}

/// The data file that the header at `path` calls `name`.
pub(super) fn data_file(path: &Path, name: &str) -> PathBuf {
    sibling(path, Path::new(name))
}
