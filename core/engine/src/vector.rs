//! Vectors of three numbers.

/// x, y, z.
pub type Vector = [f64; 3];

/// a + b.
pub fn plus(a: Vector, b: Vector) -> Vector {
    [0, 1, 2].map(|k| a[k] + b[k])
}

/// a - b.
pub fn minus(a: Vector, b: Vector) -> Vector {
    [0, 1, 2].map(|k| a[k] - b[k])
}

/// s a.
pub fn times(s: f64, a: Vector) -> Vector {
    a.map(|x| s * x)
}

/// Scalar product.
pub fn dot(a: Vector, b: Vector) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// Vector product.
pub fn cross(a: Vector, b: Vector) -> Vector {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// Magnitude.
pub fn length(a: Vector) -> f64 {
    dot(a, a).sqrt()
}
