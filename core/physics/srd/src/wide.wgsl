// The sum of a number of 64 bits, low word first, and one of 32.
fn wide_sum(a: vec2<u32>, b: i32) -> vec2<u32> {
    let low = a.x + bitcast<u32>(b);
    let carry = select(0u, 1u, low < a.x);
    return vec2<u32>(low, a.y + bitcast<u32>(b >> 31u) + carry);
}
