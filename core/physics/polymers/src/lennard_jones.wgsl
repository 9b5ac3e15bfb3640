// The force on a bead from another one at the distance d: U = 4 epsilon ((sigma / r)^12 - (sigma / r)^6), cut where both
// populations cut it. Between populations sigma is the mean, epsilon the geometric mean.
fn lennard_jones(d: vec3<f32>, one: Kind, other: Kind) -> vec3<f32> {
    let sigma = 0.5 * (one.sigma + other.sigma);
    let r2 = dot(d, d);
    let reach = sigma * min(one.cutoff, other.cutoff);
    if (r2 >= reach * reach) {
        return vec3<f32>(0.0);
    }
    let s2 = sigma * sigma / max(r2, 1e-6);
    let s6 = s2 * s2 * s2;
    let epsilon = sqrt(one.epsilon * other.epsilon);
    return -24.0 * epsilon * (2.0 * s6 - 1.0) * s6 * s2 / (sigma * sigma) * d;
}
