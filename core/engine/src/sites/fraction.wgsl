// The fraction of a position.
fn fraction(bits: i32) -> real {
#if real == "f32"
    return f32(bitcast<u32>(bits) >> 8u) * ${fraction_24};
#else
    return real(bitcast<u32>(bits)) * real(${fraction_32});
#endif
}
