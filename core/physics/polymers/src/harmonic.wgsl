// The force on a bead from its neighbour at the distance d along the chain: U = k (r - l)^2 / 2.
fn harmonic(d: vec3<f32>, kind: Kind) -> vec3<f32> {
    let r = max(length(d), 1e-6);
    return kind.k * (1.0 - kind.l / r) * d;
}
