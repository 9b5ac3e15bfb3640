// Kantor and Nelson, Phys. Rev. Lett. 58, 2774, 1987, with reference angles: E = k_b sum (1 - cos(theta - theta0)) over
// edges, theta the angle between the normals of the two triangles, positive where the surface is convex;
// k_b = 2 / sqrt(3) kappa. With an edge from p to q, r opposite in the triangle N1 on the left and s in N2,
//   sin theta = -n2 . (r - p) |e| / |N1|,  cos theta = n1 . n2
//   dtheta/dr = -|e| N1 / |N1|^2
//   dtheta/dp = ((q - r) . e N1 / |N1|^2 + (q - s) . e N2 / |N2|^2) / |e|
// Gives dE/dtheta = k_b sin(theta - theta0); `half` is tan(theta0 / 2), which stands for the reference.
fn torque(sine: real, cosine: real, half: real) -> real {
#if curved
    let square = half * half;
    return real(${bending.kb}) * (sine * (1.0 - square) - 2.0 * cosine * half) / (1.0 + square);
#else
    return real(${bending.kb}) * sine;
#endif
}
