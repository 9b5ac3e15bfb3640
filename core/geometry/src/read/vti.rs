//! VTK ImageData (.vti), one piece, one scalar array: text, base64 or appended data, plain or zlib-compressed.

use std::io::Read;
use std::path::Path;

use base64::Engine;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use flate2::read::ZlibDecoder;
use hematite_config::{Fault, Result};
use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

use super::open_fault;
use crate::axes::Axes;
use crate::volume::{self, Endian, MAX_VOXELS, ValueType, Values, Volume};

/// One array as the XML declares it.
#[derive(Default)]
struct Array {
    name: String,
    kind: String,
    format: String,
    components: String,
    offset: String,
    /// Whether it lies in the point data, not the cell data.
    of_points: bool,
    /// Whether its section names it as the scalars.
    active: bool,
    text: String,
}

/// The XML before the appended data.
#[derive(Default)]
struct Declaration {
    byte_order: String,
    header_type: String,
    compressor: String,
    extent: String,
    spacing: String,
    direction: String,
    pieces: usize,
    arrays: Vec<Array>,
}

pub(super) fn read(path: &Path, wanted: Option<&str>) -> Result<Volume> {
    let bytes = std::fs::read(path).map_err(open_fault)?;
    let tag = b"<AppendedData";
    let cut = bytes.windows(tag.len()).position(|window| window == tag);
    let (xml, appended) = bytes.split_at(cut.unwrap_or(bytes.len()));
    let declaration = declaration(xml)?;
    let array = chosen(&declaration.arrays, wanted)?;
    let shape = shape(&declaration, array.of_points)?;
    let count = volume::count(shape, MAX_VOXELS)?;
    if !matches!(&*array.components, "" | "1") {
        return Err(Fault::usage(format!("array \"{}\" has {} components; one is read", array.name, array.components)));
    }
    let values = match &*array.format {
        "ascii" => text(&array.text, count)?,
        "binary" => {
            let data = base64(array.text.as_bytes())?;
            binary(&data, count, array, &declaration)?
        }
        "appended" => {
            let data = appended_data(appended, &array.offset)?;
            binary(&data, count, array, &declaration)?
        }
        other => {
            return Err(Fault::usage(format!(
                "array \"{}\" has format \"{other}\", wanted ascii, binary or appended",
                array.name
            )));
        }
    };
    let spacing = numbers(&declaration.spacing).filter(|s| s.len() == 3).map(|s| [s[0], s[1], s[2]]);
    Ok(Volume { spacing, axes: axes(&declaration.direction)?, ..Volume::new(shape.map(|n| n as usize), values) })
}

/// The axes are the columns of a matrix that is stored row by row; VTK's space has no names.
fn axes(direction: &str) -> Result<Option<Axes>> {
    if direction.is_empty() {
        return Ok(None);
    }
    let matrix = numbers(direction).filter(|matrix| matrix.len() == 9);
    let matrix = matrix.ok_or_else(|| Fault::usage(format!("its Direction \"{direction}\" is not nine numbers")))?;
    let columns = [0, 1, 2].map(|k| [matrix[k], matrix[3 + k], matrix[6 + k]]);
    Axes::new(columns, [1.0; 3], false).map(Some)
}

fn declaration(xml: &[u8]) -> Result<Declaration> {
    let fault = |error: &dyn std::fmt::Display| Fault::usage(format!("is no readable VTK XML: {error}"));
    let text = std::str::from_utf8(xml).map_err(|error| fault(&error))?;
    let mut reader = Reader::from_str(text);
    let mut found = Declaration::default();
    let mut section = None;
    let mut scalars = String::new();
    let mut open = false;
    loop {
        let event = reader.read_event().map_err(|error| fault(&error))?;
        match &event {
            Event::Start(element) | Event::Empty(element) => match element.local_name().as_ref() {
                b"VTKFile" => {
                    if attribute(element, "type")? != "ImageData" {
                        return Err(Fault::usage("is no VTK ImageData file"));
                    }
                    found.byte_order = attribute(element, "byte_order")?;
                    found.header_type = attribute(element, "header_type")?;
                    found.compressor = attribute(element, "compressor")?;
                }
                b"ImageData" => {
                    found.spacing = attribute(element, "Spacing")?;
                    found.direction = attribute(element, "Direction")?;
                }
                b"Piece" => {
                    found.pieces += 1;
                    found.extent = attribute(element, "Extent")?;
                }
                name @ (b"PointData" | b"CellData") => {
                    section = Some(name == b"PointData");
                    scalars = attribute(element, "Scalars")?;
                }
                b"DataArray" => {
                    if let Some(of_points) = section {
                        let name = attribute(element, "Name")?;
                        found.arrays.push(Array {
                            active: name == scalars,
                            name,
                            kind: attribute(element, "type")?,
                            format: attribute(element, "format")?,
                            components: attribute(element, "NumberOfComponents")?,
                            offset: attribute(element, "offset")?,
                            of_points,
                            text: String::new(),
                        });
                        open = matches!(event, Event::Start(_));
                    }
                }
                _ => {}
            },
            Event::Text(text) if open => {
                if let Some(array) = found.arrays.last_mut() {
                    array.text.push_str(&text.decode().map_err(|error| fault(&error))?);
                }
            }
            Event::End(element) => match element.local_name().as_ref() {
                b"DataArray" => open = false,
                b"PointData" | b"CellData" => section = None,
                _ => {}
            },
            Event::Eof => break,
            _ => {}
        }
    }
    if open {
        return Err(Fault::usage("ends inside an array: the file is cut short"));
    }
    if found.pieces != 1 {
        return Err(Fault::usage(format!("has {} pieces; ImageData of one piece is read", found.pieces)));
    }
    Ok(found)
}

