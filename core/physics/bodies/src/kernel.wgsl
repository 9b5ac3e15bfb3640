// The kernel at a distance of s half widths, times 8; its two branches are the same, mirrored.
fn kernel(s: real) -> real {
    let a = real(4.0) * s - real(2.0);
    let m = abs(a);
    let k = real(1.0) + m + sqrt(real(2.0) - (real(1.0) - m) * (real(1.0) - m));
    return select(k, real(4.0) - k, a > real(0.0));
}
