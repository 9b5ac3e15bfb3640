//! STL, binary and text. A file whose length is that of a binary one is binary, whatever its header says: some programs
//! begin the header of binary files with "solid".

use hematite_config::{Fault, Result};

use crate::surface::mesh::{Mesh, Vector};

/// Bytes before the first triangle: 80 of header and the number of triangles.
const HEADER: usize = 84;
/// Bytes a triangle: a normal, three corners, a word of attributes.
const RECORD: usize = 50;

/// Reads STL. Normals in the file do not count, the order of the corners does.
pub fn parse(bytes: &[u8]) -> Result<Mesh> {
    let claimed = bytes.get(80..HEADER).and_then(|word| word.try_into().ok()).map(u32::from_le_bytes);
    let whole = |count: u32| HEADER as u64 + RECORD as u64 * u64::from(count) == bytes.len() as u64;
    if let Some(count) = claimed.filter(|&count| whole(count)) {
        return Ok(binary(&bytes[HEADER..], count));
    }
    let is_text = bytes.trim_ascii_start().get(..5).is_some_and(|word| word.eq_ignore_ascii_case(b"solid"));
    if is_text && !bytes.contains(&0) {
        return text(bytes);
    }
    Err(Fault::usage(match claimed {
        Some(count) => format!(
            "holds {} bytes; its header claims {count} triangles, which take {}: the file is cut short or damaged",
            bytes.len(),
            HEADER as u64 + RECORD as u64 * u64::from(count)
        ),
        None => format!("holds {} bytes, fewer than the header of an STL file: it is cut short or no STL", bytes.len()),
    }))
}

fn binary(records: &[u8], count: u32) -> Mesh {
    let mut mesh = Mesh::default();
    mesh.points.reserve_exact(3 * count as usize);
    for record in records.chunks_exact(RECORD) {
        let number = |k: usize| {
            let mut word = [0; 4];
            word.copy_from_slice(&record[4 * k..4 * k + 4]);
            f64::from(f32::from_le_bytes(word))
        };
        mesh.points.extend([3, 6, 9].map(|k| [number(k), number(k + 1), number(k + 2)]));
    }
    mesh.triangles = (0..count).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect();
    mesh
}

/// Words count, not lines: some programs end lines as old Macs did, or write all on one line.
fn text(bytes: &[u8]) -> Result<Mesh> {
    let text = String::from_utf8_lossy(bytes).replace("\r\n", "\n").replace('\r', "\n");
    let of_line = |(line, text): (usize, &str)| (line + 1, text.trim_start().to_ascii_lowercase());
    let lines: Vec<(usize, String)> = text.split('\n').enumerate().map(of_line).collect();
    let mut words = lines
        .iter()
        .flat_map(|(line, text)| text.split_ascii_whitespace().enumerate().map(|(k, word)| (*line, k == 0, word)))
        .peekable();
    let (mut mesh, mut corners, mut open) = (Mesh::default(), 0_u32, false);
    while let Some((line, is_first, word)) = words.next() {
        let fault = |what: &str| Fault::usage(format!("line {line}: {what}"));
        match word {
            // Within a line it may be part of the solid's name.
            "facet" if !open && (is_first || words.peek().is_some_and(|next| next.2 == "normal")) => {
                (corners, open) = (0, true);
            }
            "vertex" if open => {
                let mut point: Vector = [0.0; 3];
                let mut is_whole = true;
                for x in &mut point {
                    let number = words.next_if(|next| next.0 == line).and_then(|next| next.2.parse().ok());
                    is_whole &= number.is_some();
                    *x = number.unwrap_or_default();
                }
                if !is_whole || words.peek().is_some_and(|next| next.2.parse::<f64>().is_ok()) {
                    return Err(fault("a vertex takes three numbers; the file is damaged"));
                }
                mesh.points.push(point);
                corners += 1;
            }
            "endfacet" if open => {
                if corners != 3 {
                    return Err(fault(&format!("a facet has {corners} corners, not 3; the file is damaged")));
                }
                let first = u32::try_from(mesh.points.len() - 3).map_err(|_| fault("too many points"))?;
                mesh.triangles.push([first, first + 1, first + 2]);
                open = false;
            }
            _ => {}
        }
    }
    if open {
        return Err(Fault::usage("ends within a facet: the file is cut short"));
    }
    Ok(mesh)
}
