//! Triangle meshes, and the sums and products of vectors that they take.

/// A place or a direction.
pub type Vector = [f64; 3];

/// Triangles over shared points.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mesh {
    /// The points.
    pub points: Vec<Vector>,
    /// Three points each, counter-clockwise from outside where the mesh is oriented.
    pub triangles: Vec<[u32; 3]>,
}

impl Mesh {
    /// The corners of triangle `t`.
    pub fn corners(&self, t: usize) -> [Vector; 3] {
        self.triangles[t].map(|k| self.points[k as usize])
    }

    /// Half the cross product of two sides of triangle `t`: as long as its area, out of its front.
    pub fn area_vector(&self, t: usize) -> Vector {
        let [a, b, c] = self.corners(t);
        cross(minus(b, a), minus(c, a)).map(|x| 0.5 * x)
    }

    /// Unit normal of triangle `t`; zero where it has no area.
    pub fn normal(&self, t: usize) -> Vector {
        unit(self.area_vector(t)).unwrap_or([0.0; 3])
    }

    /// Lowest and highest coordinates of the points that triangles use; none without triangles.
    pub fn extents(&self) -> Option<[Vector; 2]> {
        let used = self.triangles.iter().flatten().map(|&k| self.points[k as usize]);
        used.fold(None, |found: Option<[Vector; 2]>, point| {
            let [low, high] = found.unwrap_or([point; 2]);
            Some([[0, 1, 2].map(|a| low[a].min(point[a])), [0, 1, 2].map(|a| high[a].max(point[a]))])
        })
    }

    /// Sum of the areas of some triangles.
    pub fn area(&self, triangles: impl IntoIterator<Item = usize>) -> f64 {
        triangles.into_iter().map(|t| length(self.area_vector(t))).sum()
    }

    /// Volume that some triangles enclose, positive where their fronts look outwards; `from` is a place nearby.
    pub fn volume(&self, triangles: impl IntoIterator<Item = usize>, from: Vector) -> f64 {
        let of = |t: usize| {
            let [a, b, c] = self.corners(t).map(|corner| minus(corner, from));
            dot(a, cross(b, c)) / 6.0
        };
        triangles.into_iter().map(of).sum()
    }

    /// Turns triangle `t` round.
    pub fn flip(&mut self, t: usize) {
        self.triangles[t].swap(1, 2);
    }
}

pub fn minus(a: Vector, b: Vector) -> Vector {
    [0, 1, 2].map(|axis| a[axis] - b[axis])
}

pub fn plus(a: Vector, b: Vector) -> Vector {
    [0, 1, 2].map(|axis| a[axis] + b[axis])
}

pub fn times(factor: f64, a: Vector) -> Vector {
    a.map(|x| factor * x)
}

pub fn dot(a: Vector, b: Vector) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

pub fn cross(a: Vector, b: Vector) -> Vector {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// Without overflow or underflow, whatever the unit.
pub fn length(a: Vector) -> f64 {
    a[0].hypot(a[1]).hypot(a[2])
}

/// `a` at unit length; none where it has no direction.
pub fn unit(a: Vector) -> Option<Vector> {
    let length = length(a);
    (length > 0.0 && length.is_finite()).then(|| a.map(|x| x / length))
}
