// The nearest whole numbers, halves away from zero: devices convert slowly, and round as slowly once more.
fn whole(v: vec3<real>) -> vec3<i32> {
    let half = vec3<real>(real(0.5));
    return vec3<i32>(v + select(half, -half, v < vec3<real>()));
}
