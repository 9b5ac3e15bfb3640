// Linear sides: E = k / 2 (l - l0)^2 / l0, so dE/dl = k (l / l0 - 1).
fn tension(l: real, rest: real) -> real {
    return real(${in_plane.k}) * (l / rest - 1.0);
}
