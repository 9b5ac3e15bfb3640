//! OBJ: its vertices and faces; groups, materials, textures and normals do not count.

use hematite_config::{Fault, Result};
use tobj::{LoadError, LoadOptions};

use crate::surface::mesh::Mesh;

/// Reads OBJ.
pub fn parse(bytes: &[u8]) -> Result<Mesh> {
    let options = LoadOptions { triangulate: true, ignore_points: true, ignore_lines: true, ..LoadOptions::default() };
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
