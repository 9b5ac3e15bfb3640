//! The surface of a cell: a closed ring in 2-D, a closed triangle mesh in 3-D.

use crate::vector::{cross, dot, length, minus, plus, times};

/// A closed surface about the centroid of its interior, in metres unless said otherwise.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Surface {
    /// 2 or 3.
    pub dimension: usize,
    /// The vertices; z = 0 in 2-D.
    pub vertices: Vec<[f64; 3]>,
    /// 3-D: corners of each triangle, counter-clockwise seen from outside. Empty in 2-D, where vertex k is joined to
    /// k + 1 and the last to the first, counter-clockwise.
    pub triangles: Vec<[u32; 3]>,
}

impl Surface {
    /// Perimeter in 2-D, area in 3-D.
    pub fn area(&self) -> f64 {
        match self.dimension {
            2 => self.sides().map(|(a, b)| length(minus(b, a))).sum(),
            _ => self.corners().map(|[a, b, c]| 0.5 * length(cross(minus(b, a), minus(c, a)))).sum(),
        }
    }

    /// Enclosed area in 2-D, volume in 3-D.
    pub fn volume(&self) -> f64 {
        match self.dimension {
            2 => self.sides().map(|(a, b)| 0.5 * cross(a, b)[2]).sum(),
            _ => self.corners().map(|[a, b, c]| dot(a, cross(b, c)) / 6.0).sum(),
        }
    }

    /// The largest distance of a vertex from the centroid.
    pub fn radius(&self) -> f64 {
        self.vertices.iter().map(|&v| length(v)).fold(0.0, f64::max)
    }

    /// Scales the surface by `factor`.
    pub fn scaled(&self, factor: f64) -> Self {
        Self { vertices: self.vertices.iter().map(|v| v.map(|x| factor * x)).collect(), ..self.clone() }
    }

    /// The edges (2-D: sides) as pairs of vertices, the smaller first, in increasing order.
    pub fn edges(&self) -> Vec<[u32; 2]> {
        let sorted = |a: u32, b: u32| [a.min(b), a.max(b)];
        let mut edges: Vec<_> = match self.dimension {
            2 => {
                let n = self.vertices.len() as u32;
                (0..n).map(|k| sorted(k, (k + 1) % n)).collect()
            }
            _ => self.triangles.iter().flat_map(|&[a, b, c]| [sorted(a, b), sorted(b, c), sorted(c, a)]).collect(),
        };
        edges.sort_unstable();
        edges.dedup();
        edges
    }

    /// The neighbours of each vertex. In 3-D counter-clockwise seen from outside, beginning with the smallest, so that
    /// a vertex and its k-th and (k + 1)-th neighbours form a triangle, as do the vertex and its last and first. In 2-D
    /// the vertex before and the one after. For closed surfaces whose edges have two triangles each.
    pub fn rings(&self) -> Vec<Vec<u32>> {
        let n = self.vertices.len() as u32;
        if self.dimension == 2 {
            return (0..n).map(|k| vec![(k + n - 1) % n, (k + 1) % n]).collect();
        }
        // For each triangle at a vertex the opposite side, from one neighbour to the next.
        let mut opposite = vec![Vec::new(); n as usize];
        for &[a, b, c] in &self.triangles {
            for [v, from, to] in [[a, b, c], [b, c, a], [c, a, b]] {
                opposite[v as usize].push((from, to));
            }
        }
        opposite.iter_mut().map(|sides| chained(sides)).collect()
    }

    /// The surface with its vertices numbered so that those with successive numbers lie in small patches. What kernels do
    /// for neighbouring vertices is then near in memory. A ring is in such an order.
    #[must_use]
    pub fn in_patches(self) -> Self {
        if self.dimension == 2 {
            return self;
        }
        let mut order: Vec<u32> = (0..self.vertices.len() as u32).collect();
        bisect(&self.vertices, &mut order);
        let mut number = vec![0; order.len()];
        for (new, &old) in (0..).zip(&order) {
            number[old as usize] = new;
        }
        let vertices = order.iter().map(|&old| self.vertices[old as usize]).collect();
        let triangles = self.triangles.iter().map(|corners| corners.map(|old| number[old as usize])).collect();
        Self { dimension: self.dimension, vertices, triangles }
    }

    /// Moves the centroid of the interior to the origin.
    #[must_use]
    pub fn centred(mut self) -> Self {
        let centroid = self.centroid();
        for vertex in &mut self.vertices {
            *vertex = minus(*vertex, centroid);
        }
        self
    }

    /// The centroid of the interior, from simplices that share the first vertex.
    fn centroid(&self) -> [f64; 3] {
        let origin = self.vertices.first().copied().unwrap_or_default();
        let part = |weight: f64, corners: &[[f64; 3]]| {
            let sum = corners.iter().fold([0.0; 3], |sum, &p| plus(sum, minus(p, origin)));
            (weight, times(weight / (corners.len() + 1) as f64, sum))
        };
        let add = |(m, p): (f64, [f64; 3]), (n, q): (f64, [f64; 3])| (m + n, plus(p, q));
        let (measure, moment) = match self.dimension {
            2 => self
                .sides()
                .map(|(a, b)| part(cross(minus(a, origin), minus(b, origin))[2], &[a, b]))
                .fold((0.0, [0.0; 3]), add),
            _ => self
                .corners()
                .map(|[a, b, c]| part(dot(minus(a, origin), cross(minus(b, origin), minus(c, origin))), &[a, b, c]))
                .fold((0.0, [0.0; 3]), add),
        };
        if measure == 0.0 { origin } else { plus(origin, times(1.0 / measure, moment)) }
    }

    fn sides(&self) -> impl Iterator<Item = ([f64; 3], [f64; 3])> + '_ {
        let n = self.vertices.len();
        (0..n).map(move |k| (self.vertices[k], self.vertices[(k + 1) % n]))
    }

    fn corners(&self) -> impl Iterator<Item = [[f64; 3]; 3]> + '_ {
        self.triangles.iter().map(|triangle| triangle.map(|v| self.vertices[v as usize]))
    }
}

/// Vertices of a patch, which are worked on together.
const PATCH: usize = 32;

/// Orders vertices by patches: halves them across their longest extent, to whole patches, and each half again.
fn bisect(vertices: &[[f64; 3]], order: &mut [u32]) {
    if order.len() <= PATCH {
        return;
    }
    let extent = |axis: &usize| {
        let along = order.iter().map(|&v| vertices[v as usize][*axis]);
        along.clone().fold(f64::MIN, f64::max) - along.fold(f64::MAX, f64::min)
    };
    let longest = (0..3).max_by(|a, b| extent(a).total_cmp(&extent(b))).unwrap_or(0);
    order.sort_unstable_by(|&a, &b| {
        let along = |v: u32| vertices[v as usize][longest];
        along(a).total_cmp(&along(b)).then(a.cmp(&b))
    });
    let half = (order.len() / 2).next_multiple_of(PATCH);
    let (low, high) = order.split_at_mut(half);
    bisect(vertices, low);
    bisect(vertices, high);
}

/// The neighbours of a vertex in order, from the sides opposite the vertex.
fn chained(sides: &mut [(u32, u32)]) -> Vec<u32> {
    sides.sort_unstable();
    let Some(&(first, _)) = sides.first() else { return Vec::new() };
    let mut ring = vec![first];
    let mut last = first;
    while let Ok(next) = sides.binary_search_by_key(&last, |side| side.0) {
        last = sides[next].1;
        if last == first || ring.len() == sides.len() {
            break;
        }
        ring.push(last);
    }
    ring
}
