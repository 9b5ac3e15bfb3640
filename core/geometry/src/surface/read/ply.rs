//! PLY, text and binary: element "vertex" with x, y, z, element "face" with the list "vertex_indices".

use hematite_config::{Fault, Result};
use ply_rs_bw::parser::{Parser, Reader};
use ply_rs_bw::ply::{Property, PropertyAccess, PropertyAccessResult};

use super::fan;
use crate::surface::mesh::{Mesh, Vector};

/// What is wanted of an element, whatever it is.
#[derive(Default)]
struct Element {
    place: Vector,
    corners: Option<Vec<u32>>,
    /// Whether a number could not be a corner.
    odd: bool,
}

impl PropertyAccess for Element {
    fn new() -> Self {
        Self::default()
    }

    fn set_property(&mut self, name: &str, property: Property) -> PropertyAccessResult {
        match name {
            "x" | "y" | "z" => {
                let axis = usize::from(name.as_bytes()[0] - b'x');
                self.place[axis] = match property {
                    Property::Float(x) => f64::from(x),
                    Property::Double(x) => x,
                    Property::Char(x) => f64::from(x),
                    Property::UChar(x) => f64::from(x),
                    Property::Short(x) => f64::from(x),
                    Property::UShort(x) => f64::from(x),
                    Property::Int(x) => f64::from(x),
                    Property::UInt(x) => f64::from(x),
                    _ => f64::NAN,
                };
            }
            "vertex_indices" | "vertex_index" => {
                let corners = match property {
                    Property::ListChar(list) => numbers(list),
                    Property::ListUChar(list) => numbers(list),
                    Property::ListShort(list) => numbers(list),
                    Property::ListUShort(list) => numbers(list),
                    Property::ListInt(list) => numbers(list),
                    Property::ListUInt(list) => numbers(list),
                    _ => None,
                };
                self.odd = corners.is_none();
                self.corners = corners;
            }
            _ => return PropertyAccessResult::Ignored,
        }
        PropertyAccessResult::Set
    }
}

fn numbers<T: TryInto<u32>>(list: Vec<T>) -> Option<Vec<u32>> {
    list.into_iter().map(|k| k.try_into().ok()).collect()
}

/// Reads PLY.
pub fn parse(bytes: &[u8]) -> Result<Mesh> {
    let fault = |error: &dyn std::fmt::Display| Fault::usage(format!("no whole PLY file: {error}"));
    let parser = Parser::<Element>::new();
    let mut reader = Reader::new(bytes);
    let header = parser.read_header(&mut reader).map_err(|error| fault(&error))?;
    let mut mesh = Mesh::default();
    for (name, definition) in &header.elements {
        // An element takes a byte at the least: a line in text, a number in binary files.
        if definition.count > bytes.len() || (definition.properties.is_empty() && definition.count > 0) {
            return Err(Fault::usage(format!(
                "the header claims {} of \"{name}\", the file has {} bytes: it is cut short or damaged",
                definition.count,
                bytes.len()
            )));
        }
        let elements =
            parser.read_payload_for_element(&mut reader, definition, &header).map_err(|error| fault(&error))?;
        match name.as_str() {
            "vertex" => {
                if !["x", "y", "z"].iter().all(|axis| definition.properties.contains_key(*axis)) {
                    return Err(Fault::usage("its vertices have no x, y and z"));
                }
                mesh.points = elements.iter().map(|element| element.place).collect();
            }
            "face" => {
                for (k, element) in elements.into_iter().enumerate() {
                    match element.corners {
                        Some(corners) if corners.len() > 2 => fan(&corners, &mut mesh.triangles),
                        Some(_) => {}
                        None if element.odd => {
                            return Err(Fault::usage(format!("face {}: corners must be whole numbers from 0", k + 1)));
                        }
                        None => return Err(Fault::usage("its faces have no list \"vertex_indices\"")),
                    }
                }
            }
            _ => {}
        }
    }
    Ok(mesh)
}
