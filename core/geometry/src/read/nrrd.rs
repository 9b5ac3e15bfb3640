//! NRRD, attached and detached headers; raw, gzip and text encodings.

use std::collections::HashMap;
use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use flate2::read::MultiGzDecoder;
use hematite_config::{Fault, Result};

use super::raw::{self, Layout};
use super::text_header::{self, Header};
use super::{differing_edges, extents, head, length, metres, open_fault};
use crate::axes::Axes;
use crate::volume::{self, Endian, MAX_VOXELS, ValueType, Values, Volume};

enum Encoding {
    Raw,
    Gzip,
    Text,
}

pub(super) fn read(path: &Path) -> Result<Volume> {
    let header = parse(&head(path)?)?;
    let dimension = header.need("dimension")?.parse().unwrap_or(0);
    let shape = extents("sizes", header.need("sizes")?, dimension)?;
    check_kinds(&header)?;
    let count = volume::count(shape, MAX_VOXELS)?;
    let kind = value_type(header.need("type")?)?;
    let endian = match (header.get("endian"), kind.size()) {
        (Some("little"), _) | (None, 1) => Endian::Little,
        (Some("big"), _) => Endian::Big,
        (other, 1) if other.is_some() => Endian::Little,
        (other, _) => return Err(Fault::usage(format!("NRRD field \"endian\" is {other:?}, wanted little or big"))),
    };

    let encoding = match header.need("encoding")? {
        "raw" => Encoding::Raw,
        "gzip" | "gz" => Encoding::Gzip,
        "ascii" | "text" | "txt" => Encoding::Text,
        other => return Err(Fault::usage(format!("NRRD encoding \"{other}\" is not read; use raw, gzip or ascii"))),
    };
    let (lines, skip) = (number(&header, "line skip")?, number(&header, "byte skip")?);

    let values = header.with_values(path, detached(&header), |mut file, start| {
        let stored = length(&file)?;
        let start = skip_lines(&mut file, start, lines)?;
        let bytes = count * kind.size() as u64;
        match encoding {
            Encoding::Raw => {
                let offset = if skip == -1 { stored.checked_sub(bytes) } else { forward(start, skip) };
                let offset = offset.ok_or_else(|| {
                    Fault::usage(format!(
                        "its values start before the file does (byte skip {skip}; it holds {stored} bytes, the header \
                         claims {bytes} bytes of values)"
                    ))
                })?;
                raw::values(&mut file, &Layout { shape, kind, endian, offset }, stored)
            }
            Encoding::Gzip => {
                volume::plausible(bytes, stored)?;
                let skip = u64::try_from(skip)
                    .map_err(|_| Fault::usage(format!("byte skip {skip} of gzip data is negative")))?;
                file.seek(SeekFrom::Start(start)).map_err(open_fault)?;
                let mut source = MultiGzDecoder::new(BufReader::new(file));
                std::io::copy(&mut (&mut source).take(skip), &mut std::io::sink()).map_err(open_fault)?;
                volume::read_values(source, count, kind, endian)
            }
            Encoding::Text => {
                // A value takes two characters, its separator included.
                volume::plausible(count, stored.saturating_sub(start))?;
                file.seek(SeekFrom::Start(start)).map_err(open_fault)?;
                text(file, count)
            }
        }
    })?;
    let (spacing, other_spacing) = spacing(&header)?;
    let (unit, other_unit) = unit(&header)?;
    Ok(Volume {
        spacing,
        unit,
        axes: axes(&header)?,
        notes: other_spacing.into_iter().chain(other_unit).collect(),
        ..Volume::new(shape.map(|n| n as usize), values)
    })
}

/// The data file of a detached header.
pub(super) fn data_file(path: &Path) -> Option<PathBuf> {
    let header = head(path).and_then(|bytes| parse(&bytes)).ok()?;
    Some(text_header::data_file(path, detached(&header)?))
}

fn detached(header: &Header) -> Option<&str> {
    header.get("data file").or_else(|| header.get("datafile"))
}

fn number(header: &Header, field: &str) -> Result<i64> {
    let text = header.get(field).or_else(|| header.get(&field.replace(' ', ""))).unwrap_or("0");
    text.parse().map_err(|_| Fault::usage(format!("NRRD field \"{field}: {text}\" is not a whole number")))
}

