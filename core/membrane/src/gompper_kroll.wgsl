// Gompper and Kroll, J. Phys. I France 6, 1305, 1996: E = kappa / 2 sum_i |L_i|^2 / sigma_i,
//   L_i = 1/2 sum_j (cot + cot) (r_i - r_j),  sigma_i = 1/8 sum_j (cot + cot) |r_i - r_j|^2
// with the two angles opposite the edge. Both are sums over the triangles of a vertex. In a triangle with edges a, b
// from the vertex and S twice its area, cot is a.b / S at the vertex, (a.a - a.b) / S at a's end and (b.b - a.b) / S at
// b's.

// Contribution of triangle (a, b) to L (xyz) and sigma (w) of its corner.
fn laplacian(a: Axes, b: Axes) -> vec4<real> {
    let g = vec3<real>(dot(a, a), dot(a, b), dot(b, b));
    let c = vec2<real>(g.x - g.y, g.z - g.y) / sqrt(g.x * g.z - g.y * g.y);
    return vec4<real>(-0.5 * (c.x * b + c.y * a), 0.125 * (c.x * g.z + c.y * g.x));
}

// B = L / sigma (xyz) and D = |B|^2 / 2 (w) of a vertex.
fn curvature(sum: vec4<real>) -> vec4<real> {
    let b = sum.xyz / sum.w;
    return vec4<real>(b, 0.5 * dot(b, b));
}

// The bending force of triangle (a, b) on its corner. dE = kappa sum_i (B_i . dL_i - D_i dsigma_i) is the change of
//   kappa / S (a.b Q_ab + (a.a - a.b) Q_b + (b.b - a.b) Q_a),
//   Q_ij = (B_i - B_j) . (r_i - r_j) / 2 - (D_i + D_j) |r_i - r_j|^2 / 8
// summed over triangles, with B and D held fixed. `at`, `at_a`, `at_b` are (B, D) of the corner and of the ends.
fn bending_force(a: Axes, b: Axes, at: vec4<real>, at_a: vec4<real>, at_b: vec4<real>) -> Axes {
    let rim = b - a;
    let g = vec3<real>(dot(a, a), dot(a, b), dot(b, b));
    let normal = cross(a, b);
    let square = dot(normal, normal);
    let s = sqrt(square);
    let jump_a = at.xyz - at_a.xyz;
    let jump_b = at.xyz - at_b.xyz;
    let jump_ab = at_a.xyz - at_b.xyz;
    let q_a = -0.5 * dot(jump_a, a) - 0.125 * (at.w + at_a.w) * g.x;
    let q_b = -0.5 * dot(jump_b, b) - 0.125 * (at.w + at_b.w) * g.z;
    let q_ab = -0.5 * dot(jump_ab, rim) - 0.125 * (at_a.w + at_b.w) * dot(rim, rim);
    let energy = g.y * q_ab + (g.x - g.y) * q_b + (g.z - g.y) * q_a;
    // The vertex moves: d(a.a) = -2 a, d(b.b) = -2 b, d(a.b) = -(a + b), dS = normal x rim / S.
    let gradient = (b - a) * q_b + (a - b) * q_a - (a + b) * q_ab
        + (g.x - g.y) * (0.5 * jump_b + 0.25 * (at.w + at_b.w) * b)
        + (g.z - g.y) * (0.5 * jump_a + 0.25 * (at.w + at_a.w) * a)
        - energy / square * cross(normal, rim);
    return real(-${bending.kappa}) / s * gradient;
}
