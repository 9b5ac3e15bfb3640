// Share of its heat that a sheet of thickness h at temperature T radiates in a time dt: 1 - (1 + x)^(-1/3) with x = 3 eps sigma
// T^3 dt / (rho c h), which is exact where nothing flows.
fn radiated_share(T: f32, h: f32, dt: f32) -> f32 {
    if (h <= 0.0) {
        return 0.0;
    }
    let x = ${cooling} * T * T * T * dt / h;
    if (x < 0.03) {
        // Its series, as the difference to 1 would be lost in rounding.
        return x * (1.0 / 3.0 - x * (2.0 / 9.0 - x * (14.0 / 81.0 - x * (35.0 / 243.0))));
    }
    return 1.0 - pow(1.0 + x, -1.0 / 3.0);
}

// Of lava at temperature T below the solidus, what stays fluid, at the solidus: the rest freezes and gives its latent heat L for
// that, h (T_s - T) c / L. Without latent heat all of it freezes.
fn unfrozen(h: f32, T: f32, is_lava: bool) -> vec2<u32> {
#if freezing
    let share = (${solidus} - T) * ${freezing};
    if (is_lava && share < ${frozen}) {
        return fixed(h * (1.0 - share));
    }
#endif
    return vec2<u32>();
}
