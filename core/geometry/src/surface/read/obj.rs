//! OBJ: its vertices and faces; groups, materials, textures and normals do not count.

use hematite_config::{Fault, Result};
use tobj::{LoadError, LoadOptions};

use crate::surface::mesh::Mesh;

/// Reads OBJ.
///
/// # Errors
/// A usage fault for a file that is no OBJ, and for a vertex with a weight other than 1.
pub fn parse(bytes: &[u8]) -> Result<Mesh> {
    let options = LoadOptions { triangulate: true, ignore_points: true, ignore_lines: true, ..LoadOptions::default() };
    refuse_weights(bytes)?;
    let mut bytes = bytes;
    let (models, _materials) = tobj::load_obj_buf(&mut bytes, &options, |_| Err(LoadError::OpenFileFailed))
        .map_err(|error| Fault::usage(format!("no whole OBJ file: {error}")))?;
    let mut mesh = Mesh::default();
    for model in models {
        let first = u32::try_from(mesh.points.len()).map_err(|_| Fault::usage("holds too many points"))?;
        mesh.points.extend(model.mesh.positions.chunks_exact(3).map(|p| [p[0], p[1], p[2]]));
        let corner = |k: u32| k.checked_add(first).ok_or_else(|| Fault::usage("holds too many points"));
        for corners in model.mesh.indices.chunks_exact(3) {
            mesh.triangles.push([corner(corners[0])?, corner(corners[1])?, corner(corners[2])?]);
        }
    }
    Ok(mesh)
}

/// Refuses vertices of four numbers whose last one is not 1. It is a weight by the format, by which some readers divide
/// and others do not, and something else to some exporters: what is meant cannot be told.
fn refuse_weights(bytes: &[u8]) -> Result<()> {
    for (number, line) in bytes.split(|&byte| byte == b'\n').enumerate() {
        let line = String::from_utf8_lossy(line.trim_ascii_start().strip_prefix(b"v").unwrap_or_default());
        let words: Vec<&str> = line.split_whitespace().collect();
        if let [_, _, _, weight] = words[..]
            && line.starts_with([' ', '\t'])
            && weight.parse() != Ok(1.0)
        {
            return Err(Fault::usage(format!(
                "line {}: a vertex with the weight {weight}: only 1 is read; export the mesh with three numbers a vertex",
                number + 1
            )));
        }
    }
    Ok(())
}
