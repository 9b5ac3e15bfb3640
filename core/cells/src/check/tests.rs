use super::*;
use crate::icosphere;

/// A sphere of 42 vertices as a mesh.
fn ball() -> Mesh {
    let ball = icosphere::mesh(42, |p| p);
    Mesh { points: ball.vertices, triangles: ball.triangles }
}

/// Two meshes in one.
fn both(a: Mesh, b: &Mesh) -> Mesh {
    let first = a.points.len() as u32;
    Mesh {
        points: [a.points, b.points.clone()].concat(),
        triangles: a.triangles.into_iter().chain(b.triangles.iter().map(|t| t.map(|v| v + first))).collect(),
    }
}

fn moved(mesh: &Mesh, by: Point) -> Mesh {
    Mesh { points: mesh.points.iter().map(|&p| plus(p, by)).collect(), ..mesh.clone() }
}

fn refusal(mesh: Mesh) -> String {
    closed(mesh).expect_err("refused").message
}

/// A ring of `around` by `across` vertices: a torus, or with `twisted` a Klein bottle.
fn torus(around: u32, across: u32, twisted: bool) -> Mesh {
    use std::f64::consts::TAU;
    let index = |i: u32, j: u32| match (i == around, twisted) {
        (true, true) => (2 * across - j) % across,
        _ => i % around * across + j % across,
    };
    let mut mesh = Mesh::default();
    for i in 0..around {
        for j in 0..across {
            let (a, b) = (TAU * f64::from(i) / f64::from(around), TAU * f64::from(j) / f64::from(across));
            let r = 2.0 + 0.5 * b.cos();
            mesh.points.push([r * a.cos(), r * a.sin(), 0.5 * b.sin()]);
            let corners = [index(i, j), index(i + 1, j), index(i + 1, j + 1), index(i, j + 1)];
            mesh.triangles.push([corners[0], corners[1], corners[2]]);
            mesh.triangles.push([corners[0], corners[2], corners[3]]);
        }
    }
    mesh
}

#[test]
fn a_soup_of_triangles_inside_out_becomes_a_cell() {
    let ball = moved(&ball(), [10.0, -20.0, 5.0]);
    let mut soup = Mesh::default();
    for (k, &[a, b, c]) in ball.triangles.iter().enumerate() {
        let corners = if k % 3 == 0 { [a, b, c] } else { [a, c, b] };
        // Rounded as by single precision in a file.
        soup.points
            .extend(corners.map(|v| ball.points[v as usize].map(|x| f64::from(x as f32) + 1e-7 * k as f64 / 80.0)));
        soup.triangles.push([0, 1, 2].map(|corner| 3 * k as u32 + corner));
    }
    let cell = closed(soup).expect("a cell");
    assert_eq!((cell.vertices.len(), cell.triangles.len(), cell.edges().len()), (42, 80, 120));
    let whole = icosphere::mesh(42, |p| p);
    assert!((cell.volume() - whole.volume()).abs() < 1e-4 * whole.volume());
    assert!(length(cell.clone().centred().vertices[0]) - length(cell.vertices[0]) < 1e-12);
    assert!(cell.vertices.iter().all(|&v| (length(v) - 1.0).abs() < 1e-5));
}

#[test]
fn a_torus_is_a_cell_and_a_klein_bottle_is_not() {
    let cell = closed(torus(24, 12, false)).expect("a cell");
    assert_eq!(cell.vertices.len() + cell.triangles.len(), cell.edges().len());
    assert!(cell.volume() > 0.0);
    let message = refusal(torus(24, 12, true));
    assert!(message.contains("one side only"), "{message}");
}

#[test]
fn points_of_no_triangle_are_dropped() {
    let mut mesh = ball();
    mesh.points.insert(0, [50.0; 3]);
    mesh.triangles.iter_mut().flatten().for_each(|v| *v += 1);
    assert_eq!(closed(mesh).expect("a cell").vertices.len(), 42);
}

#[test]
fn holes_are_refused_with_their_place() {
    let mut mesh = ball();
    mesh.triangles.pop();
    let message = refusal(mesh);
    assert!(message.contains("the mesh is open: 3 edges") && message.contains("close its holes"), "{message}");
}

