// Areas and volumes near their reference X0: E = k / 2 (X - X0)^2 / X0, so dE/dX = k (X / X0 - 1).
fn restoring(k: real, x: real, rest: real) -> real {
    return k * (x / rest - 1.0);
}
