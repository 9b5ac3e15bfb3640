fn quaternion(i: u32) -> vec4<real> {
    return vec4<real>(
        orientation[i],
        orientation[span.stride + i],
        orientation[2u * span.stride + i],
        orientation[3u * span.stride + i],
    );
}
#if moving

fn vector_of_velocity(i: u32) -> vec3<real> {
    return vec3<real>(velocity[i], velocity[span.stride + i], velocity[2u * span.stride + i]);
}
#endif
#if turning

fn vector_of_spin(i: u32) -> vec3<real> {
    return vec3<real>(spin[i], spin[span.stride + i], spin[2u * span.stride + i]);
}
#endif
