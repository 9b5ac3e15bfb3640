use std::path::PathBuf;

use serde_json::json;

use super::*;
use crate::vector::{cross, minus};
use crate::{ShapeConfig, Surface, icosphere};

fn cell() -> Surface {
    icosphere::mesh(42, |[x, y, z]| [3.0 * x, 3.0 * y, 1.0 * z])
}

fn stl_ascii(cell: &Surface) -> Vec<u8> {
    let mut text = String::from("solid cell\n");
    for triangle in &cell.triangles {
        text += "facet normal 0 0 0\n  outer loop\n";
        for &v in triangle {
            let [x, y, z] = cell.vertices[v as usize];
            text += &format!("    vertex {x:e} {y:e} {z:e}\n");
        }
        text += "  endloop\nendfacet\n";
    }
    (text + "endsolid cell\n").into_bytes()
}

fn stl_binary(cell: &Surface) -> Vec<u8> {
    // A header that looks like that of an ASCII file.
    let mut bytes = b"solid but binary".to_vec();
    bytes.resize(80, b' ');
    bytes.extend((cell.triangles.len() as u32).to_le_bytes());
    for triangle in &cell.triangles {
        let [a, b, c] = triangle.map(|v| cell.vertices[v as usize]);
        for value in [cross(minus(b, a), minus(c, a)), a, b, c].iter().flatten() {
            bytes.extend((*value as f32).to_le_bytes());
        }
        bytes.extend([0, 0]);
    }
    bytes
}

fn off(cell: &Surface) -> Vec<u8> {
    let mut text = format!("OFF # a cell\n\n{} {} 0\n", cell.vertices.len(), cell.triangles.len());
    for [x, y, z] in &cell.vertices {
        text += &format!("{x:?} {y:?} {z:?}\n");
    }
    for [a, b, c] in &cell.triangles {
        text += &format!("3 {a} {b} {c} 255 0 0\n");
    }
    text.into_bytes()
}

/// A PLY header with properties that are passed over.
fn ply_header(cell: &Surface, format: &str) -> Vec<u8> {
    format!(
        "ply\nformat {format} 1.0\ncomment a cell\nelement vertex {}\nproperty uchar red\nproperty double x\nproperty float y\n\
         property double z\nelement face {}\nproperty list uchar int vertex_indices\nproperty short tag\nend_header\n",
        cell.vertices.len(),
        cell.triangles.len()
    )
    .into_bytes()
}

fn ply_ascii(cell: &Surface) -> Vec<u8> {
    let mut bytes = ply_header(cell, "ascii");
    for [x, y, z] in &cell.vertices {
        bytes.extend(format!("7 {x:?} {y:?} {z:?}\n").bytes());
    }
    for [a, b, c] in &cell.triangles {
        bytes.extend(format!("3 {a} {b} {c} -2\n").bytes());
    }
    bytes
}

fn ply_binary(cell: &Surface, little: bool) -> Vec<u8> {
    let mut bytes = ply_header(cell, if little { "binary_little_endian" } else { "binary_big_endian" });
    let mut put = |value: &[u8]| match little {
        true => bytes.extend(value),
        false => bytes.extend(value.iter().rev()),
    };
    for &[x, y, z] in &cell.vertices {
        put(&[7]);
        put(&x.to_le_bytes());
        put(&(y as f32).to_le_bytes());
        put(&z.to_le_bytes());
    }
    for triangle in &cell.triangles {
        put(&[3]);
        triangle.iter().for_each(|v| put(&(*v as i32).to_le_bytes()));
        put(&(-2_i16).to_le_bytes());
    }
    bytes
}

