//! Triangle meshes from files: STL, OFF, PLY.

mod off;
mod ply;
mod stl;

use std::path::Path;

use hematite_config::{Fault, Result};

use crate::vector::Point;

/// Points and triangles as in a file, in its unit and order. Polygons with more corners are cut into fans.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Mesh {
    /// The points.
    pub(crate) points: Vec<Point>,
    /// Indices of three points each.
    pub(crate) triangles: Vec<[u32; 3]>,
}

/// Reads a mesh; the file's extension tells the format.
///
/// # Errors
/// A usage fault that names the file and the mistake in it.
pub(crate) fn mesh(path: &Path) -> Result<Mesh> {
    let ending = path.extension().unwrap_or_default().to_string_lossy().to_lowercase();
    let parse: fn(&[u8]) -> Result<Mesh> = match ending.as_str() {
        "stl" => stl::parse,
        "off" => off::parse,
        "ply" => ply::parse,
        _ => {
            return Err(Fault::usage(format!(
                "{}: meshes are read from .stl, .off and .ply files: convert it, or mend its ending",
                path.display()
            )));
        }
    };
    let bytes =
        std::fs::read(path).map_err(|error| Fault::usage(format!("cannot read {}: {error}", path.display())))?;
    parse(&bytes).map_err(|fault| fault.within(path.display()))
}

impl Mesh {
    /// Adds a polygon as a fan of triangles; `name` names the polygon in faults.
    fn add_polygon(&mut self, corners: &[i64], name: impl Fn() -> String) -> Result<()> {
        let count = self.points.len();
        if corners.len() < 3 {
            return Err(Fault::usage(format!("{} has {} corners; a face has 3 or more", name(), corners.len())));
        }
        let mut fan = Vec::with_capacity(corners.len());
        for &corner in corners {
            let known = usize::try_from(corner).is_ok_and(|corner| corner < count);
            let index = u32::try_from(corner).ok().filter(|_| known).ok_or_else(|| {
                Fault::usage(format!("{} names point {corner}; the file has points 0 to {}", name(), count as i64 - 1))
            })?;
            fan.push(index);
        }
        self.triangles.extend(fan.windows(2).skip(1).map(|side| [fan[0], side[0], side[1]]));
        Ok(())
    }
}

/// The text of an ASCII file.
fn text(bytes: &[u8]) -> Result<&str> {
    std::str::from_utf8(bytes).map_err(|_| Fault::usage("it is neither readable text nor a binary file of this format"))
}

/// The first three words of a line as numbers.
fn point(words: &[&str], line: usize) -> Result<Point> {
    let mut point = [0.0; 3];
    for (axis, value) in point.iter_mut().enumerate() {
        *value = words
            .get(axis)
            .and_then(|word| word.parse().ok())
            .ok_or_else(|| Fault::usage(format!("line {line}: wanted three numbers, got \"{}\"", words.join(" "))))?;
    }
    Ok(point)
}

#[cfg(test)]
mod tests;
