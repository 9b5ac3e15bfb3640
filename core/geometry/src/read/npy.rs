//! NumPy's .npy of one array: a magic, a version, and a header that is a dictionary of three keys as Python writes it
//! (`numpy.lib.format`).

use std::fs::File;
use std::io::{Read, Seek};
use std::path::Path;

use hematite_config::{Fault, Result};

use super::raw::{self, Layout};
use super::{length, open_fault};
use crate::config::ArrayOrder;
use crate::volume::{Endian, ValueType, Volume};

/// Bytes that a header may have.
const MOST: u64 = 1 << 16;

/// What a header says.
#[derive(Debug, PartialEq)]
struct Header {
    kind: ValueType,
    endian: Endian,
    /// Whether the first index is the fastest.
    fortran: bool,
    shape: Vec<u64>,
}

/// Reads an array of two or three indices, which are y, x or z, y, x, or as `order` says.
pub(super) fn read(path: &Path, order: ArrayOrder) -> Result<Volume> {
    let mut file = File::open(path).map_err(open_fault)?;
    let stored = length(&file)?;
    let mut start = [0; 8];
    file.read_exact(&mut start).map_err(|_| Fault::usage("is no .npy file: it is shorter than its first bytes"))?;
    if &start[..6] != b"\x93NUMPY" {
        return Err(Fault::usage("is no .npy file: it does not begin with \\x93NUMPY"));
    }
    let mut size = [0; 4];
    let width = if start[6] == 1 { 2 } else { 4 };
    file.read_exact(&mut size[..width]).map_err(|_| cut_short())?;
    let size = u64::from(u32::from_le_bytes(size));
    if size > MOST {
        return Err(Fault::usage(format!("its header claims {size} bytes; at most {MOST} are read")));
    }
    let mut text = vec![0; size as usize];
    file.read_exact(&mut text).map_err(|_| cut_short())?;
    let Header { kind, endian, fortran, shape } = parse(&String::from_utf8_lossy(&text))?;
    if !(2..=3).contains(&shape.len()) {
        return Err(Fault::usage(format!("its array has {} indices; 2 and 3 are read", shape.len())));
    }
    // Indices by how fast they are, the fastest first, and which axis each is.
    let count = shape.len();
    let indices: Vec<usize> = if fortran { (0..count).collect() } else { (0..count).rev().collect() };
    let axis = |index: usize| if order == ArrayOrder::Xyz { index } else { count - 1 - index };
    let mut extents = [1; 3];
    let mut axes = [0, 1, 2];
    for (k, &index) in indices.iter().enumerate() {
        (extents[k], axes[k]) = (shape[index], axis(index));
    }
    let offset = file.stream_position().map_err(open_fault)?;
    let layout = Layout { shape: extents, kind, endian, offset };
    let values = raw::values(&mut file, &layout, stored)?;
    let extents = extents.map(|n| n as usize);
    if axes == [0, 1, 2] {
        return Ok(Volume::new(extents, values));
    }
    let mut stored_axis = [0; 3];
    (0..3).for_each(|k| stored_axis[axes[k]] = k);
    let values = values.turned(extents, stored_axis, [false; 3]);
    Ok(Volume::new(stored_axis.map(|k| extents[k]), values))
}

fn cut_short() -> Fault {
    Fault::usage("ends inside its header: it is cut short")
}

/// The dictionary, e.g. `{'descr': '<i8', 'fortran_order': False, 'shape': (3, 4, 5), }`.
fn parse(text: &str) -> Result<Header> {
    let shown = || text.trim().chars().take(80).collect::<String>();
    let value = |key: &str| {
        let quoted = [format!("'{key}'"), format!("\"{key}\"")];
        let after = quoted.iter().find_map(|key| text.split_once(key.as_str())).map(|(_, after)| after.trim_start());
        let value = after.and_then(|after| after.strip_prefix(':')).map(str::trim_start);
        value.ok_or_else(|| Fault::usage(format!("its .npy header \"{}\" has no '{key}'", shown())))
    };
    let descr = value("descr")?;
    let name = descr.strip_prefix(['\'', '"']).and_then(|rest| rest.split(['\'', '"']).next());
    let name = name.ok_or_else(|| {
        Fault::usage(format!("its values are of several fields ({descr:.40}); save an array of numbers alone"))
    })?;
    let (order, kind) = name.split_at_checked(1).unwrap_or(("", name));
    let kind = match kind {
        "u1" | "b1" => ValueType::U8,
        "i1" => ValueType::I8,
        "u2" => ValueType::U16,
        "i2" => ValueType::I16,
        "u4" => ValueType::U32,
        "i4" => ValueType::I32,
        "u8" => ValueType::U64,
        "i8" => ValueType::I64,
        "f4" => ValueType::F32,
        "f8" => ValueType::F64,
        _ => {
            return Err(Fault::usage(format!(
                "its values are of type \"{name}\"; bool, integers of 8 to 64 bit, float32 and float64 are read"
            )));
        }
    };
    let endian = match order {
        "<" | "|" => Endian::Little,
        ">" => Endian::Big,
        _ => return Err(Fault::usage(format!("the byte order of its type \"{name}\" is not <, > or |"))),
    };
    let fortran = value("fortran_order")?;
    let fortran = match fortran {
        yes if yes.starts_with("True") => true,
        no if no.starts_with("False") => false,
        _ => return Err(Fault::usage(format!("its fortran_order \"{fortran:.10}\" is neither True nor False"))),
    };
    let tuple = value("shape")?.strip_prefix('(').and_then(|rest| rest.split_once(')')).map(|(inner, _)| inner);
    let words = tuple.map(|inner| inner.split(',').map(str::trim).filter(|word| !word.is_empty()));
    let shape = words.and_then(|words| words.map(|word| word.parse().ok()).collect::<Option<Vec<u64>>>());
    let shape =
        shape.ok_or_else(|| Fault::usage(format!("the shape in its .npy header \"{}\" is unreadable", shown())))?;
    Ok(Header { kind, endian, fortran, shape })
}
