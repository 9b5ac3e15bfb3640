// What neighbours see of a cell: a row of ${row} numbers in `before`.
struct Lava {
    // Ground with solid lava on it, m above the lowest ground.
    Z: f32,
    // Thickness of fluid lava, m.
    h: f32,
    // Temperature, K.
    T: f32,
    // 1 / (3 viscosity), 1/(Pa s).
    F: f32,
    // Yield strength, Pa.
    S: f32,
}

fn lava_at(n: u32) -> Lava {
    let k = ${row}u * n;
    return Lava(before[k], before[k + 1u], before[k + 2u], before[k + 3u], before[k + 4u]);
}

// The cells around cell n by direction; beyond the domain, cell n itself stands in.
fn around(n: u32, here: Lava, k: u32) -> Lava {
    if (k == ${absent}u) {
        return here;
    }
    return lava_at(k);
}
