//! The shape of one cell: size, centroid, and the ellipsoid with the same second moments.

use hematite_cells::roughness;
use hematite_cells::vector::{cross, dot, length, minus};
use nalgebra::{Matrix3, SymmetricEigen};
use rayon::prelude::*;

use super::Cell;
use crate::suspension::Member;

/// The shape of the body that a closed surface encloses, in SI. In 2-D the body is flat and volumes are areas.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shape {
    /// 2 or 3.
    pub dimension: usize,
    /// Area of the surface, m2; in 2-D the perimeter, m.
    pub area: f64,
    /// Enclosed volume, m3; in 2-D the enclosed area, m2.
    pub volume: f64,
    /// Centroid of the body, m.
    pub centroid: [f64; 3],
    /// Central second moments of the body over its volume, `<x_i x_j>`, m2.
    pub moments: [[f64; 3]; 3],
    /// Semi-axes of the ellipsoid with the same moments, descending, m; the last is 0 in 2-D.
    pub semi_axes: [f64; 3],
    /// Directions of the semi-axes, unit vectors.
    pub axes: [[f64; 3]; 3],
    /// Sides of the bounding box along x, y, z, m.
    pub extent: [f64; 3],
    /// Rate of change of the body's first moment, `d/dt int x dV`, about its centroid, m4/s: volume times velocity.
    pub flux: [f64; 3],
    /// Roughness of the surface on the scale of its edges ([`hematite_cells::roughness`]): above 0.75 they zigzag.
    pub roughness: f64,
}

impl Shape {
    /// The shapes of all these cells.
    pub fn of_all(cells: &[Cell]) -> Vec<Self> {
        cells.par_iter().map(Self::of).collect()
    }

    /// The shape of a cell. Moments are exact for the polyhedron (2-D: polygon): sums over tetrahedra (triangles) from
    /// the centroid to each face. The flux is `oint x (u . n) dA` with velocities linear between vertices, which for a
    /// body of constant volume is its volume times the velocity of its centroid.
    pub fn of(cell: &Cell) -> Self {
        let (low, high) = cell.bounds();
        let middle: [f64; 3] = std::array::from_fn(|a| 0.5 * (low[a] + high[a]));
        let about = |c: [f64; 3]| -> Vec<[f64; 3]> {
            cell.position.iter().map(|p| std::array::from_fn(|a| p[a] - c[a])).collect()
        };
        // Coordinates relative to the middle of the cell: no digits cancel in domains far larger than the cell.
        let dimension = if cell.triangles.is_empty() { 2 } else { 3 };
        let faces = faces(cell, &about(middle), dimension);
        let volume: f64 = faces.iter().map(|f| f.volume).sum();
        let corners = (dimension + 1) as f64;
        let shift: [f64; 3] = std::array::from_fn(|a| {
            faces.iter().map(|f| f.volume * f.corners().map(|p| p[a]).sum::<f64>()).sum::<f64>() / corners / volume
        });
        let centroid = std::array::from_fn(|a| middle[a] + shift[a]);
        let local = about(centroid);
        let faces = self::faces(cell, &local, dimension);
        let volume: f64 = faces.iter().map(|f| f.volume).sum();
        let moments = second_moments(&faces, dimension, volume);
        let (semi_axes, axes) = ellipsoid(moments, dimension);
        Self {
            dimension,
            area: faces.iter().map(|f| length(f.normal)).sum(),
            volume: volume.abs(),
            centroid,
            moments,
            semi_axes,
            axes,
            extent: std::array::from_fn(|a| high[a] - low[a]),
            flux: flux(&faces, cell.velocity, dimension, volume.signum()),
            roughness: roughness(&local, &cell.edges()),
        }
    }

    /// Velocity of the centroid, m/s.
    pub fn velocity(&self) -> [f64; 3] {
        self.flux.map(|f| f / self.volume)
    }

    /// Taylor's deformation parameter `(L - B) / (L + B)`: L and B are the longest and the shortest axis of the
    /// ellipsoid with the same second moments.
    pub fn taylor(&self) -> f64 {
        let (long, short) = (self.semi_axes[0], self.semi_axes[self.dimension - 1]);
        (long - short) / (long + short)
    }

    /// Angle in radians from axis `plane[0]` towards `plane[1]` of the body's long axis in that plane (by the second
    /// moments along the two axes), in (-pi/2, pi/2].
    pub fn inclination(&self, plane: [usize; 2]) -> f64 {
        let [a, b] = plane;
        0.5 * (2.0 * self.moments[a][b]).atan2(self.moments[a][a] - self.moments[b][b])
    }

    /// How far the body is from round in a plane: the difference of its principal second moments there over their sum.
    pub fn anisotropy(&self, plane: [usize; 2]) -> f64 {
        let [a, b] = plane;
        let m = &self.moments;
        (m[a][a] - m[b][b]).hypot(2.0 * m[a][b]) / (m[a][a] + m[b][b])
    }

