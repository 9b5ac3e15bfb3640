//! MetaImage: .mha with its data, .mhd with a data file; plain or zlib-compressed.

use std::collections::HashMap;
use std::io::{BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use flate2::bufread::ZlibDecoder;
use flate2::read::MultiGzDecoder;
use hematite_config::{Fault, Result};

use super::raw::{self, Layout};
use super::text_header::{self, Header};
use super::{differing_edges, extents, head, length, metres, open_fault};
use crate::axes::Axes;
use crate::volume::{self, Endian, MAX_VOXELS, ValueType, Volume};

pub(super) fn read(path: &Path) -> Result<Volume> {
    let header = parse(&head(path)?)?;
    let dimensions = header.need("NDims")?.parse().unwrap_or(0);
    let shape = extents("DimSize", header.need("DimSize")?, dimensions)?;
    let count = volume::count(shape, MAX_VOXELS)?;
    let kind = value_type(header.need("ElementType")?)?;
    if let Some(channels) = header.get("ElementNumberOfChannels").filter(|&n| n != "1") {
        return Err(Fault::usage(format!("has {channels} values a voxel; one is read")));
    }
    let big = flag(&header, "BinaryDataByteOrderMSB") || flag(&header, "ElementByteOrderMSB");
    let endian = if big { Endian::Big } else { Endian::Little };

    let skip = header.get("HeaderSize").unwrap_or("0");
    let compressed = flag(&header, "CompressedData");

    let values = header.with_values(path, detached(&header), |mut file, start| {
        let stored = length(&file)?;
        let bytes = count * kind.size() as u64;
        let offset = match skip {
            "-1" => stored.checked_sub(bytes),
            text => text.parse().ok().and_then(|skip: u64| start.checked_add(skip)),
        }
        .ok_or_else(|| {
            Fault::usage(format!(
                "HeaderSize {skip} is neither -1 nor a number of bytes, or the file is cut short: it holds {stored} \
                 bytes, the header claims {bytes} bytes of values"
            ))
        })?;
        if !compressed {
            return raw::values(&mut file, &Layout { shape, kind, endian, offset }, stored);
        }
        volume::plausible(bytes, stored.saturating_sub(offset))?;
        file.seek(SeekFrom::Start(offset)).map_err(open_fault)?;
        let mut magic = [0; 2];
        file.read_exact(&mut magic).map_err(open_fault)?;
        file.seek(SeekFrom::Start(offset)).map_err(open_fault)?;
        let mut file = BufReader::new(file);
        if magic == [0x1f, 0x8b] {
            volume::read_values(MultiGzDecoder::new(file), count, kind, endian)
        } else {
            let values = volume::read_values(ZlibDecoder::new(&mut file), count, kind, endian)?;
            let more = std::io::copy(&mut file, &mut std::io::sink()).map_err(open_fault)?;
            if more > 0 {
                return Err(Fault::usage(format!("{more} bytes follow its compressed values: the file is damaged")));
            }
            Ok(values)
        }
    })?;
    let (axes, mut notes) = axes(&header, dimensions)?;
    let (spacing, other) = spacing(&header, dimensions)?;
    notes.extend(other);
    Ok(Volume {
        spacing,
        unit: header.get("DistanceUnits").and_then(metres),
        axes,
        notes,
        ..Volume::new(shape.map(|n| n as usize), values)
    })
}

/// How far from 1 rounding leaves the length of a direction.
const UNIT: f64 = 1e-3;

/// The rows of the matrix are the directions of the axes, in the patient's space. Also gives what is left out of account.
fn axes(header: &Header, dimensions: usize) -> Result<(Option<Axes>, Vec<String>)> {
    const NAMES: [&str; 3] = ["TransformMatrix", "Rotation", "Orientation"];
    let Some((name, text)) = NAMES.iter().find_map(|name| Some((name, header.get(name)?))) else {
        let unused = header.get("AnatomicalOrientation").filter(|letters| !letters.contains('?')).map(|letters| {
            format!("its AnatomicalOrientation {letters} has no TransformMatrix beside it and is not used: axes are as stored")
        });
        return Ok((None, unused.into_iter().collect()));
    };
    let numbers: Option<Vec<f64>> = text.split_whitespace().map(|word| word.parse().ok()).collect();
    let numbers = numbers
        .filter(|numbers| numbers.len() == dimensions * dimensions)
        .ok_or_else(|| Fault::usage(format!("its {name} \"{text}\" is not {dimensions} x {dimensions} numbers")))?;
    let mut vectors = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    for (vector, row) in vectors.iter_mut().zip(numbers.chunks_exact(dimensions)) {
        vector[..dimensions].copy_from_slice(row);
    }
    let lengths = vectors.map(|vector| vector.iter().map(|x| x * x).sum::<f64>().sqrt());
    let notes = lengths.iter().any(|length| (length - 1.0).abs() > UNIT).then(|| {
        let lengths = lengths[..dimensions].iter().map(|length| format!("{length:.4}")).collect::<Vec<_>>().join(", ");
        format!("rows of its {name} are {lengths} long, not 1: their directions are taken, lengths by ElementSpacing")
    });
    let axes = Axes::new(vectors, [1.0; 3], true).map_err(|fault| fault.within(*name))?;
    Ok((Some(axes), notes.into_iter().collect()))
}

/// The data file of a detached header.
pub(super) fn data_file(path: &Path) -> Option<PathBuf> {
    let header = head(path).and_then(|bytes| parse(&bytes)).ok()?;
    Some(text_header::data_file(path, detached(&header)?))
}

fn detached(header: &Header) -> Option<&str> {
    header.get("ElementDataFile").filter(|name| !name.eq_ignore_ascii_case("local"))
}

fn flag(header: &Header, field: &str) -> bool {
    header.get(field).is_some_and(|text| text.eq_ignore_ascii_case("true") || text == "1")
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
        text_header::put("MetaImage", &mut fields, field, value.trim())?;
        if last {
            return Ok(Header { format: "MetaImage", fields, length: at as u64 });
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
        "MET_ULONG_LONG" => ValueType::U64,
        "MET_LONG_LONG" => ValueType::I64,
        "MET_FLOAT" => ValueType::F32,
        "MET_DOUBLE" => ValueType::F64,
        other => {
            return Err(Fault::usage(format!(
                "ElementType {other} is not read; MET_UCHAR to MET_INT, MET_LONG_LONG, MET_FLOAT and MET_DOUBLE are"
            )));
        }
    })
}

/// Spacing from `ElementSpacing`, else from `ElementSize`, and what is to be told of the latter.
fn spacing(header: &Header, dimensions: usize) -> Result<(Option<[f64; 3]>, Option<String>)> {
    let read = |field: &str| -> Result<Option<[f64; 3]>> {
        let Some(text) = header.get(field) else { return Ok(None) };
        let steps: Option<Vec<f64>> = text.split_whitespace().map(|word| word.parse().ok()).collect();
        let steps = steps
            .filter(|steps| steps.len() == dimensions)
            .ok_or_else(|| Fault::usage(format!("its {field} \"{text}\" is not {dimensions} numbers")))?;
        Ok(Some([steps[0], steps[1], steps.get(2).copied().unwrap_or(steps[0])]))
    };
    Ok(match (read("ElementSpacing")?, read("ElementSize")?) {
        (Some(taken), Some(size)) => (Some(taken), differing_edges(("ElementSpacing", taken), ("ElementSize", size))),
        (None, Some(size)) => {
            (Some(size), Some("it has no ElementSpacing: its ElementSize is taken for the edges of voxels".to_owned()))
        }
        (spacing, None) => (spacing, None),
    })
}
