//! Domains within surfaces against exact shapes; faulty meshes; files that are none.

mod ends;
mod faults;
mod files;
mod meshes;
mod shapes;

use hematite_geometry::{Domain, OpeningConfig, Report, build};
use serde_json::{Value, json};

use meshes::Mesh;

/// The domain of a file's bytes, or the message of the fault.
pub fn made_of(name: &str, bytes: &[u8], surface: Value, spacing: &str, openings: Value) -> Result<Domain, String> {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join(name), bytes).expect("writes");
    let mut surface = surface;
    surface["file"] = name.into();
    let geometry = serde_json::from_value(json!({"surface": surface, "spacing": spacing})).expect("parses");
    let openings: Vec<OpeningConfig> = serde_json::from_value(openings).expect("parses");
    build(&folder.path().join("case.json"), &geometry, &openings).map_err(|fault| fault.message)
}

/// The domain of a mesh in millimetres, without openings.
pub fn filled(mesh: &Mesh, spacing: &str) -> Result<Domain, String> {
    made_of("vessel.ply", &mesh.binary_ply(true), json!({"unit": "1 mm"}), spacing, json!([]))
}

/// What `mkcase` would tell of the surface.
pub fn told(domain: &Domain) -> String {
    let Report { surface, ends, warnings, .. } = &domain.report;
    [surface, ends, warnings].map(|lines| lines.join("\n")).join("\n")
}

/// Volume of the fluid in cubic millimetres.
pub fn volume(domain: &Domain) -> f64 {
    domain.report.fluid as f64 * (1e3 * domain.spacing).powi(3)
}
