//! Synthetic cells for tests.

use hematite_dump::{CellFrame, CellKind};

/// Vertices of a cell, and its triangles.
pub type Mesh = (Vec<[f64; 3]>, Vec<[u32; 3]>);

/// An ellipse with semi-axes `size` about `centre`, its first axis turned by `angle`.
pub fn ring(centre: [f64; 2], size: [f64; 2], angle: f64, vertices: usize) -> Vec<[f64; 3]> {
    let (sin, cos) = angle.sin_cos();
    (0..vertices)
        .map(|k| {
            let t = std::f64::consts::TAU * k as f64 / vertices as f64;
            let (a, b) = (size[0] * t.cos(), size[1] * t.sin());
            [centre[0] + cos * a - sin * b, centre[1] + sin * a + cos * b, 0.0]
        })
        .collect()
}

/// A sphere of radius 1 about 0: an octahedron whose triangles are divided by four `times` times.
pub fn sphere(times: usize) -> Mesh {
    let mut vertices: Vec<[f64; 3]> =
        vec![[1.0, 0.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, -1.0, 0.0], [0.0, 0.0, 1.0], [0.0, 0.0, -1.0]];
    let mut triangles: Vec<[u32; 3]> =
        vec![[0, 2, 4], [2, 1, 4], [1, 3, 4], [3, 0, 4], [2, 0, 5], [1, 2, 5], [3, 1, 5], [0, 3, 5]];
    for _ in 0..times {
        let mut middles = std::collections::BTreeMap::new();
        let mut finer = Vec::new();
        for &[a, b, c] in &triangles {
            let mut middle = |i: u32, j: u32| {
                *middles.entry((i.min(j), i.max(j))).or_insert_with(|| {
                    let (p, q) = (vertices[i as usize], vertices[j as usize]);
                    let sum: [f64; 3] = std::array::from_fn(|k| p[k] + q[k]);
                    let length = sum.iter().map(|v| v * v).sum::<f64>().sqrt();
                    vertices.push(sum.map(|v| v / length));
                    vertices.len() as u32 - 1
                })
            };
            let (ab, bc, ca) = (middle(a, b), middle(b, c), middle(c, a));
            finer.extend([[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]]);
        }
        triangles = finer;
    }
    (vertices, triangles)
}

/// A population: its name, its triangles and the vertices of each cell.
pub type Members<'a> = (&'a str, &'a [[u32; 3]], Vec<Vec<[f64; 3]>>);

/// A frame of cells at rest.
pub fn frame(populations: &[Members]) -> (Vec<CellKind>, CellFrame) {
    let (mut kinds, mut frame) = (Vec::new(), CellFrame::default());
    for (number, (name, triangles, cells)) in populations.iter().enumerate() {
        let vertices = cells.first().map_or(0, Vec::len);
        kinds.push(CellKind { name: (*name).to_owned(), vertices, triangles: triangles.to_vec() });
        for cell in cells {
            frame.id.push(frame.id.len() as u64);
            frame.kind.push(number as u32);
            frame.image.push([0; 3]);
            frame.position.extend(cell);
            frame.velocity.extend(vec![[0.0; 3]; vertices]);
            frame.force.extend(vec![[0.0; 3]; vertices]);
        }
    }
    (kinds, frame)
}
