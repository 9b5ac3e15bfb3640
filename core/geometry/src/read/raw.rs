//! Raw voxels: nothing but values; shape, type, byte order and offset come from the config.

use std::fs::File;
use std::io::{Seek, SeekFrom};
use std::path::Path;

use hematite_config::{Fault, Result};

use super::{length, open_fault};
use crate::volume::{self, Endian, MAX_VOXELS, ValueType, Values, Volume};

/// How the values lie in a raw file.
#[derive(Clone, Copy, Debug)]
pub struct Layout {
    /// Voxels along x, y, z; x fastest.
    pub shape: [u64; 3],
    /// Type of a value.
    pub kind: ValueType,
    /// Byte order.
    pub endian: Endian,
    /// Bytes before the first value.
    pub offset: u64,
}

/// Reads a raw file.
pub(super) fn read(path: &Path, layout: &Layout) -> Result<Volume> {
    let mut file = File::open(path).map_err(open_fault)?;
    let stored = length(&file)?;
    let values = values(&mut file, layout, stored)?;
    Ok(Volume::new(layout.shape.map(|n| n as usize), values))
}

/// The uncompressed values at `layout.offset` of a file of `stored` bytes, which must end with them, so that a wrong
/// shape shows.
pub(super) fn values(file: &mut File, layout: &Layout, stored: u64) -> Result<Values> {
    let count = volume::count(layout.shape, MAX_VOXELS)?;
    let wanted = count * layout.kind.size() as u64;
    let end = layout.offset.checked_add(wanted).filter(|&end| end <= stored);
    if end.is_none() {
        return Err(Fault::usage(format!(
            "holds {stored} bytes, but {wanted} bytes of values (shape {:?}, type {:?}) from byte {} on are wanted: the file is cut short or the shape wrong",
            layout.shape, layout.kind, layout.offset
        )));
    }
    let end = layout.offset + wanted;
    if end < stored {
        return Err(Fault::usage(format!(
            "holds {stored} bytes, but {wanted} bytes of values (shape {:?}, type {:?}) from byte {} on end at byte {end}: \
             correct the shape, the type or where the values begin, unless the file is damaged",
            layout.shape, layout.kind, layout.offset
        )));
    }
    file.seek(SeekFrom::Start(layout.offset)).map_err(open_fault)?;
    volume::read_values(file, count, layout.kind, layout.endian)
}
