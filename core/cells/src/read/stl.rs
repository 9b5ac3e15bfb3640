//! STL, binary and ASCII: triangles that each have three points of their own.

use hematite_config::{Fault, Result};

use super::{Mesh, point, text};
use crate::vector::Point;

/// Bytes of a binary file before its first triangle: 80 of header, 4 of count.
const HEADER: usize = 84;
/// Bytes of a triangle: a normal and three points of three floats each, and two more bytes.
const TRIANGLE: usize = 50;

pub(super) fn parse(bytes: &[u8]) -> Result<Mesh> {
    let count = bytes.get(HEADER - 4..HEADER).map(|count| le_u32(count) as usize);
    let wanted = count.and_then(|count| count.checked_mul(TRIANGLE)?.checked_add(HEADER));
    // Binary files may begin with "solid" too: the length decides.
    match (count, wanted) {
        (Some(count), Some(wanted)) if bytes.len() == wanted => Ok(soup((0..3 * count).map(|corner| {
            let at = HEADER + TRIANGLE * (corner / 3) + 12 * (1 + corner % 3);
            [0, 4, 8].map(|axis| f64::from(f32::from_bits(le_u32(&bytes[at + axis..at + axis + 4]))))
        }))),
        _ if bytes.trim_ascii_start().starts_with(b"solid") => ascii(text(bytes)?),
        (Some(count), _) => Err(Fault::usage(format!(
            "as a binary STL file it says {count} triangles, which take {} bytes, but it has {}: it is cut off or no STL file",
            wanted.map_or("too many".to_owned(), |wanted| wanted.to_string()),
            bytes.len()
        ))),
        _ => Err(Fault::usage(format!("it has {} bytes: too short for an STL file", bytes.len()))),
    }
}

fn ascii(text: &str) -> Result<Mesh> {
    let mut points = Vec::new();
    for (number, line) in text.lines().enumerate().map(|(k, line)| (k + 1, line)) {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words.first() {
            Some(&"vertex") => points.push(point(&words[1..], number)?),
            Some(&"endloop") if points.len() % 3 != 0 => {
                return Err(Fault::usage(format!("line {number}: a facet of STL has exactly 3 vertices")));
            }
            _ => {}
        }
    }
    if points.len() % 3 != 0 {
        return Err(Fault::usage("its last facet has fewer than 3 vertices: it is cut off"));
    }
    Ok(soup(points.into_iter()))
}

/// Triangles from their corners, three points each.
fn soup(corners: impl Iterator<Item = Point>) -> Mesh {
    let points: Vec<Point> = corners.collect();
    let triangles = (0..points.len() as u32 / 3).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect();
    Mesh { points, triangles }
}

fn le_u32(bytes: &[u8]) -> u32 {
    bytes.iter().rev().fold(0, |value, &byte| value << 8 | u32::from(byte))
}
