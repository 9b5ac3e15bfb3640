// p + steps * u with u in 2^-32, exact in 64 bits by 16-bit digits; steps < 2^14.
fn moved(p: vec2<i32>, u: i32, steps: u32) -> vec2<i32> {
    let factor = i32(steps);
    let low = u32(u & 0xffff) * u32(factor);
    let high = (u >> 16u) * factor + i32(low >> 16u);
    let add = (u32(high) << 16u) | (low & 0xffffu);
    let fraction = bitcast<u32>(p.y) + add;
    return vec2(p.x + (high >> 16u) + i32(fraction < add), bitcast<i32>(fraction));
}
