// Triangles of constant strain: E = A0 W(I1, I2), A0 the rest area. With edges a, b from a corner v, their metric
// g = (a.a, a.b; a.b, b.b) and G that of the reference,
//   I1 = tr(G^-1 g) - 2,  I2 = det g / det G - 1
//   S = dE/dg = A0 (dW/dI1 G^-1 + dW/dI2 adj(g) / det G)
// and the force on v is 2 (S (1, 1)) . (a, b). K = A0 G^-1 has no unit, det K = 1 / 4 and det G = 4 A0^2.
// `k` is (K_11, K_12), `rest` A0.
fn triangle_force(a: Axes, b: Axes, k: vec2<real>, rest: real) -> Axes {
    let k22 = (0.25 + k.y * k.y) / k.x;
    let g = vec3<real>(dot(a, a), dot(a, b), dot(b, b));
    let i1 = (k.x * g.x + 2.0 * k.y * g.y + k22 * g.z) / rest - 2.0;
    let per_det = 0.25 / (rest * rest);
    let i2 = (g.x * g.z - g.y * g.y) * per_det - 1.0;
    let w = slope(i1, i2);
    let dilation = w.y * rest * per_det;
    let sa = w.x * (k.x + k.y) + dilation * (g.z - g.y);
    let sb = w.x * (k22 + k.y) + dilation * (g.x - g.y);
    return 2.0 * (sa * a + sb * b);
}
