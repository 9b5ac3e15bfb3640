// Weeks, Chandler and Andersen, J. Chem. Phys. 54, 5237, 1971: u = 4 (rho^-12 - rho^-6) + 1 below rho = 2^(1/6), 0 beyond.
// Below `least` it goes on along its tangent. Gives u and du/drho.
fn wca(rho: real, least: real) -> vec2<real> {
    if (rho >= real(${wca.cut})) {
        return vec2<real>();
    }
    let held = max(rho, least);
    let inverse = real(1.0) / held;
    let cube = inverse * inverse * inverse;
    let sixth = cube * cube;
    let slope = real(-24.0) * (real(2.0) * sixth - real(1.0)) * sixth * inverse;
    let u = real(4.0) * (sixth - real(1.0)) * sixth + real(1.0);
    return vec2<real>(u + slope * (rho - held), slope);
}
