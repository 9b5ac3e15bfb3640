// Viscosity eta = 2^(A + B / (T - C)) and yield strength S = S_0 2^(-E (T - T_0)) at temperature T.
fn fluidity(T: f32) -> f32 {
    return exp2(-(${A} + ${B} / (T - ${C}))) * 0.33333334;
}

fn yield_strength(T: f32) -> f32 {
    return ${S_0} * exp2(${E} * (${T_0} - T));
}
