// The velocity that Andersen's thermostat gives a particle in the collision of a step.
fn thermal_velocity(label: u32, step: u32) -> vec3<f32> {
    let words = philox(vec4<u32>(label, step, ${purpose.thermal}u, 0u), vec2<u32>(${seed[0]}u, ${seed[1]}u));
    let first = normals_of(words.xy);
#if dimension == 2
    return ${speed} * vec3<f32>(first, 0.0);
#else
    return ${speed} * vec3<f32>(first, normals_of(words.zw).x);
#endif
}
