// The force on a bead from its neighbour at the distance d along the chain: U = -k R^2 ln(1 - (r / R)^2) / 2 (Kremer and Grest,
// J. Chem. Phys. 92, 5057 (1990), eq. 2). A bond that is as long as it can be is noted by the number of its bead.
fn fene(i: u32, d: vec3<f32>, kind: Kind) -> vec3<f32> {
    let rest = 1.0 - dot(d, d) / (kind.extension * kind.extension);
    if (rest <= 0.0) {
        atomicMax(&health[2], i + 1u);
    }
    return kind.k / max(rest, 1e-2) * d;
}
