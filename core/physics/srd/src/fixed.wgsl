// Momentum and energy of a particle as whole numbers. The energy is that of each component by itself, so that no compiler
// rounds it otherwise in another kernel.
fn momentum_of(v: f32) -> i32 {
    return i32(round(v * MOMENTUM_SCALE));
}

fn energy_of(v: vec3<f32>) -> i32 {
    var sum = 0;
#for axis in axes
    sum += i32(round((v.${axis.name} * v.${axis.name}) * ENERGY_SCALE));
#endfor
    return sum;
}
