// Repulsion of an ellipsoid from a wall at distance d of its centre, n the wall's unit normal towards the body:
//   U   = epsilon u(rho),  u = 4 (rho^-12 - rho^-6) + 1 below rho = 2^(1/6), 0 beyond
//   rho = (gap + sigma) / sigma,  gap = d - (n G n)^(1/2),  G = A^T S^2 A
// Where its force would exceed the largest one, it stays that. The force acts at the body's nearest point, which is at
// -G n / (n G n)^(1/2) from its centre. Needs wca.wgsl and symmetric.wgsl.
struct Push {
    F: vec3<real>,
    T: vec3<real>,
    U: real,
}

// A body with squared semi-axes `squares`; e holds its axes as columns.
fn wall(d: real, n: vec3<real>, e: mat3x3<real>, squares: vec3<real>) -> Push {
    let Gn = applied(tensor(e, squares), n);
    let extent = sqrt(dot(n, Gn));
    let rho = (d - extent) * real(${wall.per_sigma}) + real(1.0);
    let u = wca(rho, real(${wall.least}));
    let push = -u.y * real(${wall.epsilon} * ${wall.per_sigma});
    return Push(push * n, push / extent * cross(n, Gn), real(${wall.epsilon}) * u.x);
}
