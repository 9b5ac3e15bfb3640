// Skalak, Tozeren, Zarda and Chien, Biophys. J. 13, 245, 1973: W = g / 4 (I1^2 + 2 I1 - 2 I2 + c I2^2).
// Returns dW/dI1 and dW/dI2.
fn slope(i1: real, i2: real) -> vec2<real> {
    return real(0.5 * ${in_plane.g}) * vec2<real>(i1 + 1.0, real(${in_plane.c}) * i2 - 1.0);
}