    /// `4 pi A / P^2` in 2-D, `6 sqrt(pi) V / A^(3/2)` in 3-D: 1 for a circle and a sphere.
    pub fn reduced_volume(&self) -> f64 {
        use std::f64::consts::PI;
        match self.dimension {
            2 => 4.0 * PI * self.volume / self.area.powi(2),
            _ => 6.0 * PI.sqrt() * self.volume / self.area.powf(1.5),
        }
    }
}

/// A face, its normal times its area, and the simplex from the origin to the face.
struct Face {
    vertex: [usize; 3],
    corner: [[f64; 3]; 3],
    /// Number of corners: 2 or 3.
    number: usize,
    /// Signed volume of the simplex.
    volume: f64,
    normal: [f64; 3],
}

impl Face {
    fn corners(&self) -> impl Iterator<Item = [f64; 3]> + '_ {
        self.corner[..self.number].iter().copied()
    }
}

fn faces(cell: &Cell, local: &[[f64; 3]], dimension: usize) -> Vec<Face> {
    if dimension == 2 {
        let face = |[i, j]: [usize; 2]| {
            let (a, b) = (local[i], local[j]);
            let volume = 0.5 * (a[0] * b[1] - a[1] * b[0]);
            let normal = [b[1] - a[1], a[0] - b[0], 0.0];
            Face { vertex: [i, j, j], corner: [a, b, [0.0; 3]], number: 2, volume, normal }
        };
        return cell.sides().map(face).collect();
    }
    let face = |triangle: &[u32; 3]| {
        let vertex = triangle.map(|v| v as usize);
        let corner = vertex.map(|v| local[v]);
        let [a, b, c] = corner;
        let normal = cross(minus(b, a), minus(c, a)).map(|n| 0.5 * n);
        let volume = dot(a, cross(b, c)) / 6.0;
        Face { vertex, corner, number: 3, volume, normal }
    };
    cell.triangles.iter().map(face).collect()
}

/// Over a simplex of volume V with one corner at the origin and the others at v_k in d dimensions,
/// `int x_i x_j dV = V / ((d + 1) (d + 2)) (sum_k v_ki v_kj + s_i s_j)` with `s = sum_k v_k`.
fn second_moments(faces: &[Face], dimension: usize, volume: f64) -> [[f64; 3]; 3] {
    let divisor = ((dimension + 1) * (dimension + 2)) as f64 * volume;
    let mut moments = [[0.0; 3]; 3];
    for face in faces {
        let sum: [f64; 3] = std::array::from_fn(|a| face.corners().map(|p| p[a]).sum());
        for (i, row) in moments.iter_mut().enumerate() {
            for (j, entry) in row.iter_mut().enumerate() {
                let squares: f64 = face.corners().map(|p| p[i] * p[j]).sum();
                *entry += face.volume * (squares + sum[i] * sum[j]) / divisor;
            }
        }
    }
    moments
}

/// Semi-axes a and directions of the ellipsoid with these moments, a^2 / 5 each; of an ellipse, a^2 / 4.
fn ellipsoid(moments: [[f64; 3]; 3], dimension: usize) -> ([f64; 3], [[f64; 3]; 3]) {
    let matrix = Matrix3::from_fn(|i, j| moments[i][j]);
    let eigen = SymmetricEigen::new(matrix);
    let mut order = [0, 1, 2];
    order.sort_by(|&i, &j| eigen.eigenvalues[j].total_cmp(&eigen.eigenvalues[i]));
    let factor = (dimension + 2) as f64;
    let semi_axes = order.map(|i| (factor * eigen.eigenvalues[i].max(0.0)).sqrt());
    let axes = order.map(|i| std::array::from_fn(|a| eigen.eigenvectors[(a, i)]));
    (semi_axes, axes)
}

