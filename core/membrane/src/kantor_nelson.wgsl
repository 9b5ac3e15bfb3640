// Kantor and Nelson, Phys. Rev. Lett. 58, 2774, 1987, with reference angles: E = k_b sum (1 - cos(theta - theta0)) over
// edges, theta the angle between the normals of the two triangles, positive where the surface is convex;
// k_b = 2 / sqrt(3) kappa. For an edge e from p to q, triangle 1 on its left has corner r opposite and normal N1,
// triangle 2 on its right has corner s opposite and normal N2; n1 and n2 are unit normals:
//   sin theta = -n2 . (r - p) |e| / |N1|,  cos theta = n1 . n2
//   dtheta/dr = -|e| N1 / |N1|^2
//   dtheta/dp = ((q - r) . e N1 / |N1|^2 + (q - s) . e N2 / |N2|^2) / |e|
// Returns dE/dtheta = k_b sin(theta - theta0); `half` is tan(theta0 / 2).
fn torque(sine: real, cosine: real, half: real) -> real {
#if curved
    let square = half * half;
    return real(${bending.kb}) * (sine * (1.0 - square) - 2.0 * cosine * half) / (1.0 + square);
#else
    return real(${bending.kb}) * sine;
#endif
}
