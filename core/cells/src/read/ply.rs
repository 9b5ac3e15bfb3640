//! PLY, ASCII and binary in both byte orders: elements with typed properties. Keeps the x, y, z of the points and the
//! corners of the faces.

use hematite_config::{Fault, Result};

use super::{Mesh, text};

pub(super) fn parse(bytes: &[u8]) -> Result<Mesh> {
    let (header, body) = header(bytes)?;
    let mut source = match header.format {
        Format::Ascii => Source::Words(text(body)?.split_ascii_whitespace()),
        Format::Binary { little } => Source::Bytes { rest: body, little },
    };
    let mut mesh = Mesh::default();
    // Elements without properties occupy no bytes.
    for element in header.elements.iter().filter(|element| !element.properties.is_empty()) {
        for k in 0..element.count {
            let place = || format!("{} {k} of {}", element.name, element.count);
            let values = element
                .properties
                .iter()
                .map(|property| property.read(&mut source))
                .collect::<Option<Vec<_>>>()
                .ok_or_else(|| {
                    Fault::usage(format!("{} cannot be read: the file is cut off or no number stands there", place()))
                })?;
            match element.name.as_str() {
                "vertex" => mesh.points.push(element.point(&values)?),
                "face" => {
                    let corners: Vec<i64> = element.corners(&values)?.iter().map(|&x| x as i64).collect();
                    mesh.add_polygon(&corners, place)?;
                }
                _ => {}
            }
        }
    }
    Ok(mesh)
}

struct Header {
    format: Format,
    elements: Vec<Element>,
}

enum Format {
    Ascii,
    Binary { little: bool },
}

struct Element {
    name: String,
    count: usize,
    properties: Vec<Property>,
}

struct Property {
    name: String,
    /// The type of the length of a list; `None` for a single value.
    length: Option<Scalar>,
    value: Scalar,
}

#[derive(Clone, Copy)]
enum Scalar {
    Int { bytes: usize, signed: bool },
    Float,
    Double,
}

/// The values of a file's body, read in sequence.
enum Source<'a> {
    Words(std::str::SplitAsciiWhitespace<'a>),
    Bytes { rest: &'a [u8], little: bool },
}

/// Reads up to "end_header"; also returns the bytes after it.
fn header(bytes: &[u8]) -> Result<(Header, &[u8])> {
    if !bytes.starts_with(b"ply") {
        return Err(Fault::usage("a PLY file begins with \"ply\", this one does not"));
    }
    let (mut format, mut elements) = (None, Vec::<Element>::new());
    let mut rest = bytes;
    loop {
        let end = rest
            .iter()
            .position(|&byte| byte == b'\n')
            .ok_or_else(|| Fault::usage("its header has no \"end_header\""))?;
        let line = text(&rest[..end])?.trim();
        rest = &rest[end + 1..];
        let words: Vec<&str> = line.split_whitespace().collect();
        let unknown = || Fault::usage(format!("its header has the line \"{line}\", which is not known"));
        match words[..] {
            [] | ["ply" | "comment" | "obj_info", ..] => {}
            ["format", "ascii", _] => format = Some(Format::Ascii),
            ["format", "binary_little_endian", _] => format = Some(Format::Binary { little: true }),
            ["format", "binary_big_endian", _] => format = Some(Format::Binary { little: false }),
            ["element", name, count] => elements.push(Element {
                name: name.to_owned(),
                count: count.parse().map_err(|_| unknown())?,
                properties: Vec::new(),
            }),
            ["property", "list", length, value, name] => {
                let length = Some(Scalar::named(length).ok_or_else(unknown)?);
                let value = Scalar::named(value).ok_or_else(unknown)?;
                let element = elements.last_mut().ok_or_else(unknown)?;
                element.properties.push(Property { name: name.to_owned(), length, value });
            }
            ["property", value, name] => {
                let value = Scalar::named(value).ok_or_else(unknown)?;
                let element = elements.last_mut().ok_or_else(unknown)?;
                element.properties.push(Property { name: name.to_owned(), length: None, value });
            }
            ["end_header"] => break,
            _ => return Err(unknown()),
        }
    }
    let format = format.ok_or_else(|| Fault::usage("its header has no line \"format\""))?;
    Ok((Header { format, elements }, rest))
}

impl Element {
    fn point(&self, values: &[Vec<f64>]) -> Result<[f64; 3]> {
        let mut point = [0.0; 3];
        for (to, name) in point.iter_mut().zip(["x", "y", "z"]) {
            let property = self.properties.iter().position(|p| p.name == name && p.length.is_none());
            let missing = || Fault::usage(format!("its points have no property \"{name}\""));
            *to = values[property.ok_or_else(missing)?][0];
        }
        Ok(point)
    }

    fn corners<'a>(&self, values: &'a [Vec<f64>]) -> Result<&'a [f64]> {
        let named = |p: &Property| ["vertex_indices", "vertex_index"].contains(&p.name.as_str()) && p.length.is_some();
        let property = self.properties.iter().position(named);
        property.map(|k| values[k].as_slice()).ok_or_else(|| Fault::usage("its faces have no list \"vertex_indices\""))
    }
}

impl Property {
    /// A single value, or the values of a list; `None` where the file ends.
    fn read(&self, source: &mut Source) -> Option<Vec<f64>> {
        let count = match self.length {
            Some(length) => source.next(length)?,
            None => 1.0,
        };
        (0..count as usize).map(|_| source.next(self.value)).collect()
    }
}

impl Scalar {
    fn named(name: &str) -> Option<Self> {
        Some(match name {
            "char" | "int8" => Self::Int { bytes: 1, signed: true },
            "uchar" | "uint8" => Self::Int { bytes: 1, signed: false },
            "short" | "int16" => Self::Int { bytes: 2, signed: true },
            "ushort" | "uint16" => Self::Int { bytes: 2, signed: false },
            "int" | "int32" => Self::Int { bytes: 4, signed: true },
            "uint" | "uint32" => Self::Int { bytes: 4, signed: false },
            "float" | "float32" => Self::Float,
            "double" | "float64" => Self::Double,
            _ => return None,
        })
    }

    fn size(self) -> usize {
        match self {
            Self::Int { bytes, .. } => bytes,
            Self::Float => 4,
            Self::Double => 8,
        }
    }

    /// The value of `bits`, which are in the lowest bytes.
    fn value(self, bits: u64) -> f64 {
        match self {
            Self::Int { signed: false, .. } => bits as f64,
            Self::Int { bytes, signed: true } => {
                let unused = 64 - 8 * bytes;
                ((bits << unused) as i64 >> unused) as f64
            }
            Self::Float => f64::from(f32::from_bits(bits as u32)),
            Self::Double => f64::from_bits(bits),
        }
    }
}

impl Source<'_> {
    fn next(&mut self, scalar: Scalar) -> Option<f64> {
        match self {
            Self::Words(words) => words.next()?.parse().ok(),
            Self::Bytes { rest, little } => {
                let (value, after) = rest.split_at_checked(scalar.size())?;
                *rest = after;
                let join = |bits, &byte: &u8| bits << 8 | u64::from(byte);
                Some(scalar.value(if *little { value.iter().rev().fold(0, join) } else { value.iter().fold(0, join) }))
            }
        }
    }
}
