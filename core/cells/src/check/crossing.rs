//! Whether a closed mesh crosses or touches itself.

use crate::Surface;
use crate::vector::{Point, cross, dot, length, minus, plus, times};

/// Least distance of triangles that are no neighbours, over the longest side of both.
const NEAR: f64 = 1e-9;

/// Least sine of the angle between two triangles that share an edge.
const SHARPEST: f64 = 1e-4;

/// Two triangles that meet elsewhere than in the vertices they share; `None` without any. Sweeps along x, so that only
/// triangles whose boxes overlap are compared.
pub(super) fn first(surface: &Surface) -> Option<[usize; 2]> {
    let corners = |t: usize| surface.triangles[t].map(|v| surface.vertices[v as usize]);
    let boxes: Vec<[Point; 2]> = (0..surface.triangles.len())
        .map(|t| {
            let [a, b, c] = corners(t);
            [[0, 1, 2].map(|k| a[k].min(b[k]).min(c[k])), [0, 1, 2].map(|k| a[k].max(b[k]).max(c[k]))]
        })
        .collect();
    let mut order: Vec<usize> = (0..boxes.len()).collect();
    order.sort_by(|&s, &t| boxes[s][0][0].total_cmp(&boxes[t][0][0]).then(s.cmp(&t)));
    for (k, &s) in order.iter().enumerate() {
        for &t in order[k + 1..].iter().take_while(|&&t| boxes[t][0][0] <= boxes[s][1][0]) {
            let overlap = (1..3).all(|k| boxes[t][0][k] <= boxes[s][1][k] && boxes[s][0][k] <= boxes[t][1][k]);
            if overlap && meet(surface, s, t) {
                return Some([s.min(t), s.max(t)]);
            }
        }
    }
    None
}

/// Whether two triangles meet elsewhere than in the vertices they share.
fn meet(surface: &Surface, s: usize, t: usize) -> bool {
    let (first, second) = (surface.triangles[s], surface.triangles[t]);
    let at = |v: u32| surface.vertices[v as usize];
    let own = |of: [u32; 3], other: [u32; 3]| of.into_iter().filter(move |v| !other.contains(v));
    let shared: Vec<u32> = first.into_iter().filter(|v| second.contains(v)).collect();
    let near = NEAR * longest(first.map(at)).max(longest(second.map(at)));
    let side = |a: u32, b: u32, triangle: [u32; 3]| touches([at(a), at(b)], triangle.map(at), near);
    match shared[..] {
        [] => {
            let sides = |[a, b, c]: [u32; 3]| [[a, b], [b, c], [c, a]];
            sides(first).iter().any(|&[a, b]| side(a, b, second))
                || sides(second).iter().any(|&[a, b]| side(a, b, first))
        }
        // Triangles that meet beyond the shared vertex also meet in one of the sides opposite to it.
        [_] => [(first, second), (second, first)].iter().any(|&(of, other)| {
            let ends: Vec<u32> = own(of, other).collect();
            side(ends[0], ends[1], other)
        }),
        [a, b] => own(first, second).zip(own(second, first)).any(|(p, q)| folded(at(a), at(b), at(p), at(q))),
        _ => true,
    }
}

fn longest([a, b, c]: [Point; 3]) -> f64 {
    length(minus(b, a)).max(length(minus(c, b))).max(length(minus(a, c)))
}

/// Whether the triangles abp and abq lie on top of one another.
fn folded(a: Point, b: Point, p: Point, q: Point) -> bool {
    let along = minus(b, a);
    let across = |p: Point| {
        let reach = minus(p, a);
        minus(reach, times(dot(reach, along) / dot(along, along), along))
    };
    let (p, q) = (across(p), across(q));
    dot(p, q) > 0.0 && length(cross(p, q)) < SHARPEST * length(p) * length(q)
}

/// Whether a segment pierces a triangle or comes as near as `near` to it.
fn touches(segment: [Point; 2], triangle: [Point; 3], near: f64) -> bool {
    let [a, b, c] = triangle;
    pierces(segment, triangle)
        || segment.iter().any(|&end| from_triangle(end, triangle) <= near)
        || [[a, b], [b, c], [c, a]].iter().any(|&side| between_segments(segment, side) <= near)
}

fn pierces([p, q]: [Point; 2], [a, b, c]: [Point; 3]) -> bool {
    let normal = cross(minus(b, a), minus(c, a));
    let (above, below) = (dot(normal, minus(p, a)), dot(normal, minus(q, a)));
    if above * below >= 0.0 {
        return false;
    }
    let at = plus(p, times(above / (above - below), minus(q, p)));
    inside(at, [a, b, c], normal)
}

/// Whether a point of the triangle's plane is inside the triangle.
fn inside(p: Point, [a, b, c]: [Point; 3], normal: Point) -> bool {
    [[a, b], [b, c], [c, a]].iter().all(|&[a, b]| dot(cross(minus(b, a), minus(p, a)), normal) >= 0.0)
}

/// The distance of a point from a triangle if the foot of the perpendicular is inside. Else the segments' distances
/// from the sides are less.
fn from_triangle(p: Point, [a, b, c]: [Point; 3]) -> f64 {
    let normal = cross(minus(b, a), minus(c, a));
    let height = dot(normal, minus(p, a)) / length(normal);
    if inside(p, [a, b, c], normal) { height.abs() } else { f64::INFINITY }
}

/// The distance between two segments; clamps the parameters of their nearest points one after the other.
fn between_segments([p, p_end]: [Point; 2], [q, q_end]: [Point; 2]) -> f64 {
    let (u, v, w) = (minus(p_end, p), minus(q_end, q), minus(p, q));
    let (uu, uv, vv, uw, vw) = (dot(u, u), dot(u, v), dot(v, v), dot(u, w), dot(v, w));
    let denominator = uu * vv - uv * uv;
    let parallel = denominator <= 1e-14 * uu * vv;
    let s = if parallel { 0.0 } else { ((uv * vw - vv * uw) / denominator).clamp(0.0, 1.0) };
    let t = ((uv * s + vw) / vv).clamp(0.0, 1.0);
    let s = ((uv * t - uw) / uu).clamp(0.0, 1.0);
    length(minus(plus(p, times(s, u)), plus(q, times(t, v))))
}