fn attribute(element: &BytesStart<'_>, name: &str) -> Result<String> {
    let found =
        element.try_get_attribute(name).map_err(|error| Fault::usage(format!("is no readable VTK XML: {error}")))?;
    Ok(found.map(|attribute| String::from_utf8_lossy(&attribute.value).into_owned()).unwrap_or_default())
}

fn chosen<'a>(arrays: &'a [Array], wanted: Option<&str>) -> Result<&'a Array> {
    let found = match wanted {
        Some(name) => arrays.iter().find(|array| array.name == name),
        None => arrays.iter().find(|array| array.active).or_else(|| arrays.first()),
    };
    found.ok_or_else(|| {
        let names: Vec<&str> = arrays.iter().map(|array| array.name.as_str()).collect();
        Fault::usage(format!("has no array \"{}\"; it has {names:?}", wanted.unwrap_or("of scalars")))
    })
}

/// Points are one more than cells along every axis.
fn shape(declaration: &Declaration, of_points: bool) -> Result<[u64; 3]> {
    let bounds: Option<Vec<i64>> = declaration.extent.split_whitespace().map(|word| word.parse().ok()).collect();
    let bounds = bounds
        .filter(|bounds| bounds.len() == 6)
        .ok_or_else(|| Fault::usage(format!("its extent \"{}\" is not six whole numbers", declaration.extent)))?;
    let mut shape = [0; 3];
    for axis in 0..3 {
        let cells = bounds[2 * axis + 1].checked_sub(bounds[2 * axis]).and_then(|cells| u64::try_from(cells).ok());
        let cells = cells.ok_or_else(|| Fault::usage(format!("its extent \"{}\" is empty", declaration.extent)))?;
        shape[axis] = if of_points { cells + 1 } else { cells.max(1) };
    }
    Ok(shape)
}

fn text(text: &str, count: u64) -> Result<Values> {
    let values = numbers(text).ok_or_else(|| Fault::usage("its text values are not all numbers"))?;
    if values.len() as u64 != count {
        return Err(Fault::usage(format!("holds {} values, its extent claims {count}", values.len())));
    }
    Ok(Values::F64(values))
}

fn numbers(text: &str) -> Option<Vec<f64>> {
    text.split_whitespace().map(|word| word.parse().ok()).collect()
}

/// The appended bytes from `offset` on.
fn appended_data(appended: &[u8], offset: &str) -> Result<Vec<u8>> {
    let short = || Fault::usage("its appended data is missing or cut short");
    let tag_end = appended.iter().position(|&b| b == b'>').ok_or_else(short)?;
    let in_base64 = String::from_utf8_lossy(&appended[..tag_end]).contains("base64");
    let start = appended.iter().position(|&b| b == b'_').filter(|&at| at > tag_end).ok_or_else(short)? + 1;
    let offset: usize =
        offset.parse().map_err(|_| Fault::usage(format!("its array offset \"{offset}\" is no number")))?;
    let data = start.checked_add(offset).and_then(|at| appended.get(at..)).ok_or_else(short)?;
    if in_base64 {
        // What follows the data (the next tag, another array after padding) is cut off by the counts in its header.
        let end = data.iter().position(|&b| b == b'<').unwrap_or(data.len());
        return base64(&data[..end]);
    }
    Ok(data.to_vec())
}