fn parse(bytes: &[u8]) -> Result<Header> {
    if !bytes.starts_with(b"NRRD000") {
        return Err(Fault::usage("is no NRRD file: it does not start with NRRD000"));
    }
    let mut fields = HashMap::new();
    let mut at = 0;
    for (number, line) in bytes.split_inclusive(|&b| b == b'\n').enumerate() {
        at += line.len();
        let line = String::from_utf8_lossy(line);
        let line = line.trim_end();
        if line.is_empty() {
            return Ok(Header { format: "NRRD", fields, length: at as u64 });
        }
        if number == 0 || line.starts_with('#') || line.contains(":=") {
            continue;
        }
        let (field, value) = line.split_once(':').ok_or_else(|| {
            Fault::usage(format!("NRRD header line {} \"{line:.60}\" is no \"field: value\"", number + 1))
        })?;
        text_header::put("NRRD", &mut fields, field.trim().to_ascii_lowercase(), value.trim())?;
    }
    if fields.contains_key("data file") || fields.contains_key("datafile") {
        return Ok(Header { format: "NRRD", fields, length: at as u64 });
    }
    Err(Fault::usage("its NRRD header has no end (an empty line)"))
}

fn value_type(name: &str) -> Result<ValueType> {
    Ok(match name {
        "uchar" | "unsigned char" | "uint8" | "uint8_t" => ValueType::U8,
        "signed char" | "int8" | "int8_t" => ValueType::I8,
        "ushort" | "unsigned short" | "unsigned short int" | "uint16" | "uint16_t" => ValueType::U16,
        "short" | "short int" | "signed short" | "signed short int" | "int16" | "int16_t" => ValueType::I16,
        "uint" | "unsigned int" | "uint32" | "uint32_t" => ValueType::U32,
        "int" | "signed int" | "int32" | "int32_t" => ValueType::I32,
        "ulonglong" | "unsigned long long" | "unsigned long long int" | "uint64" | "uint64_t" => ValueType::U64,
        "longlong"
        | "long long"
        | "long long int"
        | "signed long long"
        | "signed long long int"
        | "int64"
        | "int64_t" => ValueType::I64,
        "float" => ValueType::F32,
        "double" => ValueType::F64,
        other => {
            return Err(Fault::usage(format!("NRRD type \"{other}\" is not read; integers, float and double are")));
        }
    })
}

/// Spacing from the lengths of `space directions`, else from `spacings`, and what is to be told where they differ.
fn spacing(header: &Header) -> Result<(Option<[f64; 3]>, Option<String>)> {
    let three = |steps: Vec<f64>| match steps[..] {
        [x, y] => Some([x, y, x]),
        [x, y, z] => Some([x, y, z]),
        _ => None,
    };
    let length = |vector: &Vec<f64>| vector.iter().map(|x| x * x).sum::<f64>().sqrt();
    let of_directions = |text| directions(text).and_then(|vectors| three(vectors.iter().map(length).collect()));
    let of_spacings = |text: &str| {
        let steps: Option<Vec<f64>> = text.split_whitespace().map(|word| word.parse().ok()).collect();
        steps.and_then(three)
    };
    let given = ["space directions", "spacings"].map(|field| header.get(field));
    match (given[0].and_then(of_directions), given[1].and_then(of_spacings)) {
        (Some(taken), Some(other)) => {
            Ok((Some(taken), differing_edges(("\"space directions\"", taken), ("\"spacings\"", other))))
        }
        (Some(taken), None) | (None, Some(taken)) => Ok((Some(taken), None)),
        (None, None) if given == [None; 2] => Ok((None, None)),
        (None, None) => Err(Fault::usage(
            "its NRRD header gives no readable spacing for every direction (spacings or space directions)",
        )),
    }
}

/// Refuses an axis that the header says to hold several numbers of one voxel, such as the components of a vector.
fn check_kinds(header: &Header) -> Result<()> {
    /// Kinds of axes along which there are voxels, or of which nothing is known.
    const PLACES: [&str; 5] = ["domain", "space", "time", "none", "???"];
    let kinds = header.get("kinds").into_iter().flat_map(str::split_whitespace);
    match kinds.enumerate().find(|(_, kind)| !PLACES.contains(&kind.to_ascii_lowercase().as_str())) {
        None => Ok(()),
        Some((k, kind)) => Err(Fault::usage(format!(
            "its NRRD \"kinds\" say that axis {} holds the numbers of a \"{kind}\", not voxels: save one number a voxel",
            k + 1
        ))),
    }
}

