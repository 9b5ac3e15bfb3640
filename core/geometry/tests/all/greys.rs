//! Grey pixels of pictures without rules.

use std::fs;

use hematite_config::{Exit, Fault};
use hematite_geometry::{Domain, GeometryConfig, build};
use serde_json::{Value, json};

/// The domain of a picture of 10 x 10 pixels, white but for its lowest row, which is black, and the first pixels above.
fn made(first: &[u8], white: u8, more: Value) -> Result<Domain, Fault> {
    let folder = tempfile::tempdir().expect("a folder");
    let mut pixels = vec![white; 100];
    pixels[90..].fill(0);
    pixels[80..80 + first.len()].copy_from_slice(first);
    fs::write(folder.path().join("a.pgm"), [&b"P5\n10 10\n255\n"[..], &pixels].concat()).expect("writes");
    let mut geometry = json!({"image": "a.pgm", "spacing": "1 um"});
    for (key, value) in more.as_object().expect("keys") {
        geometry[key] = value.clone();
    }
    let geometry: GeometryConfig = serde_json::from_value(geometry).expect("parses");
    build(&folder.path().join("case.json"), &geometry, &[])
}

#[test]
fn few_greys_are_told_and_many_refused() {
    let warned = |domain: Domain| domain.report.warnings.join(" ");
    let words = ["2 of the 100 pixels (2.00 %)", "neither black nor white", "70", "(0, 1)", "\"above\": 128"];
    let text = warned(made(&[70, 200], 255, json!({})).expect("builds"));
    assert!(words.iter().all(|word| text.contains(word)), "{text}");
    let fault = made(&[70; 6], 255, json!({})).expect_err("too many");
    assert!(fault.exit == Exit::Usage && fault.message.contains("geometry.image: 6 of the 100"), "{fault}");
    let rules = json!({"rules": [{"above": 128, "is": "fluid"}, {"any": true, "is": "wall"}]});
    assert_eq!(warned(made(&[70; 6], 255, rules).expect("builds")), "");
    assert_eq!(warned(made(&[], 255, json!({})).expect("builds")), "");
    assert_eq!(warned(made(&[], 1, json!({})).expect("a mask of 0 and 1")), "");
    let upper = json!({"crop": {"min": [0, 2], "max": [10, 10]}});
    assert_eq!(warned(made(&[70; 6], 255, upper).expect("the greys are out of the crop")), "");
}
