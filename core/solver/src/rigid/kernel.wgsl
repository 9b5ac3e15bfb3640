// The kernel at a distance of s half widths, times 8.
fn kernel(s: real) -> real {
    let outer = s > real(0.5);
    // The outer branch is the inner one, mirrored: they have the same root.
    let t = select(s, real(1.0) - s, outer);
    let root = sqrt(max(real(1.0) + real(8.0) * t - real(16.0) * t * t, real(0.0)));
    return select(real(3.0) - real(4.0) * s + root, real(5.0) - real(4.0) * s - root, outer);
}
