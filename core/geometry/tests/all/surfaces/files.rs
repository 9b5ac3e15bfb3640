//! Files of every format, cut short, changed at random, or no files of surfaces at all.

use proptest::prelude::*;
use serde_json::json;

use super::made_of;
use super::meshes::Mesh;

fn vessel() -> Mesh {
    Mesh::tube(3.0, [1.0, 2.0, 3.0], [0.6, 0.0, 0.8], 9.0, 12, 6).capped(12)
}

fn files() -> Vec<(&'static str, Vec<u8>)> {
    let mesh = vessel();
    vec![
        ("binary.stl", mesh.binary_stl()),
        ("text.STL", mesh.text_stl()),
        ("text.ply", mesh.text_ply()),
        ("little.ply", mesh.binary_ply(true)),
        ("big.ply", mesh.binary_ply(false)),
        ("a.obj", mesh.obj()),
    ]
}

fn read(name: &str, bytes: &[u8]) -> Result<hematite_geometry::Domain, String> {
    made_of(name, bytes, json!({"unit": "1 mm"}), "0.5 mm", json!([]))
}

#[test]
fn all_formats_give_the_same_sites() {
    let expected = read("binary.stl", &files()[0].1).expect("builds");
    assert!(expected.report.fluid > 1500, "{}", expected.report.fluid);
    for (name, bytes) in files() {
        let domain = read(name, &bytes).unwrap_or_else(|message| panic!("{name}: {message}"));
        // Single precision may move a site's centre across the wall.
        let differ = domain.sites.iter().zip(&expected.sites).filter(|(a, b)| a != b).count();
        assert!(domain.extent == expected.extent && differ <= 2, "{name}: {differ}");
    }
}

#[test]
fn polygons_and_groups_are_read() {
    let obj = "v 0 0 0\nv 4 0 0\nv 0 3 0\nv 4 3 0\nv 0 0 2\nv 4 0 2\nv 0 3 2\nv 4 3 2\ng a\nf 1 3 4 2\nf 5 6 8 7\nf 1 2 6 5\n\
               g b\nf 3/1/1 7/1/1 8/1/1 4/1/1\nf -8 -4 -2 -6\nf 2 4 8 6\nvt 0 0\nvn 0 0 1\n";
    assert_eq!(read("a.obj", obj.as_bytes()).map(|domain| domain.report.fluid), Ok(8 * 6 * 4));
    let ply = "ply\nformat ascii 1.0\nelement vertex 8\nproperty float x\nproperty float y\nproperty float z\nproperty uchar red\n\
               element face 6\nproperty list uchar uint vertex_index\nproperty float quality\nelement edge 1\nproperty int a\n\
               end_header\n0 0 0 1\n4 0 0 1\n0 3 0 1\n4 3 0 1\n0 0 2 1\n4 0 2 1\n0 3 2 1\n4 3 2 1\n\
               4 0 2 3 1 0.5\n4 4 5 7 6 0.5\n4 0 1 5 4 0.5\n4 2 6 7 3 0.5\n4 0 4 6 2 0.5\n4 1 3 7 5 0.5\n7\n";
    assert_eq!(read("a.ply", ply.as_bytes()).map(|domain| domain.report.fluid), Ok(8 * 6 * 4));
}

#[test]
fn text_stl_is_read_with_any_line_ends() {
    let text = String::from_utf8(vessel().text_stl()).expect("text");
    let expected = read("a.stl", text.as_bytes()).map(|domain| domain.report.fluid);
    for other in [text.replace('\n', "\r"), text.replace('\n', "\r\n"), text.replace('\n', " ").to_uppercase()] {
        assert_eq!(read("a.stl", other.as_bytes()).map(|domain| domain.report.fluid), expected, "{other:.80}");
    }
    let four = text.replace("vertex", "vertex 1");
    assert!(read("a.stl", four.as_bytes()).expect_err("refused").contains("three numbers"));
}

#[test]
fn files_of_another_format_than_their_name_says_are_told() {
    for (name, from, words) in
        [("a.stl", 5, "looks like OBJ"), ("a.obj", 2, "looks like PLY"), ("a.ply", 1, "looks like text STL")]
    {
        let message = read(name, &files()[from].1).expect_err(words);
        assert!(message.contains(words) && message.contains(name), "{message}");
    }
}

