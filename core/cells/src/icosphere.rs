//! Even triangle meshes on images of the sphere: an icosahedron whose triangles are repeatedly split into four.

use std::collections::HashMap;

use crate::Surface;
use crate::vector::{Point, cross, dot, length, minus, plus, times};

/// Numbers of vertices of the icosahedron after `n` divisions: `10 * 4^n + 2`, n from 1.
pub(crate) const COUNTS: [usize; 5] = [42, 162, 642, 2562, 10242];

/// Relaxation rounds after each division; more change little.
const ROUNDS: usize = 100;

/// Rest length, over the mean length of edges, of the springs that make a mesh even. At 1 they would push as much as
/// they pull, and could fold triangles.
const REST: f64 = 0.9;

/// How far a vertex follows its springs in one round.
const STEP: f64 = 0.1;

/// A mesh of `count` vertices (one of [`COUNTS`]) on the image of the unit sphere under `map`, about its centroid.
/// Springs make it even after each division: long-wave unevenness is gone before there are many vertices.
pub(crate) fn mesh(count: usize, map: impl Fn(Point) -> Point) -> Surface {
    let mut sphere = icosahedron();
    while sphere.vertices.len() < count {
        sphere = evened(divided(&sphere), &map);
    }
    Surface { vertices: sphere.vertices.iter().map(|&p| map(p)).collect(), ..sphere }.centred()
}

/// Moves vertices on the sphere by springs along the edges of the image, which pull the ends of long edges together and
/// push the ends of short edges apart.
fn evened(mut sphere: Surface, map: impl Fn(Point) -> Point) -> Surface {
    let (edges, rings) = (sphere.edges(), sphere.rings());
    for _ in 0..ROUNDS {
        let image: Vec<Point> = sphere.vertices.iter().map(|&p| map(p)).collect();
        let edge = |a: u32, b: u32| length(minus(image[b as usize], image[a as usize]));
        let rest = REST * edges.iter().map(|&[a, b]| edge(a, b)).sum::<f64>() / edges.len() as f64;
        let moved = sphere.vertices.iter().zip(&rings).enumerate().map(|(v, (&p, ring))| {
            let pull = ring.iter().fold([0.0; 3], |pull, &n| {
                plus(pull, times(1.0 - rest / edge(v as u32, n), minus(sphere.vertices[n as usize], p)))
            });
            unit(plus(p, times(STEP, pull)))
        });
        sphere.vertices = moved.collect();
    }
    sphere
}

/// The icosahedron in the unit sphere, two of its edges' midpoints on each axis.
fn icosahedron() -> Surface {
    let golden = 0.5 * (1.0 + 5_f64.sqrt());
    let mut vertices = Vec::with_capacity(12);
    for axis in 0..3 {
        for (short, long) in [(1.0, golden), (-1.0, golden), (1.0, -golden), (-1.0, -golden)] {
            let mut vertex = [0.0; 3];
            vertex[axis] = short;
            vertex[(axis + 1) % 3] = long;
            vertices.push(unit(vertex));
        }
    }
    let edge = 1.1;
    let near = |a: usize, b: usize| length(minus(vertices[a], vertices[b])) < edge;
    let mut triangles = Vec::with_capacity(20);
    for a in 0..12 {
        for b in a + 1..12 {
            for c in b + 1..12 {
                if near(a, b) && near(b, c) && near(c, a) {
                    triangles.push(outward([a, b, c], &vertices));
                }
            }
        }
    }
    Surface { dimension: 3, vertices, triangles }
}

/// A triangle's corners, counter-clockwise seen from outside a sphere about the origin.
fn outward([a, b, c]: [usize; 3], vertices: &[Point]) -> [u32; 3] {
    let turn = dot(vertices[a], cross(vertices[b], vertices[c]));
    if turn > 0.0 { [a as u32, b as u32, c as u32] } else { [a as u32, c as u32, b as u32] }
}

/// The sphere with each triangle split into four by the midpoints of its edges, which are moved onto the unit sphere.
fn divided(sphere: &Surface) -> Surface {
    let mut vertices = sphere.vertices.clone();
    let mut midpoints = HashMap::new();
    let mut midpoint = |a: u32, b: u32| {
        *midpoints.entry((a.min(b), a.max(b))).or_insert_with(|| {
            vertices.push(unit(plus(vertices[a as usize], vertices[b as usize])));
            vertices.len() as u32 - 1
        })
    };
    let mut triangles = Vec::with_capacity(4 * sphere.triangles.len());
    for &[a, b, c] in &sphere.triangles {
        let [ab, bc, ca] = [midpoint(a, b), midpoint(b, c), midpoint(c, a)];
        triangles.extend([[a, ab, ca], [b, bc, ab], [c, ca, bc], [ab, bc, ca]]);
    }
    Surface { dimension: 3, vertices, triangles }
}

fn unit(a: Point) -> Point {
    times(1.0 / length(a), a)
}
