//! Readers of triangle meshes, one format a file.

mod obj;
mod ply;
mod stl;

use std::path::Path;

use hematite_config::{Fault, Result};

use super::mesh::Mesh;

/// Most triangles of a mesh.
const MAX_TRIANGLES: usize = 1 << 28;

/// Reads a mesh; the format follows from the extension. Lengths are those of the file. Polygons become triangles.
///
/// # Errors
/// A usage fault that names the file and what is wrong with it: cut short, no triangles, corners that do not exist,
/// coordinates that are no numbers.
pub fn mesh(path: &Path) -> Result<Mesh> {
    let within = |fault: Fault| fault.within(path.display());
    let name = path.file_name().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
    let read = match name.rsplit_once('.').map(|(_, extension)| extension) {
        Some("stl") => stl::parse,
        Some("ply") => ply::parse,
        Some("obj") => obj::parse,
        _ => {
            return Err(within(Fault::usage("not a known format of surfaces: its name must end in .stl .ply or .obj")));
        }
    };
    let bytes = std::fs::read(path).map_err(|error| within(Fault::usage(format!("cannot be read: {error}"))))?;
    if bytes.is_empty() {
        return Err(within(Fault::usage("is empty: export the mesh anew")));
    }
    read(&bytes).and_then(checked).map_err(|mut fault| {
        if let Some(other) = other_format(&bytes, name.rsplit_once('.').map_or("", |(_, extension)| extension)) {
            fault.message = format!("looks like {other}, whatever its name says: rename it ({})", fault.message);
        }
        within(fault)
    })
}

/// The format that a file looks like, where it is another than its extension says.
fn other_format(bytes: &[u8], extension: &str) -> Option<&'static str> {
    let start = String::from_utf8_lossy(&bytes[..bytes.len().min(1 << 12)]).to_ascii_lowercase();
    let lines = || start.lines().map(str::trim_start);
    let first = start.split_whitespace().next().unwrap_or_default();
    let looks = if first == "ply" {
        ("ply", "PLY")
    } else if first == "solid" && start.contains("facet") {
        ("stl", "text STL")
    } else if lines().any(|line| line.starts_with("v ")) {
        ("obj", "OBJ")
    } else {
        return None;
    };
    (looks.0 != extension).then_some(looks.1)
}

/// Refuses meshes without triangles or with coordinates that are no numbers.
fn checked(mesh: Mesh) -> Result<Mesh> {
    if mesh.triangles.is_empty() {
        return Err(Fault::usage("holds no triangles; a cloud of points or lines is no surface: export it as a mesh"));
    }
    if mesh.triangles.len() > MAX_TRIANGLES || mesh.points.len() > 3 * MAX_TRIANGLES {
        return Err(Fault::usage(format!(
            "holds {} triangles, the limit is {MAX_TRIANGLES}: coarsen the mesh",
            mesh.triangles.len()
        )));
    }
    let astray = |t: &usize| mesh.triangles[*t].iter().any(|&k| k as usize >= mesh.points.len());
    if let Some(t) = (0..mesh.triangles.len()).find(astray) {
        return Err(Fault::usage(format!(
            "triangle {} has corner {} of only {} points: the file is damaged",
            t + 1,
            mesh.triangles[t].iter().max().unwrap_or(&0),
            mesh.points.len()
        )));
    }
    // Squares and volumes of larger or smaller numbers would leave the range of f64.
    const LARGEST: f64 = 1e60;
    let sane = |x: &f64| x.is_finite() && x.abs() <= LARGEST;
    let odd = |t: &usize| mesh.corners(*t).iter().flatten().any(|x| !sane(x));
    if let Some(t) = (0..mesh.triangles.len()).find(odd) {
        return Err(Fault::usage(format!(
            "triangle {} has a corner at {:?}: coordinates must be finite numbers; export the mesh anew",
            t + 1,
            mesh.corners(t).into_iter().find(|corner| !corner.iter().all(sane)).unwrap_or_default()
        )));
    }
    Ok(mesh)
}

/// A polygon as triangles around its first corner.
fn fan(corners: &[u32], triangles: &mut Vec<[u32; 3]>) {
    triangles.extend(corners.windows(2).skip(1).map(|pair| [corners[0], pair[0], pair[1]]));
}
