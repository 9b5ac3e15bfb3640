// Neo-Hookean membrane (Barthes-Biesel, Diaz and Dhenin, J. Fluid Mech. 460, 211, 2002): W = g / 2 (I1 - 1 + 1 / (I2 +
// 1)). Returns dW/dI1 and dW/dI2.
fn slope(i1: real, i2: real) -> vec2<real> {
    let dilation = 1.0 / (i2 + 1.0);
    return real(0.5 * ${in_plane.g}) * vec2<real>(1.0, -dilation * dilation);
}
