//! Meshes of known shapes, and files of them.

use std::f64::consts::PI;
use std::fmt::Write;

pub type Vector = [f64; 3];

/// Triangles over points, counter-clockwise from outside.
#[derive(Clone, Debug, Default)]
pub struct Mesh {
    pub points: Vec<Vector>,
    pub triangles: Vec<[usize; 3]>,
}

pub fn minus(a: Vector, b: Vector) -> Vector {
    [0, 1, 2].map(|k| a[k] - b[k])
}

pub fn dot(a: Vector, b: Vector) -> f64 {
    (0..3).map(|k| a[k] * b[k]).sum()
}

pub fn length(a: Vector) -> f64 {
    dot(a, a).sqrt()
}

impl Mesh {
    /// A grid of `n` by `m` points that wraps along the first direction, and along the second where `closed` says so.
    fn grid(n: usize, m: usize, closed: bool, place: impl Fn(f64, f64) -> Vector) -> Self {
        let mut mesh = Self::default();
        let rows = if closed { m } else { m + 1 };
        for j in 0..rows {
            mesh.points.extend((0..n).map(|i| place(i as f64 / n as f64, j as f64 / m as f64)));
        }
        let at = |i: usize, j: usize| (j % rows) * n + i % n;
        for (i, j) in (0..m).flat_map(|j| (0..n).map(move |i| (i, j))) {
            mesh.triangles.push([at(i, j), at(i + 1, j), at(i + 1, j + 1)]);
            mesh.triangles.push([at(i, j), at(i + 1, j + 1), at(i, j + 1)]);
        }
        mesh
    }

    /// A ball: the first and last rows are poles.
    pub fn sphere(radius: f64, centre: Vector, n: usize) -> Self {
        Self::grid(2 * n, n, false, |u, v| {
            let ((sin, cos), (south, west)) = ((2.0 * PI * u).sin_cos(), (PI * v).sin_cos());
            let south = if v == 0.0 || v == 1.0 { 0.0 } else { south };
            [centre[0] + radius * south * cos, centre[1] + radius * south * sin, centre[2] - radius * west]
        })
    }

    /// A ring in the plane of x and y.
    pub fn torus(radius: f64, tube: f64, n: usize) -> Self {
        Self::grid(n, 4 * n, true, |u, v| {
            let ((sin, cos), (high, out)) = ((2.0 * PI * v).sin_cos(), (2.0 * PI * u).sin_cos());
            [(radius + tube * out) * cos, (radius + tube * out) * sin, -tube * high]
        })
    }

    /// The part of a torus that goes by `angle` about z, with open ends.
    pub fn bend(radius: f64, tube: f64, angle: f64, n: usize) -> Self {
        Self::grid(n, 2 * n, false, |u, v| {
            let ((sin, cos), (high, out)) = ((angle * v).sin_cos(), (2.0 * PI * u).sin_cos());
            [(radius + tube * out) * cos, (radius + tube * out) * sin, -tube * high]
        })
    }

    /// A straight tube with open ends from `from` along the unit vector `along`.
    pub fn tube(radius: f64, from: Vector, along: Vector, length: f64, n: usize, m: usize) -> Self {
        let aside = if along[0].abs() < 0.7 { [1.0, 0.0, 0.0] } else { [0.0, 1.0, 0.0] };
        let a = minus(aside, along.map(|x| dot(aside, along) * x));
        let a = a.map(|x| x / dot(a, a).sqrt());
        let b =
            [along[1] * a[2] - along[2] * a[1], along[2] * a[0] - along[0] * a[2], along[0] * a[1] - along[1] * a[0]];
        Self::grid(n, m, false, |u, v| {
            let (sin, cos) = (2.0 * PI * u).sin_cos();
            [0, 1, 2].map(|k| from[k] + length * v * along[k] + radius * (cos * a[k] + sin * b[k]))
        })
    }

    /// With both open ends of a grid of `n` points around closed by flat fans.
    pub fn capped(mut self, n: usize) -> Self {
        let last = self.points.len() - n;
        for (first, forward) in [(0, false), (last, true)] {
            let centre = self.points.len();
            let mean = |k: usize| (0..n).map(|i| self.points[first + i][k]).sum::<f64>() / n as f64;
            self.points.push([0, 1, 2].map(mean));
            for i in 0..n {
                let (a, b) = (first + i, first + (i + 1) % n);
                self.triangles.push(if forward { [a, b, centre] } else { [b, a, centre] });
            }
        }
        self
    }

