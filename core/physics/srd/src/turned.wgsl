// `w` turned by the rotation with the quaternion (b, q) / sqrt(2) = (cos(alpha / 2), n sin(alpha / 2)): w + b q x w + q x (q x w).
fn turned(w: vec3<f32>, turn: vec4<f32>) -> vec3<f32> {
    let across = cross(turn.xyz, w);
    return w + turn.w * across + cross(turn.xyz, across);
}
