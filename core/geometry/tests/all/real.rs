//! Real files, where the checkout has them beside it; skipped with a note elsewhere.

use std::path::{Path, PathBuf};

use hematite_config::from_value;
use hematite_geometry::{Domain, GeometryConfig, build};

fn real(name: &str) -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/geoms").join(name);
    if path.exists() {
        return Some(path);
    }
    println!("skipped: {} is not here", path.display());
    None
}

fn built(geometry: serde_json::Value) -> Domain {
    let geometry: GeometryConfig = from_value("test", geometry).expect("a config");
    build(Path::new("CASE.json"), &geometry, &[]).expect("builds")
}

#[test]
fn a_retina_keeps_its_vessels_under_refinement() {
    let Some(path) = real("retina-a.ppm") else { return };
    let coarse = built(serde_json::json!({"image": path, "spacing": "4 um"}));
    assert_eq!(coarse.report.read, [565, 584, 1]);
    assert_eq!(coarse.report.fluid, 26677, "white pixels of the file");
    let fine = built(serde_json::json!({"image": path, "spacing": "4 um", "refine": {"factor": 6, "smooth": true}}));
    let ratio = fine.report.fluid as f64 / 36.0 / coarse.report.fluid as f64;
    println!("retina: {:?} -> {:?}, area {ratio:.4}", coarse.report, fine.report);
    // Vessels one pixel wide that step diagonally gain a little where their corners are bridged.
    assert!((ratio - 1.0).abs() < 0.025, "{ratio}");
    assert_eq!((coarse.report.components, fine.report.components), (1, 1), "no vessel falls apart");
}

#[test]
fn a_vase_is_read_with_its_compressed_blocks() {
    let Some(path) = real("vase.vti") else { return };
    let vase = built(serde_json::json!({
        "voxels": {"file": path}, "spacing": "1 mm",
        "rules": [{"above": 100, "is": "wall"}, {"any": true, "is": "fluid"}]
    }));
    assert_eq!(vase.report.read, [115, 101, 75]);
    assert_eq!(vase.extent, [117, 103, 77]);
    println!("vase: {:?}", vase.report);
}

/// The case of a whole retina: 13 million fluid nodes in 162 million sites.
#[test]
fn a_retina_of_162_million_sites() {
    let Some(path) = real("retina-a.ppm") else { return };
    let start = std::time::Instant::now();
    let fine = built(serde_json::json!({"image": path, "spacing": "4 um", "refine": {"factor": 22, "smooth": true}}));
    println!("{:?}: {:?} in {:?}", fine.extent, fine.report, start.elapsed());
    assert!(fine.sites.len() > 150_000_000);
}