/// `oint x_i (u . n) dA`: over a simplex face with linear x and u,
/// `1 / (d (d + 1)) sum_kl x_ki (u_l . N) (1 + delta_kl)`, N its normal times its area.
fn flux(faces: &[Face], velocity: &[[f32; 3]], dimension: usize, sign: f64) -> [f64; 3] {
    let divisor = (dimension * (dimension + 1)) as f64;
    let mut total = [0.0; 3];
    for face in faces {
        let through: [f64; 3] = face.vertex.map(|v| dot(velocity[v].map(f64::from), face.normal));
        let all: f64 = through[..face.number].iter().sum();
        for (corner, own) in face.corners().zip(through) {
            for (sum, x) in total.iter_mut().zip(corner) {
                *sum += sign * x * (all + own) / divisor;
            }
        }
    }
    total
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cells::cells;
    use crate::cells::testing::{frame, ring, sphere};

    #[test]
    fn an_ellipse_has_its_axes_angle_and_area() {
        let (a, b, angle) = (4e-6, 1.5e-6, 0.4);
        let (kinds, mut f) = frame(&[("e", &[], vec![ring([3e-3, -2e-3], [a, b], angle, 4000)])]);
        // A rigid translation with a rotation about the centroid: the flux is the translation's.
        for (u, p) in f.velocity.iter_mut().zip(&f.position) {
            *u = [2.0 - 1e5 * (p[1] + 2e-3) as f32, -0.5 + 1e5 * (p[0] - 3e-3) as f32, 0.0];
        }
        let cell = cells(&kinds, &f).expect("sound")[0];
        let shape = Shape::of(&cell);
        assert!((shape.volume / (std::f64::consts::PI * a * b) - 1.0).abs() < 1e-6);
        assert!((shape.semi_axes[0] / a - 1.0).abs() < 1e-6 && (shape.semi_axes[1] / b - 1.0).abs() < 1e-6);
        assert!((shape.taylor() - (a - b) / (a + b)).abs() < 1e-6);
        assert!((shape.inclination([0, 1]) - angle).abs() < 1e-6);
        assert!((shape.centroid[0] - 3e-3).abs() < 1e-12 && (shape.centroid[1] + 2e-3).abs() < 1e-12);
        let u = shape.velocity();
        assert!((u[0] - 2.0).abs() < 1e-5 && (u[1] + 0.5).abs() < 1e-5, "{u:?}");
        assert!((shape.anisotropy([0, 1]) - (a * a - b * b) / (a * a + b * b)).abs() < 1e-6);
        let tall = (a * a * angle.sin().powi(2) + b * b * angle.cos().powi(2)).sqrt();
        assert!((shape.extent[1] / (2.0 * tall) - 1.0).abs() < 1e-5);
        // Clockwise rings enclose the same body.
        f.position.reverse();
        let turned = Shape::of(&cells(&kinds, &f).expect("sound")[0]);
        assert!((turned.volume / shape.volume - 1.0).abs() < 1e-9 && (turned.taylor() - shape.taylor()).abs() < 1e-9);
    }

    #[test]
    fn a_turned_ellipsoid_has_its_axes_and_volume() {
        let (unit, triangles) = sphere(5);
        let (axes, angle) = ([5.0, 3.0, 2.0], -0.7f64);
        let (sin, cos) = angle.sin_cos();
        let body = unit
            .iter()
            .map(|v| {
                let [x, y, z]: [f64; 3] = std::array::from_fn(|k| axes[k] * v[k]);
                [100.0 + cos * x - sin * y, sin * x + cos * y, z - 7.0]
            })
            .collect();
        let (kinds, frame) = frame(&[("e", &triangles, vec![body])]);
        let shape = Shape::of(&cells(&kinds, &frame).expect("sound")[0]);
        // An inscribed polyhedron of 8192 faces falls short by about 1e-3.
        assert!((shape.volume / (std::f64::consts::PI * 4.0 / 3.0 * 30.0) - 1.0).abs() < 2e-3, "{}", shape.volume);
        for (got, wanted) in shape.semi_axes.iter().zip(axes) {
            assert!((got / wanted - 1.0).abs() < 1e-3, "{got} {wanted}");
        }
        assert!((shape.taylor() - 3.0 / 7.0).abs() < 5e-4);
        assert!((shape.inclination([0, 1]) - angle).abs() < 1e-3);
        assert!((shape.axes[0][0].abs() - cos).abs() < 1e-3);
        assert!((shape.centroid[0] - 100.0).abs() < 1e-9 && (shape.centroid[2] + 7.0).abs() < 1e-9);
    }

    #[test]
    fn the_moments_of_a_tetrahedron_are_exact() {
        let corners = vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        let triangles = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];
        let (kinds, mut frame) = frame(&[("t", &triangles, vec![corners])]);
        frame.velocity = vec![[0.25, -1.0, 3.0]; 4];
        let shape = Shape::of(&cells(&kinds, &frame).expect("sound")[0]);
        // int x^2 = 1/60, int xy = 1/120, V = 1/6, centroid 1/4 along each axis.
        for i in 0..3 {
            for j in 0..3 {
                let wanted = if i == j { 0.1 } else { 0.05 } - 1.0 / 16.0;
                assert!((shape.moments[i][j] - wanted).abs() < 1e-14);
            }
        }
        assert!((shape.volume - 1.0 / 6.0).abs() < 1e-15);
        assert!((shape.area - (1.5 + 0.75f64.sqrt())).abs() < 1e-14);
        assert!((shape.velocity()[2] - 3.0).abs() < 1e-12 && (shape.velocity()[1] + 1.0).abs() < 1e-12);
    }

    #[test]
    fn spheres_and_circles_have_reduced_volume_one() {
        let (unit, triangles) = sphere(5);
        let (kinds, frame) =
            frame(&[("s", &triangles, vec![unit]), ("c", &[], vec![ring([0.0; 2], [1.0; 2], 0.0, 3000)])]);
        for cell in cells(&kinds, &frame).expect("sound") {
            assert!((Shape::of(&cell).reduced_volume() - 1.0).abs() < 1e-3);
        }
    }
}
