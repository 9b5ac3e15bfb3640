//! Vectors of three numbers.

pub(crate) type Point = [f64; 3];

pub(crate) fn plus(a: Point, b: Point) -> Point {
    [0, 1, 2].map(|k| a[k] + b[k])
}

pub(crate) fn minus(a: Point, b: Point) -> Point {
    [0, 1, 2].map(|k| a[k] - b[k])
}

pub(crate) fn times(factor: f64, a: Point) -> Point {
    a.map(|x| factor * x)
}

pub(crate) fn dot(a: Point, b: Point) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

pub(crate) fn cross(a: Point, b: Point) -> Point {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

pub(crate) fn length(a: Point) -> f64 {
    dot(a, a).sqrt()
}
