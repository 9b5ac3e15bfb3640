//! Marks inside cells against winding numbers.

use hematite_cells::Surface;
use hematite_engine::Precision;
use hematite_membrane::Range;
use physics_cells::Inside;

use crate::sample::{Cloud, Domain, Random, fixed, gpu, run, shared, value};

/// A dented ring or ball of about `radius` lattice units.
fn surface(dimension: usize, radius: f64) -> Surface {
    if dimension == 2 {
        let vertices = (0..40)
            .map(|k| {
                let angle = std::f64::consts::TAU * f64::from(k) / 40.0;
                let r = radius * (1.0 + 0.4 * (2.0 * angle).cos());
                [r * angle.cos(), r * angle.sin(), 0.0]
            })
            .collect();
        return Surface { dimension, vertices, triangles: Vec::new() };
    }
    // An octahedron whose faces are cut into four, twice, and moved outwards.
    let mut vertices =
        vec![[1.0, 0.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, -1.0, 0.0], [0.0, 0.0, 1.0], [0.0, 0.0, -1.0]];
    let mut triangles: Vec<[u32; 3]> =
        vec![[0, 2, 4], [2, 1, 4], [1, 3, 4], [3, 0, 4], [2, 0, 5], [1, 2, 5], [3, 1, 5], [0, 3, 5]];
    for _ in 0..2 {
        let mut middle = std::collections::HashMap::new();
        let mut finer = Vec::new();
        for [a, b, c] in triangles {
            let mut between = |a: u32, b: u32| {
                *middle.entry([a.min(b), a.max(b)]).or_insert_with(|| {
                    let sum = [0, 1, 2].map(|k| vertices[a as usize][k] + vertices[b as usize][k]);
                    let length = sum.iter().map(|x: &f64| x * x).sum::<f64>().sqrt();
                    vertices.push(sum.map(|x| x / length));
                    vertices.len() as u32 - 1
                })
            };
            let (ab, bc, ca) = (between(a, b), between(b, c), between(c, a));
            finer.extend([[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]]);
        }
        triangles = finer;
    }
    let dent = |v: [f64; 3]| v.map(|x| x * radius * (0.6 + 0.5 * (v[0] * v[0] + v[1] * v[1])));
    Surface { dimension, vertices: vertices.into_iter().map(dent).collect(), triangles }
}

