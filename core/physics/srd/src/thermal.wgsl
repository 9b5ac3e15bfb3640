// The velocities that Andersen's thermostat gives in the collision of a step: to a particle, and to an embedded point of mass m.
fn thermal_velocity(label: u32, step: u32) -> vec3<f32> {
    return drawn_velocity(vec4<u32>(label, step, ${purpose.thermal}u, 0u));
}

fn thermal_of_point(number: u32, m: f32, step: u32) -> vec3<f32> {
    return drawn_velocity(vec4<u32>(number, step, ${purpose.thermal}u, 1u)) / sqrt(m);
}

fn drawn_velocity(counter: vec4<u32>) -> vec3<f32> {
    let words = philox(counter, vec2<u32>(${seed[0]}u, ${seed[1]}u));
    let first = normals_of(words.xy);
#if dimension == 2
    return ${speed} * vec3<f32>(first, 0.0);
#else
    return ${speed} * vec3<f32>(first, normals_of(words.zw).x);
#endif
}
