// Gay and Berne's potential for general ellipsoids (Everaers and Ejtehadi, Phys. Rev. E 67, 041710, 2003), repulsive only:
//   U   = epsilon u(rho),  u = 4 (rho^-12 - rho^-6) + 1 below rho = 2^(1/6), 0 beyond
//   rho = (h + gamma sigma) / sigma,   epsilon = epsilon_0 eta chi
//   h   = r - (1/2 n G^-1 n)^(-1/2),        G = A1^T S1^2 A1 + A2^T S2^2 A2
//   eta = (2 s1 s2 / det G)^(upsilon / 2),  s = (a b + c^2) (a b)^(1/2)
//   chi = (2 n B^-1 n)^mu,                  B = A1^T E1 A1 + A2^T E2 A2
// with S = diag(a, b, c), E = diag(epsilon_k^(-1 / mu)), r n from body 1 to body 2.
//
// In deep overlap u goes on along its tangent, see `wca`, and a force F of more than half the largest one, F_max, is shortened
// to F_max - F_max^2 / (4 F), torques alike. Needs wca.wgsl and symmetric.wgsl.
struct Shape {
    // S^2
    squares: vec3<real>,
    s: real,
    // E
    wells: vec3<real>,
    // Radius of the sphere around the body, squared.
    around: real,
}

// F acts on body 2, -F on body 1; torques and all vectors are in space.
struct Pair {
    F: vec3<real>,
    T1: vec3<real>,
    T2: vec3<real>,
    U: real,
}

// Bodies of shapes k1, k2, body 2 at r from body 1; e1, e2 hold their axes as columns.
fn gay_berne(r: vec3<real>, e1: mat3x3<real>, e2: mat3x3<real>, k1: Shape, k2: Shape) -> Pair {
    let squared = dot(r, r);
    // 1/2 n G^-1 n is at least that of spheres around the bodies.
    let reach = sqrt(real(2.0) * (k1.around + k2.around)) + real(${gay_berne.cut});
    if (squared >= reach * reach || squared < real(${gay_berne.coincident})) {
        return Pair();
    }
    let distance = sqrt(squared);
    let inverse = real(1.0) / distance;
    let n = inverse * r;

    let G1 = tensor(e1, k1.squares);
    let G2 = tensor(e2, k2.squares);
    let G = added(G1, G2);
    let cofactors = adjugate(G);
    let per_det = real(1.0) / determinant_of(G, cofactors);
    // p = G^-1 n
    let p = per_det * applied(cofactors, n);
    let np = dot(n, p);
    let contact = sqrt(real(2.0) / np);
    let rho = (distance - contact) * real(${gay_berne.per_sigma}) + real(${gay_berne.gamma});
    if (rho >= real(${wca.cut})) {
        return Pair();
    }
    let u = wca(rho, real(${gay_berne.least}));

    var epsilon = real(${gay_berne.epsilon});
#if gay_berne.upsilon > 0
    let ratio = real(2.0) * k1.s * k2.s * per_det;
    epsilon *= ${gay_berne.eta};
#endif
#if gay_berne.wells
    let B1 = tensor(e1, k1.wells);
    let B2 = tensor(e2, k2.wells);
    let B = added(B1, B2);
    let minors = adjugate(B);
    // m = B^-1 n
    let m = applied(minors, n) / determinant_of(B, minors);
    let nm = dot(n, m);
    let well = real(2.0) * nm;
    epsilon *= ${gay_berne.chi};
#endif

    // -dU/dh, and dh by r and by turns of each body
    let push = -epsilon * u.y * real(${gay_berne.per_sigma});
    let lever = real(0.5) * contact * contact * contact;
    var F = push * (n + lever * inverse * (p - np * n));
    var T1 = push * lever * cross(p, applied(G1, p));
    var T2 = push * lever * cross(p, applied(G2, p));
#if gay_berne.wells
    // -u dchi
    let slope = -epsilon * u.x * real(${2 * gay_berne.mu}) / nm;
    F += slope * inverse * (m - nm * n);
    T1 += slope * cross(m, applied(B1, m));
    T2 += slope * cross(m, applied(B2, m));
#endif
#if gay_berne.upsilon > 0
    // -u deta
    let twist = (real(${gay_berne.upsilon}) * epsilon * u.x * per_det) * commutator(G1, cofactors);
    T1 -= twist;
    T2 += twist;
#endif
    let x = sqrt(dot(F, F)) * real(${gay_berne.per_largest});
    if (x > real(0.5)) {
        let shortened = (real(1.0) - real(0.25) / x) / x;
        F *= shortened;
        T1 *= shortened;
        T2 *= shortened;
    }
    return Pair(F, T1, T2, epsilon * u.x);
}