/// How often the surface with these vertices winds around `p`, and whether p is too near to say.
fn winding(surface: &Surface, vertices: &[[f64; 3]], p: [f64; 3]) -> (f64, bool) {
    let from = |v: usize| [0, 1, 2].map(|a| vertices[v][a] - p[a]);
    let dot = |a: [f64; 3], b: [f64; 3]| a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    let cross =
        |a: [f64; 3], b: [f64; 3]| [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
    let (mut turns, mut near) = (0.0, false);
    if surface.dimension == 2 {
        for k in 0..vertices.len() {
            let (a, b) = (from(k), from((k + 1) % vertices.len()));
            let side = [0, 1, 2].map(|i| b[i] - a[i]);
            let t = (-dot(a, side) / dot(side, side)).clamp(0.0, 1.0);
            let nearest = [0, 1, 2].map(|i| a[i] + t * side[i]);
            near |= dot(nearest, nearest) < 1e-5;
            turns += cross(a, b)[2].atan2(dot(a, b)) / std::f64::consts::TAU;
        }
        return (turns, near);
    }
    for t in &surface.triangles {
        let [a, b, c] = t.map(|v| from(v as usize));
        let [la, lb, lc] = [a, b, c].map(|v| dot(v, v).sqrt());
        let n = cross([0, 1, 2].map(|i| b[i] - a[i]), [0, 1, 2].map(|i| c[i] - a[i]));
        // Near its plane, within its size.
        near |= (dot(a, n) / dot(n, n).sqrt()).abs() < 3e-3 && la.min(lb).min(lc) < 2.0;
        // van Oosterom and Strackee.
        let solid = 2.0 * dot(a, cross(b, c)).atan2(la * lb * lc + dot(a, b) * lc + dot(b, c) * la + dot(c, a) * lb);
        turns += solid / (2.0 * std::f64::consts::TAU);
    }
    (turns, near)
}

#[test]
fn marks_are_where_membranes_wind_around() {
    let gpu = gpu(Precision::F32);
    for (dimension, periodic) in [(2, [true, true, false]), (2, [false; 3]), (3, [true, false, true]), (3, [false; 3])]
    {
        let extent = if dimension == 2 { [60, 50, 1] } else { [30, 26, 27] };
        let domain = Domain::new(dimension, extent, periodic, |s| (s[0] + 3 * s[1] + s[2]) % 11 != 0);
        let surfaces = [surface(dimension, 4.0), surface(dimension, 2.6)];
        let mut random = Random::new(4);
        let (mut at, mut slot, mut ranges, mut shapes) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for (kind, surface) in surfaces.iter().enumerate() {
            let vertices = surface.vertices.len() as u32;
            ranges.push(Range { first_vertex: at.len() as u32, first_slot: 0, vertices, room: 4, cells: 4 });
            for cell in 0..4_u32 {
                let turn = random.between(0.0, 6.0);
                // Far from the others; the last one round numbers, so that rows meet vertices and edges.
                let k = 4 * kind as u32 + cell;
                let grid = if dimension == 2 { [k % 4, k / 4, 0] } else { [k % 2, k / 2 % 2, k / 4] };
                let step = if dimension == 2 { [15.0, 25.0, 0.0] } else { [15.0, 13.0, 13.5] };
                let round = cell == 3;
                let centre = [0, 1, 2].map(|a| {
                    let x = f64::from(grid[a]) * step[a] + 7.0 + if round { 0.0 } else { random.between(-1.0, 1.0) };
                    if a < dimension {
                        if periodic[a] { x + extent[a] as f64 * (f64::from(k) - 4.0) } else { x }
                    } else {
                        0.0
                    }
                });
                for v in &surface.vertices {
                    let turned = if round {
                        v.map(|x| (2.0 * x).round() / 2.0)
                    } else {
                        [v[0] * turn.cos() - v[1] * turn.sin(), v[0] * turn.sin() + v[1] * turn.cos(), v[2]]
                    };
                    at.push([0, 1, 2].map(|a| fixed(centre[a] + turned[a])));
                    slot.push(k);
                }
                shapes.push(kind);
            }
        }
        let cloud = Cloud::new(&gpu, dimension, Precision::F32, at, slot);
        let (map, _, own) = domain.map(&gpu, 4, |n| n % 5 != 0);
        let marks = shared(&gpu, dimension, Precision::F32, own.len()).inside.expect("made");
        // The second kind has the fluid's viscosity in some of the domains.
        let bits = [Some(1), periodic[0].then_some(0)];
        let kinds: Vec<(&Surface, Option<u32>)> = surfaces.iter().zip(bits).collect();
        let inside = Inside::new(&gpu, &map, &cloud.vertices, &marks, &kinds).expect("fits");
        for _ in 0..2 {
            run(&gpu, |recorder| inside.record(recorder, &ranges));
        }
        let found: Vec<u32> = gpu.download(&marks, 0, own.len()).expect("reads");
        let (mut first, mut cells) = (0, Vec::new());
        for kind in shapes {
            let last = first + surfaces[kind].vertices.len();
            let vertices: Vec<[f64; 3]> = cloud.at[first..last].iter().map(|x| x.map(value)).collect();
            cells.push((kind, vertices));
            first = last;
        }
        let (mut marked, mut unclear) = (0, 0);
        for (&n, &mark) in own.iter().zip(&found) {
            let (mut turns, mut near) = ([0.0; 2], false);
            for (kind, vertices) in &cells {
                let Some(bit) = bits[*kind] else { continue };
                let middle = [0, 1, 2].map(|a| vertices.iter().map(|v| v[a]).sum::<f64>() / vertices.len() as f64);
                let p = [0, 1, 2].map(|a| {
                    let (d, n) = (f64::from(domain.sites[n][a]) - middle[a], extent[a] as f64);
                    middle[a] + if periodic[a] { d - n * (d / n).round() } else { d }
                });
                let (t, too_near) = winding(&surfaces[*kind], vertices, p);
                turns[bit as usize] += t;
                near |= too_near;
            }
            if near {
                unclear += 1;
                continue;
            }
            let wanted = [0, 1].map(|bit: usize| ((turns[bit].round() as i32 & 1) as u32) << bit);
            assert_eq!(mark, wanted[0] | wanted[1], "{:?}: {turns:?}", domain.sites[n]);
            marked += u32::from(mark != 0);
        }
        assert!(marked > 100 && unclear < own.len() / 10, "{marked} marked, {unclear} unclear");
    }
}