#[test]
fn every_format_gives_the_same_cell() {
    let cell = cell();
    let folder = tempfile::tempdir().expect("a folder");
    let files = [
        ("ascii.stl", stl_ascii(&cell)),
        ("binary.STL", stl_binary(&cell)),
        ("cell.off", off(&cell)),
        ("ascii.ply", ply_ascii(&cell)),
        ("little.ply", ply_binary(&cell, true)),
        ("big.ply", ply_binary(&cell, false)),
    ];
    for (name, bytes) in files {
        std::fs::write(folder.path().join(name), bytes).expect("writes");
        let shape: ShapeConfig =
            hematite_config::from_value("case.json", json!({"kind": "mesh", "file": name, "unit": "2 um"}))
                .expect("a shape");
        let read = shape.surface(&folder.path().join("case.json"), 3, 1e-6).expect(name);
        assert_eq!((read.vertices.len(), read.triangles.len()), (42, 80), "{name}");
        assert!((read.volume() / (8e-18 * cell.volume()) - 1.0).abs() < 1e-6, "{name}: {:e}", read.volume());
        assert!((read.area() / (4e-12 * cell.area()) - 1.0).abs() < 1e-6, "{name}");
        assert!((read.radius() / (2e-6 * cell.radius()) - 1.0).abs() < 1e-6, "{name}");
    }
}

#[test]
fn polygons_become_fans() {
    let cube = b"OFF 8 6 12\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n0 0 1\n1 0 1\n1 1 1\n0 1 1\n\
        4 0 3 2 1\n4 4 5 6 7\n4 0 1 5 4\n4 1 2 6 5\n4 2 3 7 6\n4 3 0 4 7\n";
    let cube = crate::check::closed(off::parse(cube).expect("reads")).expect("a cell");
    assert_eq!(cube.triangles.len(), 12);
    assert!((cube.volume() - 1.0).abs() < 1e-12 && (cube.area() - 6.0).abs() < 1e-12);
    assert!((cube.radius() - 0.75_f64.sqrt()).abs() < 1e-12);
}

#[test]
fn broken_files_are_refused_with_what_they_lack() {
    let cell = cell();
    let mut cut = stl_binary(&cell);
    cut.truncate(1000);
    cut[..5].copy_from_slice(b"other");
    let ply = |text: &str| text.as_bytes().to_vec();
    let mut short_ply = ply_binary(&cell, true);
    short_ply.truncate(700);
    let cases = [
        ("a.stl", cut, "it says 80 triangles, which take 4084 bytes, but it has 1000"),
        ("a.stl", b"abc".to_vec(), "too short"),
        (
            "a.stl",
            b"solid a\nfacet\nouter loop\nvertex 0 0\nendloop".to_vec(),
            "line 4: wanted three numbers, got \"0 0\"",
        ),
        ("a.stl", b"solid a\nvertex 0 0 1\nvertex 1 0 0\nendloop".to_vec(), "line 4: a facet of STL has exactly 3"),
        ("a.off", b"".to_vec(), "it is empty"),
        ("a.off", b"OFG\n1 1 1".to_vec(), "an ASCII OFF file begins with \"OFF\""),
        ("a.off", b"OFF\n3 x 0\n".to_vec(), "does not say how many faces"),
        ("a.off", b"OFF\n3 1 0\n0 0 0\n1 0 0\n".to_vec(), "its header says 3 points, but it has 2"),
        (
            "a.off",
            b"OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 3\n".to_vec(),
            "line 6: the face names point 3; the file has points 0 to 2",
        ),
        ("a.off", b"OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1\n".to_vec(), "line 6: wanted a face"),
        ("a.off", b"OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n2 0 1\n".to_vec(), "has 2 corners"),
        ("a.ply", ply("off\n"), "begins with \"ply\""),
        ("a.ply", ply("ply\nformat ascii 1.0\n"), "no \"end_header\""),
        ("a.ply", ply("ply\nelement vertex 0\nend_header\n"), "no line \"format\""),
        (
            "a.ply",
            ply("ply\nformat ascii 1.0\nelement vertex 1\nproperty quad x\nend_header\n"),
            "\"property quad x\", which is not known",
        ),
        (
            "a.ply",
            ply("ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nend_header\n1\n"),
            "no property \"y\"",
        ),
        (
            "a.ply",
            ply("ply\nformat ascii 1.0\nelement face 1\nproperty float x\nend_header\n1\n"),
            "no list \"vertex_indices\"",
        ),
        ("a.ply", short_ply, "cannot be read: the file is cut off"),
    ];
    let folder = tempfile::tempdir().expect("a folder");
    for (name, bytes, piece) in cases {
        let path: PathBuf = folder.path().join(name);
        std::fs::write(&path, bytes).expect("writes");
        let message = mesh(&path).expect_err("refused").message;
        assert!(message.contains(piece) && message.contains(name), "{message}");
    }
}
