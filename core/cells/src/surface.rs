//! The surface of a cell: a closed ring in 2-D, a closed triangle mesh in 3-D.

/// A closed surface about the centroid of what it encloses, in metres unless said otherwise.
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

    /// The same surface, `factor` times as large.
    pub fn scaled(&self, factor: f64) -> Self {
        Self { vertices: self.vertices.iter().map(|v| v.map(|x| factor * x)).collect(), ..self.clone() }
    }

    fn sides(&self) -> impl Iterator<Item = ([f64; 3], [f64; 3])> + '_ {
        let n = self.vertices.len();
        (0..n).map(move |k| (self.vertices[k], self.vertices[(k + 1) % n]))
    }

    fn corners(&self) -> impl Iterator<Item = [[f64; 3]; 3]> + '_ {
        self.triangles.iter().map(|triangle| triangle.map(|v| self.vertices[v as usize]))
    }
}

fn minus(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [0, 1, 2].map(|k| a[k] - b[k])
}

fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

fn length(a: [f64; 3]) -> f64 {
    dot(a, a).sqrt()
}