#[test]
fn inner_walls_are_refused() {
    let mut mesh = ball();
    mesh.triangles.push(mesh.triangles[0]);
    let message = refusal(mesh);
    assert!(message.contains("3 edges have more than two triangles, one with 3"), "{message}");
}

#[test]
fn several_parts_are_refused() {
    let message = refusal(both(ball(), &moved(&ball(), [3.0, 0.0, 0.0])));
    assert!(message.contains("2 separate parts"), "{message}");
}

#[test]
fn pinched_vertices_are_refused() {
    // The vertices nearest to the poles are moved to the centre.
    let mut mesh = ball();
    let height = |p: &Point| p[2];
    let by_height = |a: &usize, b: &usize| height(&mesh.points[*a]).total_cmp(&height(&mesh.points[*b]));
    let poles = [(0..42).max_by(by_height), (0..42).min_by(by_height)];
    poles.into_iter().flatten().for_each(|pole| mesh.points[pole] = [0.0; 3]);
    let message = refusal(mesh);
    assert!(message.contains("touches itself at the vertex at (0.0000, 0.0000, 0.0000)"), "{message}");
}

#[test]
fn degenerate_triangles_are_refused() {
    let mut mesh = ball();
    // A corner is moved onto the middle of the opposite side.
    let [a, b, c] = mesh.triangles[7].map(|v| v as usize);
    mesh.points[a] = times(0.5, plus(mesh.points[b], mesh.points[c]));
    let message = refusal(mesh);
    assert!(message.contains("triangle 7 of the mesh") && message.contains("degenerate"), "{message}");
    let mut mesh = ball();
    let [a, b, _] = mesh.triangles[0].map(|v| v as usize);
    mesh.points[a] = mesh.points[b];
    assert!(refusal(mesh).contains("degenerate"));
}

#[test]
fn flat_and_empty_meshes_are_refused() {
    let mut mesh = ball();
    mesh.points.iter_mut().for_each(|p| p[2] *= 1e-5);
    let message = refusal(mesh);
    assert!(message.contains("it is flat") || message.contains("degenerate"), "{message}");
    let pillow =
        Mesh { points: vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], triangles: vec![[0, 1, 2], [0, 2, 1]] };
    assert!(refusal(pillow).contains("it is flat"));
    assert!(refusal(Mesh::default()).contains("no triangles"));
    let mut mesh = ball();
    mesh.points[3][1] = f64::NAN;
    assert!(refusal(mesh).contains("point 3 of the mesh is not finite"));
}

#[test]
fn crossing_triangles_are_named() {
    let mut mesh = ball();
    // The vertex nearest to +z is moved through the opposite side of the surface.
    let top = (0..42).max_by(|&a, &b| mesh.points[a][2].total_cmp(&mesh.points[b][2])).expect("a top");
    mesh.points[top] = [0.05, 0.03, -1.5];
    let message = refusal(mesh);
    assert!(message.contains("crosses or touches itself: triangles "), "{message}");
}

#[test]
fn a_point_that_touches_the_other_side_is_a_crossing() {
    let ball = ball();
    let [a, b, c] = ball.triangles[0].map(|v| ball.points[v as usize]);
    let foot = times(1.0 / 3.0, plus(a, plus(b, c)));
    let far = (0..42)
        .max_by(|&v, &w| length(minus(ball.points[v], foot)).total_cmp(&length(minus(ball.points[w], foot))))
        .expect("a vertex");
    for (along, crosses) in [(0.98, false), (1.0, true), (1.02, true)] {
        let mut mesh = ball.clone();
        let start = mesh.points[far];
        mesh.points[far] = plus(start, times(along, minus(foot, start)));
        assert_eq!(closed(mesh).is_err(), crosses, "{along}");
    }
}

#[test]
fn too_many_vertices_are_refused() {
    let message = refusal(torus(400, 200, false));
    assert!(message.contains("80000 vertices, a cell has at most 65536"), "{message}");
}

#[test]
fn a_large_mesh_is_checked_in_a_moment() {
    let begin = std::time::Instant::now();
    closed(torus(300, 200, false)).expect("a cell");
    assert!(begin.elapsed().as_secs_f64() < 5.0, "{:?}", begin.elapsed());
}
