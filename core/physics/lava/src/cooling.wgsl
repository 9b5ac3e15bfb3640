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

// What freezes of lava of thickness h at temperature T below the solidus: as much as its latent heat L brings the rest to T_k, just above
// the solidus, h (T_k - T) c / L. Without latent heat all of it freezes.
fn frozen(h: vec2<u32>, T: f32, is_lava: bool) -> vec2<u32> {
#if freezing
    let share = (${just_fluid} - T) * ${freezing};
    if (is_lava && share < ${frozen}) {
        return fixed(number(h) * share);
    }
#endif
    return h;
}

// The heat that is left in it: T_k - L / c of each unit, or all heat W where all lava freezes.
fn heat_left(frozen: vec2<u32>, h: vec2<u32>, W: vec2<u32>) -> vec2<u32> {
#if freezing
    if (any(frozen != h)) {
        return fixed(number(frozen) * ${left});
    }
#endif
    return W;
}
