//! Where a plane cuts a closed surface of triangles.

use std::collections::BTreeMap;

/// The closed loops in which the plane where axis `axis` is `at` cuts a closed surface of vertices and triangles, in the unit
/// of the vertices. Each loop is a polygon whose last point is joined to its first.
///
/// Vertices on the plane count as above it, so that every cut triangle has exactly two cut edges and every cut edge of a
/// closed surface two cut triangles: the cuts form rings.
pub fn section(vertices: &[[f64; 3]], triangles: &[[u32; 3]], axis: usize, at: f64) -> Vec<Vec<[f64; 3]>> {
    let above = |v: u32| vertices[v as usize][axis] >= at;
    // The cut edges next to each cut edge.
    let mut next = BTreeMap::<[u32; 2], Vec<[u32; 2]>>::new();
    for &[a, b, c] in triangles {
        let cut: Vec<[u32; 2]> = [[a, b], [b, c], [c, a]]
            .into_iter()
            .filter(|&[i, j]| above(i) != above(j))
            .map(|[i, j]| [i.min(j), i.max(j)])
            .collect();
        if let [one, other] = cut[..] {
            next.entry(one).or_default().push(other);
            next.entry(other).or_default().push(one);
        }
    }
    let mut loops = Vec::new();
    while let Some((&start, _)) = next.iter().next() {
        let (mut points, mut edge) = (Vec::new(), Some(start));
        while let Some(here) = edge {
            points.push(cut(here.map(|v| vertices[v as usize]), axis, at));
            let around = next.remove(&here).unwrap_or_default();
            edge = around.into_iter().find(|edge| next.contains_key(edge));
        }
        loops.push(points);
    }
    loops
}

/// The point of an edge on the plane.
fn cut([p, q]: [[f64; 3]; 2], axis: usize, at: f64) -> [f64; 3] {
    let t = ((at - p[axis]) / (q[axis] - p[axis])).clamp(0.0, 1.0);
    std::array::from_fn(|a| if a == axis { at } else { p[a] + t * (q[a] - p[a]) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Surface;
    use crate::icosphere::mesh;

    fn area(points: &[[f64; 3]], [a, b]: [usize; 2]) -> f64 {
        let n = points.len();
        let twice: f64 = (0..n).map(|i| (points[i], points[(i + 1) % n])).map(|(p, q)| p[a] * q[b] - p[b] * q[a]).sum();
        0.5 * twice.abs()
    }

    #[test]
    fn a_ball_is_cut_in_discs() {
        let Surface { vertices: unit, triangles, .. } = mesh(2562, |p| p);
        let body: Vec<[f64; 3]> = unit.iter().map(|v| [5.0 + 2.0 * v[0], 2.0 * v[1], 2.0 * v[2]]).collect();
        // The middle plane runs through vertices.
        for (axis, at, height) in [(0, 5.0, 0.0), (1, 0.7, 0.7), (2, -1.9, 1.9f64)] {
            let loops = section(&body, &triangles, axis, at);
            assert_eq!(loops.len(), 1, "{axis}");
            let wanted = std::f64::consts::PI * (4.0 - height * height);
            let axes = [[1, 2], [0, 2], [0, 1]][axis];
            assert!((area(&loops[0], axes) - wanted).abs() < 0.03, "{axis}: {}", area(&loops[0], axes));
            assert!(loops[0].iter().all(|p| (p[axis] - at).abs() < 1e-12));
        }
        assert!(section(&body, &triangles, 0, 7.5).is_empty());
        assert!(section(&[[0.0; 3], [1.0; 3]], &[], 0, 0.5).is_empty());
    }

    #[test]
    fn a_dumbbell_is_cut_in_two() {
        // Pinched at z = 0: the plane y = 0.5 passes both ends and misses the middle.
        let Surface { vertices: unit, triangles, .. } = mesh(2562, |p| p);
        let body: Vec<[f64; 3]> = unit
            .iter()
            .map(|v| (v, 0.2 + v[2] * v[2] * 2.0))
            .map(|(v, width)| [v[0] * width, v[1] * width, 4.0 * v[2]])
            .collect();
        let loops = section(&body, &triangles, 1, 0.5);
        assert_eq!(loops.len(), 2);
        let lowest = |points: &[[f64; 3]]| points.iter().map(|p| p[2]).fold(f64::INFINITY, f64::min).signum();
        assert!(lowest(&loops[0]) != lowest(&loops[1]));
    }
}
