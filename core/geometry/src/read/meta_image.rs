//! MetaImage: .mha with its data, .mhd with a data file; plain or zlib-compressed.

use std::collections::HashMap;
use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use flate2::read::{MultiGzDecoder, ZlibDecoder};
use hematite_config::{Fault, Result};

use super::raw::{self, Layout};
use super::{extents, head, length, open_fault};
use crate::volume::{self, Endian, MAX_VOXELS, ValueType, Volume};

struct Header {
    fields: HashMap<String, String>,
    /// Bytes up to and with the line `ElementDataFile`.
    length: u64,
}

impl Header {
    fn get(&self, field: &str) -> Option<&str> {
        self.fields.get(field).map(String::as_str)
    }

    fn need(&self, field: &str) -> Result<&str> {
        self.get(field).ok_or_else(|| Fault::usage(format!("its MetaImage header has no \"{field}\"")))
    }

    fn flag(&self, field: &str) -> bool {
        self.get(field).is_some_and(|text| text.eq_ignore_ascii_case("true") || text == "1")
    }
}

pub(super) fn read(path: &Path) -> Result<Volume> {
    let header = parse(&head(path)?)?;
    let dimensions = header.need("NDims")?.parse().unwrap_or(0);
    let shape = extents("DimSize", header.need("DimSize")?, dimensions)?;
    let count = volume::count(shape, MAX_VOXELS)?;
    let kind = value_type(header.need("ElementType")?)?;
    if let Some(channels) = header.get("ElementNumberOfChannels").filter(|&n| n != "1") {
        return Err(Fault::usage(format!("has {channels} values a voxel; one is read")));
    }
    let big = header.flag("BinaryDataByteOrderMSB") || header.flag("ElementByteOrderMSB");
    let endian = if big { Endian::Big } else { Endian::Little };

    let (mut file, start) = match header.need("ElementDataFile")? {
        "LOCAL" | "Local" | "local" => (File::open(path).map_err(open_fault)?, header.length),
        name if name.contains('%') || name.starts_with("LIST") => {
            return Err(Fault::usage(format!("its data file \"{name}\" is a list; only one data file is read")));
        }
        name => {
            let data = hematite_config::sibling(path, Path::new(name));
            (
                File::open(&data)
                    .map_err(|error| Fault::usage(format!("data file {} cannot be read: {error}", data.display())))?,
                0,
            )
        }
    };
    let stored = length(&file)?;
    let bytes = count * kind.size() as u64;
    let offset = match header.get("HeaderSize").unwrap_or("0") {
        "-1" => stored.checked_sub(bytes),
        text => text.parse().ok().and_then(|skip: u64| start.checked_add(skip)),
    }
    .ok_or_else(|| Fault::usage("its HeaderSize is neither -1 nor a number of bytes that the file holds"))?;

    let values = if header.flag("CompressedData") {
        volume::plausible(bytes, stored.saturating_sub(offset))?;
        file.seek(SeekFrom::Start(offset)).map_err(open_fault)?;
        let mut magic = [0; 2];
        file.read_exact(&mut magic).map_err(open_fault)?;
        file.seek(SeekFrom::Start(offset)).map_err(open_fault)?;
        let file = BufReader::new(file);
        if magic == [0x1f, 0x8b] {
            volume::read_values(MultiGzDecoder::new(file), count, kind, endian)?
        } else {
            volume::read_values(ZlibDecoder::new(file), count, kind, endian)?
        }
    } else {
        raw::values(&mut file, &Layout { shape, kind, endian, offset }, stored)?
    };
    Ok(Volume { shape: shape.map(|n| n as usize), values, spacing: spacing(&header, dimensions)? })
}

/// The data file of a detached header.
pub(super) fn data_file(path: &Path) -> Option<PathBuf> {
    let header = head(path).and_then(|bytes| parse(&bytes)).ok()?;
    let name = header.get("ElementDataFile").filter(|name| !name.eq_ignore_ascii_case("local"))?;
    Some(hematite_config::sibling(path, Path::new(name)))
}

fn parse(bytes: &[u8]) -> Result<Header> {
    let mut fields = HashMap::new();
    let mut at = 0;
    for line in bytes.split_inclusive(|&b| b == b'\n') {
        at += line.len();
        let line = String::from_utf8_lossy(line);
        let Some((field, value)) = line.split_once('=') else {
            return Err(Fault::usage(format!(
                "is no MetaImage: the header line \"{:.60}\" is no \"field = value\"",
                line.trim_end()
            )));
        };
        let field = field.trim().to_owned();
        let last = field == "ElementDataFile";
        fields.insert(field, value.trim().to_owned());
        if last {
            return Ok(Header { fields, length: at as u64 });
        }
    }
    Err(Fault::usage("is no MetaImage: its header has no ElementDataFile"))
}

fn value_type(name: &str) -> Result<ValueType> {
    Ok(match name {
        "MET_UCHAR" => ValueType::U8,
        "MET_CHAR" => ValueType::I8,
        "MET_USHORT" => ValueType::U16,
        "MET_SHORT" => ValueType::I16,
        "MET_UINT" => ValueType::U32,
        "MET_INT" => ValueType::I32,
        "MET_FLOAT" => ValueType::F32,
        "MET_DOUBLE" => ValueType::F64,
        other => {
            return Err(Fault::usage(format!(
                "ElementType {other} is not read; MET_UCHAR to MET_INT, MET_FLOAT and MET_DOUBLE are"
            )));
        }
    })
}

fn spacing(header: &Header, dimensions: usize) -> Result<Option<[f64; 3]>> {
    let Some(text) = header.get("ElementSpacing").or_else(|| header.get("ElementSize")) else {
        return Ok(None);
    };
    let steps: Option<Vec<f64>> = text.split_whitespace().map(|word| word.parse().ok()).collect();
    let steps = steps
        .filter(|steps| steps.len() == dimensions)
        .ok_or_else(|| Fault::usage(format!("its ElementSpacing \"{text}\" is not {dimensions} numbers")))?;
    Ok(Some([steps[0], steps[1], steps.get(2).copied().unwrap_or(steps[0])]))
}
