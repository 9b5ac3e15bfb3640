//! Rotations: unit quaternions (w, x, y, z) and the matrices they stand for.

use hematite_cells::vector::{Point, dot, length, times};

pub(super) type Quaternion = [f64; 4];
pub(super) type Matrix = [[f64; 3]; 3];

/// The rotation matrix of a unit quaternion.
pub(super) fn matrix([w, x, y, z]: Quaternion) -> Matrix {
    [
        [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)],
        [2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)],
        [2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)],
    ]
}

/// `m v`.
pub(super) fn apply(m: &Matrix, v: Point) -> Point {
    [dot(m[0], v), dot(m[1], v), dot(m[2], v)]
}

/// `m^T v`.
pub(super) fn apply_back(m: &Matrix, v: Point) -> Point {
    [0, 1, 2].map(|k| m[0][k] * v[0] + m[1][k] * v[1] + m[2][k] * v[2])
}

/// `a^T b`.
pub(super) fn back_times(a: &Matrix, b: &Matrix) -> Matrix {
    [0, 1, 2].map(|i| [0, 1, 2].map(|j| a[0][i] * b[0][j] + a[1][i] * b[1][j] + a[2][i] * b[2][j]))
}

/// `q` turned further by the rotation vector `by`, in radians.
pub(super) fn turned(q: Quaternion, by: Point) -> Quaternion {
    let angle = length(by);
    if angle == 0.0 {
        return q;
    }
    let (sine, cosine) = (0.5 * angle).sin_cos();
    let [x, y, z] = times(sine / angle, by);
    let [qw, qx, qy, qz] = q;
    unit([
        cosine * qw - x * qx - y * qy - z * qz,
        cosine * qx + x * qw + y * qz - z * qy,
        cosine * qy + y * qw + z * qx - x * qz,
        cosine * qz + z * qw + x * qy - y * qx,
    ])
}

/// `q` over its norm.
pub(super) fn unit(q: Quaternion) -> Quaternion {
    let norm = q.iter().map(|x| x * x).sum::<f64>().sqrt();
    q.map(|x| x / norm)
}

#[cfg(test)]
mod tests {
    use hematite_cells::vector::minus;

    use super::*;

    #[test]
    fn turning_is_the_rotation_of_the_vector() {
        let quarter = std::f64::consts::FRAC_PI_2;
        let q = turned(turned([1.0, 0.0, 0.0, 0.0], [quarter, 0.0, 0.0]), [0.0, 0.0, quarter]);
        // x stays under the first turn and goes to y under the second; y goes to z and stays there.
        let m = matrix(q);
        for (from, to) in [([1.0, 0.0, 0.0], [0.0, 1.0, 0.0]), ([0.0, 1.0, 0.0], [0.0, 0.0, 1.0])] {
            assert!(length(minus(apply(&m, from), to)) < 1e-14);
            assert!(length(minus(apply_back(&m, to), from)) < 1e-14);
        }
        assert!(back_times(&m, &m).iter().enumerate().all(|(i, row)| (row[i] - 1.0).abs() < 1e-14));
    }
}