    /// A surface around the z axis through points of a radius and a height, with open ends.
    pub fn lathe(profile: &[[f64; 2]], n: usize) -> Self {
        let m = profile.len() - 1;
        Self::grid(n, m, false, |u, v| {
            let ((sin, cos), [radius, height]) = ((2.0 * PI * u).sin_cos(), profile[(v * m as f64).round() as usize]);
            [radius * cos, radius * sin, height]
        })
    }

    pub fn cuboid(low: Vector, high: Vector) -> Self {
        let points = (0..8).map(|i| [0, 1, 2].map(|k: usize| if i >> k & 1 == 1 { high[k] } else { low[k] })).collect();
        let faces = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
        let triangles = faces.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
        Self { points, triangles }
    }

    pub fn with(mut self, other: Self) -> Self {
        let first = self.points.len();
        self.points.extend(other.points);
        self.triangles.extend(other.triangles.into_iter().map(|corners| corners.map(|k| k + first)));
        self
    }

    pub fn turned(mut self) -> Self {
        self.triangles.iter_mut().for_each(|corners| corners.swap(0, 1));
        self
    }

    pub fn moved(mut self, by: Vector) -> Self {
        self.points.iter_mut().for_each(|point| *point = [0, 1, 2].map(|k| point[k] + by[k]));
        self
    }

    pub fn scaled(mut self, by: f64) -> Self {
        self.points.iter_mut().flatten().for_each(|x| *x *= by);
        self
    }

    pub fn without(mut self, goes: impl Fn(usize) -> bool) -> Self {
        let mut t = 0;
        self.triangles.retain(|_| {
            t += 1;
            !goes(t - 1)
        });
        self
    }

    fn corners(&self) -> impl Iterator<Item = [Vector; 3]> + '_ {
        self.triangles.iter().map(|corners| corners.map(|k| self.points[k]))
    }

    pub fn binary_stl(&self) -> Vec<u8> {
        let mut bytes = b"solid in the header of a binary file".to_vec();
        bytes.resize(80, b' ');
        bytes.extend((self.triangles.len() as u32).to_le_bytes());
        for corners in self.corners() {
            bytes.extend([0; 12]);
            bytes.extend(corners.iter().flatten().flat_map(|&x| (x as f32).to_le_bytes()));
            bytes.extend([0; 2]);
        }
        bytes
    }

    pub fn text_stl(&self) -> Vec<u8> {
        let mut text = "solid vessel\n".to_owned();
        for corners in self.corners() {
            text += "facet normal 0 0 0\n outer loop\n";
            corners.iter().for_each(|[x, y, z]| writeln!(text, "  vertex {x:e} {y:e} {z:e}").expect("writes"));
            text += " endloop\nendfacet\n";
        }
        (text + "endsolid vessel\n").into()
    }

    fn ply_header(&self, format: &str) -> String {
        format!(
            "ply\nformat {format} 1.0\ncomment made by hand\nelement vertex {}\nproperty double x\nproperty double y\nproperty \
             double z\nelement face {}\nproperty list uchar int vertex_indices\nend_header\n",
            self.points.len(),
            self.triangles.len()
        )
    }

    pub fn text_ply(&self) -> Vec<u8> {
        let mut text = self.ply_header("ascii");
        self.points.iter().for_each(|[x, y, z]| writeln!(text, "{x} {y} {z}").expect("writes"));
        self.triangles.iter().for_each(|[a, b, c]| writeln!(text, "3 {a} {b} {c}").expect("writes"));
        text.into()
    }

    pub fn binary_ply(&self, little: bool) -> Vec<u8> {
        let mut bytes = self.ply_header(if little { "binary_little_endian" } else { "binary_big_endian" }).into_bytes();
        let number = |x: &f64| if little { x.to_le_bytes() } else { x.to_be_bytes() };
        bytes.extend(self.points.iter().flatten().flat_map(number));
        for corners in &self.triangles {
            bytes.push(3);
            let corner = |&k: &usize| if little { (k as i32).to_le_bytes() } else { (k as i32).to_be_bytes() };
            bytes.extend(corners.iter().flat_map(corner));
        }
        bytes
    }

    pub fn obj(&self) -> Vec<u8> {
        let mut text = "# a vessel\no vessel\n".to_owned();
        self.points.iter().for_each(|[x, y, z]| writeln!(text, "v {x} {y} {z}").expect("writes"));
        self.triangles.iter().for_each(|[a, b, c]| writeln!(text, "f {} {} {}", a + 1, b + 1, c + 1).expect("writes"));
        text.into()
    }
}
