// Amounts of lava and of heat at a cell as whole numbers of 64 bits, low word first: thickness in units of 2^-40 m, heat in units
// of 2^-40 K m. What one cell gives, another one gets to the last unit.
fn fixed(x: f32) -> vec2<u32> {
    let y = x * 256.0;
    let whole = floor(y);
    return vec2<u32>(u32((y - whole) * 4294967296.0), u32(whole));
}

fn number(a: vec2<u32>) -> f32 {
    return f32(a.y) * 0.00390625 + f32(a.x) * ${unit};
}

fn plus(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
    let low = a.x + b.x;
    return vec2<u32>(low, a.y + b.y + select(0u, 1u, low < a.x));
}

fn minus(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
    return vec2<u32>(a.x - b.x, a.y - b.y - select(0u, 1u, a.x < b.x));
}
