//! Vectors of three numbers.

/// A point or a vector: x, y, z.
pub type Point = [f64; 3];

/// `a + b`.
pub fn plus(a: Point, b: Point) -> Point {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

/// `a - b`.
pub fn minus(a: Point, b: Point) -> Point {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

/// `factor * a`.
pub fn times(factor: f64, a: Point) -> Point {
    [factor * a[0], factor * a[1], factor * a[2]]
}

/// The dot product.
pub fn dot(a: Point, b: Point) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// The cross product.
pub fn cross(a: Point, b: Point) -> Point {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// The length.
pub fn length(a: Point) -> f64 {
    dot(a, a).sqrt()
}

/// `a` over its length; `None` where `a` has no direction.
pub fn unit(a: Point) -> Option<Point> {
    let length = length(a);
    (length > 0.0 && length.is_finite()).then(|| a.map(|x| x / length))
}