#[test]
fn vertices_of_obj_have_no_weights_but_colours() {
    let text = String::from_utf8(vessel().obj()).expect("text");
    let with = |more: &str| {
        let line = |line: &str| if line.starts_with("v ") { format!("{line} {more}\n") } else { format!("{line}\n") };
        text.lines().map(line).collect::<String>().into_bytes()
    };
    let expected = read("a.obj", text.as_bytes()).expect("builds").report.fluid;
    for more in ["1", "1.0", "0.1 0.2 0.3"] {
        assert_eq!(read("a.obj", &with(more)).map(|domain| domain.report.fluid), Ok(expected), "{more}");
    }
    for more in ["2", "-1", "0.5"] {
        let message = read("a.obj", &with(more)).expect_err(more);
        assert!(message.contains("a.obj: line 3:") && message.contains(&format!("weight {more}")), "{message}");
    }
}

#[test]
fn what_is_no_surface_is_refused_by_name() {
    let stl = vessel().binary_stl();
    let mut odd = stl.clone();
    odd[84 + 12..84 + 16].copy_from_slice(&f32::NAN.to_le_bytes());
    let mut none = stl[..84].to_vec();
    none[80..84].fill(0);
    let corner = "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\nelement face 1\n\
                  property list uchar int vertex_indices\nend_header\n0 0 0\n1 0 0\n0 1 0\n3 0 1 ";
    let far = format!("{corner}7\n");
    let below = format!("{corner}-1\n");
    let huge = corner.replace("face 1", "face 999999999999");
    for (name, bytes, words) in [
        ("a.stl", &b""[..], "is empty"),
        ("a.stl", b"hello", "cut short"),
        ("a.stl", &stl[..stl.len() - 20], "cut short"),
        ("a.stl", &[&stl[..], b"more"].concat(), "damaged"),
        ("a.stl", &none, "no triangles"),
        ("a.stl", &odd, "finite numbers"),
        ("a.stl", b"solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0", "line 5"),
        ("a.stl", b"solid a\nfacet\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nendloop\nendfacet\n", "2 corners"),
        ("a.stl", b"solid a\nfacet\nouter loop\nvertex 0 0 0\nvertex 1 0 0\n", "cut short"),
        ("a.stl", b"solid a\nendsolid a\n", "no triangles"),
        ("a.ply", b"plain text", "PLY"),
        ("a.ply", far.as_bytes(), "corner 7 of only 3"),
        ("a.ply", below.as_bytes(), "whole numbers"),
        ("a.ply", huge.as_bytes(), "cut short"),
        ("a.ply", corner.as_bytes(), "PLY"),
        ("a.obj", b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 9\n", "OBJ"),
        ("a.obj", b"v 0 0 0\nv 1 0 x\nv 0 1 0\nf 1 2 3\n", "OBJ"),
        ("a.obj", b"v 0 0 0\nv 1 0 0\n", "no triangles"),
        ("a.off", b"OFF\n", ".stl .ply or .obj"),
    ] {
        let message = read(name, bytes).expect_err(words);
        assert!(message.contains(words) && message.contains(name), "{words}: {message}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn bytes_at_random_never_panic(bytes in proptest::collection::vec(any::<u8>(), 0..400), which in 0..6_usize) {
        let (name, file) = &files()[which];
        let _ = read(name, &bytes);
        // Behind a header that passes.
        let keep = if name.ends_with("stl") { 84 } else { file.len() / 8 };
        let _ = read(name, &[&file[..keep], &bytes].concat());
    }

    #[test]
    fn files_changed_at_random_never_panic(
        which in 0..6_usize,
        changes in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
        cut in proptest::option::of(any::<prop::sample::Index>()),
    ) {
        let (name, mut bytes) = files().swap_remove(which);
        for (at, value) in changes {
            let at = at.index(bytes.len());
            bytes[at] = value;
        }
        if let Some(cut) = cut {
            bytes.truncate(cut.index(bytes.len()));
        }
        // A coarse lattice, since a changed number may put a corner far off.
        let _ = made_of(name, &bytes, json!({"unit": "1 mm"}), "1 m", json!([]));
    }
}
