//! ESRI ASCII grids: a header of words and numbers, then heights as text, the northern row first.

use std::collections::HashMap;
use std::path::Path;

use hematite_config::{Fault, Result};

use super::grid::{Grid, MapPlace, is_square, no_squares};
use super::open_fault;
use super::text_header::{Header, put};
use crate::volume::{self, MAX_PIXELS, Values, Volume};

const FORMAT: &str = "ESRI ASCII";
/// What a header may hold.
const KEYS: [&str; 10] =
    ["ncols", "nrows", "xllcorner", "yllcorner", "xllcenter", "yllcenter", "cellsize", "dx", "dy", "nodata_value"];

/// Size of cells below which coordinates on the globe may be degrees: at the equator cells of 2 km.
const DEGREES: f64 = 0.02;

pub(super) fn read(path: &Path) -> Result<Grid> {
    let bytes = std::fs::read(path).map_err(open_fault)?;
    let text = std::str::from_utf8(&bytes).map_err(|_| {
        Fault::usage("is no text, as an ESRI ASCII grid is: save it so, or name a GeoTIFF with .tif at its end")
    })?;
    let (header, lines) = header(text.trim_start_matches('\u{feff}'))?;
    let [nx, ny] = [extent(&header, "ncols")?, extent(&header, "nrows")?];
    let count = volume::count([nx, ny, 1], MAX_PIXELS)?;
    // A value and what parts it from the next one are two characters at least.
    if 2 * count - 1 > bytes.len() as u64 {
        return Err(wrong_count("cannot hold", [nx, ny], count));
    }
    let mut values = heights(&lines, count, [nx, ny])?;
    values.flip_rows(nx as usize);
    let volume = Volume::new([nx as usize, ny as usize, 1], values);
    let missing = header.get("nodata_value").map(|text| number(text, "nodata_value")).transpose()?;
    Ok(Grid { volume, place: Some(place(&header)?), missing, height_unit: None })
}

/// The header, and the lines of values with their numbers.
fn header(text: &str) -> Result<(Header, Vec<(usize, &str)>)> {
    let mut fields = HashMap::new();
    let mut lines = text.lines().zip(1..).map(|(line, number)| (number, line));
    let mut values = Vec::new();
    for (number, line) in lines.by_ref() {
        let mut words = line.split_whitespace();
        let Some(first) = words.next() else { continue };
        let key = first.to_ascii_lowercase();
        if !KEYS.contains(&&*key) {
            let is_value = first.parse::<f64>().is_ok() || !first.starts_with(|c: char| c.is_ascii_alphabetic());
            if is_value && !fields.is_empty() {
                values.push((number, line));
                break;
            }
            return Err(Fault::usage(format!(
                "line {number}: \"{first:.40}\" is no key of an ESRI ASCII grid, which begins with {}",
                KEYS.join(", ")
            )));
        }
        let value = words.next().filter(|_| words.next().is_none());
        let value =
            value.ok_or_else(|| Fault::usage(format!("line {number}: \"{first}\" needs one number behind it")))?;
        put(FORMAT, &mut fields, key, value)?;
    }
    values.extend(lines);
    Ok((Header { format: FORMAT, fields, length: 0 }, values))
}

fn extent(header: &Header, key: &str) -> Result<u64> {
    let text = header.need(key)?;
    text.parse().map_err(|_| Fault::usage(format!("{key} \"{text:.40}\" is no whole number above 0")))
}

/// A finite number, or NaN, which headers give as the value for none.
fn number(text: &str, what: &str) -> Result<f64> {
    let advice = if text.contains(',') { ": write a point in place of the comma" } else { "" };
    text.parse::<f64>().map_err(|_| Fault::usage(format!("{what}: \"{text:.40}\" is no number{advice}")))
}

/// The corner and the edge of a cell.
fn place(header: &Header) -> Result<MapPlace> {
    let finite = |key: &str| {
        let text = header.need(key)?;
        let value = number(text, key)?;
        if value.is_finite() { Ok(value) } else { Err(Fault::usage(format!("{key}: \"{text}\" is not finite"))) }
    };
    let cell = match (header.get("dx"), header.get("dy")) {
        (None, None) => finite("cellsize")?,
        _ => {
            let [dx, dy] = [finite("dx")?, finite("dy")?];
            if !is_square(dx, dy) {
                return Err(Fault::usage(no_squares(dx, dy)));
            }
            dx
        }
    };
    if cell <= 0.0 {
        return Err(Fault::usage(format!("cellsize: {cell} is not above 0")));
    }
    let corner = |axis: &str| {
        let [corner, centre] = ["corner", "center"].map(|end| format!("{axis}ll{end}"));
        match (header.get(&corner), header.get(&centre)) {
            (Some(_), Some(_)) => Err(Fault::usage(format!("has {corner} and {centre}: take one of them out"))),
            (None, Some(_)) => Ok(finite(&centre)? - 0.5 * cell),
            _ => finite(&corner),
        }
    };
    let [x, y] = [corner("x")?, corner("y")?];
    if cell < DEGREES && x.abs().max(y.abs()) > 1.0 && x.abs() <= 360.0 && y.abs() <= 90.0 {
        return Err(Fault::usage(format!(
            "its cells are {cell} wide, with a corner at {x}, {y}: these look like degrees, and a lattice needs metres: project it, e.g. \
             by `gdalwarp -t_srs EPSG:326xx -r bilinear IN OUT` with the number of its zone"
        )));
    }
    Ok(MapPlace { corner: [x, y], cell, unit: None, system: None })
}

fn heights(lines: &[(usize, &str)], count: u64, size: [u64; 2]) -> Result<Values> {
    let mut values = Vec::with_capacity(count as usize);
    for (line, text) in lines {
        for word in text.split_whitespace() {
            if values.len() as u64 == count {
                return Err(wrong_count(&format!("goes on in line {line} behind"), size, count));
            }
            values.push(number(word, &format!("line {line}"))?);
        }
    }
    if (values.len() as u64) < count {
        return Err(wrong_count(&format!("holds {} of", values.len()), size, count));
    }
    Ok(Values::F64(values))
}

fn wrong_count(what: &str, [nx, ny]: [u64; 2], count: u64) -> Fault {
    Fault::usage(format!(
        "{what} the {count} values of the {nx} columns and {ny} rows that its header claims: the header is wrong, or the file \
         is cut short or damaged"
    ))
}