/// Decodes base64 that may be several padded pieces in a row, as VTK writes header and data.
fn base64(text: &[u8]) -> Result<Vec<u8>> {
    let clean: Vec<u8> = text.iter().copied().filter(|b| !b.is_ascii_whitespace()).collect();
    let mut bytes = Vec::with_capacity(clean.len() / 4 * 3);
    for piece in clean.split(|&b| b == b'=').filter(|piece| !piece.is_empty()) {
        STANDARD_NO_PAD
            .decode_vec(piece, &mut bytes)
            .map_err(|error| Fault::usage(format!("its base64 data is damaged or cut short: {error}")))?;
    }
    Ok(bytes)
}

fn binary(data: &[u8], count: u64, array: &Array, declaration: &Declaration) -> Result<Values> {
    let kind = value_type(&array.kind)?;
    let endian = match &*declaration.byte_order {
        "BigEndian" => Endian::Big,
        _ => Endian::Little,
    };
    let mut words = Words { data, wide: declaration.header_type == "UInt64", endian };
    let wanted = count * kind.size() as u64;
    match &*declaration.compressor {
        "" => {
            let claimed = words.next()?;
            let bytes = usize::try_from(wanted).ok().filter(|_| claimed == wanted).and_then(|n| words.data.get(..n));
            let bytes = bytes.ok_or_else(|| {
                Fault::usage(format!(
                    "array \"{}\" claims {claimed} bytes and holds {}, its extent wants {wanted}",
                    array.name,
                    words.data.len()
                ))
            })?;
            Values::decode(bytes.to_vec(), kind, endian)
        }
        "vtkZLibDataCompressor" => {
            let bytes = inflate(words, wanted)?;
            volume::read_values(&bytes[..], count, kind, endian)
        }
        other => Err(Fault::usage(format!("is compressed by {other}; zlib and no compression are read"))),
    }
}

/// Blocks: their number, the size of all but the last, the size of the last, compressed sizes, then the blocks.
fn inflate(mut words: Words<'_>, wanted: u64) -> Result<Vec<u8>> {
    volume::plausible(wanted, words.data.len() as u64)?;
    let (blocks, _, _) = (words.next()?, words.next()?, words.next()?);
    if blocks > words.data.len() as u64 {
        return Err(Fault::usage(format!(
            "its header claims {blocks} compressed blocks, more than it holds bytes: damaged or cut short"
        )));
    }
    let sizes = (0..blocks).map(|_| words.next()).collect::<Result<Vec<u64>>>()?;
    let mut rest = words.data;
    let mut bytes = Vec::new();
    for size in sizes {
        let size = usize::try_from(size).ok().filter(|&size| size <= rest.len());
        let (block, after) = rest.split_at(size.ok_or_else(|| Fault::usage("its compressed blocks are cut short"))?);
        rest = after;
        // One byte more than wanted shows that there are too many.
        let left = (wanted + 1).saturating_sub(bytes.len() as u64);
        ZlibDecoder::new(block)
            .take(left)
            .read_to_end(&mut bytes)
            .map_err(|error| Fault::usage(format!("its compressed data is damaged: {error}")))?;
    }
    Ok(bytes)
}

/// The unsigned integers before the data.
struct Words<'a> {
    data: &'a [u8],
    wide: bool,
    endian: Endian,
}

impl Words<'_> {
    fn next(&mut self) -> Result<u64> {
        let size = if self.wide { 8 } else { 4 };
        let (word, rest) = self
            .data
            .split_at_checked(size)
            .ok_or_else(|| Fault::usage("ends inside the header of its data: cut short"))?;
        self.data = rest;
        let fold = |word: u64, &byte: &u8| word << 8 | u64::from(byte);
        Ok(match self.endian {
            Endian::Big => word.iter().fold(0, fold),
            Endian::Little => word.iter().rev().fold(0, fold),
        })
    }
}

fn value_type(name: &str) -> Result<ValueType> {
    Ok(match name {
        "UInt8" => ValueType::U8,
        "Int8" => ValueType::I8,
        "UInt16" => ValueType::U16,
        "Int16" => ValueType::I16,
        "UInt32" => ValueType::U32,
        "Int32" => ValueType::I32,
        "UInt64" => ValueType::U64,
        "Int64" => ValueType::I64,
        "Float32" => ValueType::F32,
        "Float64" => ValueType::F64,
        other => {
            return Err(Fault::usage(format!("values of type {other} are not read; integers and floats are")));
        }
    })
}