/// The vectors of `space directions`, e.g. `(0.5,0,0) (0,0.5,0) (0,0,2)`.
fn directions(text: &str) -> Option<Vec<Vec<f64>>> {
    let vectors = text.split_inclusive(')').map(str::trim).filter(|vector| !vector.is_empty());
    let vector = |text: &str| -> Option<Vec<f64>> {
        let inner = text.strip_prefix('(')?.strip_suffix(')')?;
        inner.split(',').map(|x| x.trim().parse().ok()).collect()
    };
    vectors.map(vector).collect()
}

/// Metres in the unit of lengths, from `space units`, else from `units`, and what is to be told where they differ.
fn unit(header: &Header) -> Result<(Option<f64>, Option<String>)> {
    let given = ["space units", "units"].map(|field| header.get(field));
    let [of_space, of_axes] = given.map(|text| text.map(one_unit).transpose());
    let (of_space, of_axes) = (of_space?.flatten(), of_axes?.flatten());
    let note = of_space.zip(of_axes).filter(|(taken, other)| taken != other).map(|_| {
        let [space, axes] = given.map(Option::unwrap_or_default);
        format!("its \"space units\" are {space}, its \"units\" {axes}: the first are taken; \"edges\" in \"voxels\" takes others")
    });
    Ok((of_space.or(of_axes), note))
}

/// Metres in the one unit that words in quotes, which may hold spaces, name; none where they name none.
fn one_unit(text: &str) -> Result<Option<f64>> {
    let words = text.split('"').map(str::trim).filter(|word| !word.is_empty());
    let units: Vec<Option<f64>> = words.map(metres).collect();
    match units.split_first() {
        Some((first, rest)) if rest.iter().all(|other| other == first) => Ok(*first),
        None => Ok(None),
        _ => Err(Fault::usage(format!("its NRRD units {text} differ by direction; save it with one unit"))),
    }
}

/// The axes of three `space directions`, in the patient's space where `space` names that.
fn axes(header: &Header) -> Result<Option<Axes>> {
    let Some(vectors) = header.get("space directions").and_then(directions) else { return Ok(None) };
    let vectors: Option<Vec<[f64; 3]>> = vectors.into_iter().map(|vector| vector.try_into().ok()).collect();
    let Some(Ok(vectors)) = vectors.map(<[[f64; 3]; 3]>::try_from) else { return Ok(None) };
    let space = header.get("space").unwrap_or_default().to_ascii_lowercase();
    let (signs, is_patient) = match space.trim_end_matches("-time") {
        "left-posterior-superior" | "lps" | "lpst" => ([1.0, 1.0, 1.0], true),
        "right-anterior-superior" | "ras" | "rast" => ([-1.0, -1.0, 1.0], true),
        "left-anterior-superior" | "las" | "last" => ([1.0, -1.0, 1.0], true),
        _ => ([1.0; 3], false),
    };
    Axes::new(vectors, signs, is_patient).map_err(|fault| fault.within("space directions")).map(Some)
}

fn forward(start: u64, skip: i64) -> Option<u64> {
    start.checked_add(u64::try_from(skip).ok()?)
}

fn skip_lines(file: &mut File, start: u64, lines: i64) -> Result<u64> {
    if lines <= 0 {
        return Ok(start);
    }
    file.seek(SeekFrom::Start(start)).map_err(open_fault)?;
    let mut at = start;
    let mut left = lines;
    for byte in BufReader::new(file).bytes() {
        at += 1;
        left -= i64::from(byte.map_err(open_fault)? == b'\n');
        if left == 0 {
            return Ok(at);
        }
    }
    Err(Fault::usage(format!("ends before its {lines} skipped lines do")))
}

fn text(mut file: File, count: u64) -> Result<Values> {
    let mut text = String::new();
    file.read_to_string(&mut text).map_err(open_fault)?;
    let values: std::result::Result<Vec<f64>, _> =
        text.split_whitespace().take(count as usize + 1).map(str::parse).collect();
    let values = values.map_err(|error| Fault::usage(format!("its text values cannot be read: {error}")))?;
    if (values.len() as u64) < count {
        return Err(Fault::usage(format!(
            "holds {} values, its header claims {count}: the file is cut short",
            values.len()
        )));
    }
    if values.len() as u64 > count {
        return Err(Fault::usage(format!(
            "holds more than the {count} values that its header claims: correct its sizes"
        )));
    }
    Ok(Values::F64(values))
}
