// Symmetric tensors: `d` on the diagonal (xx, yy, zz), `o` off it (yz, zx, xy).
struct Symmetric {
    d: vec3<real>,
    o: vec3<real>,
}

// A^T diag(s) A = sum_k s_k e_k e_k; `e` holds the body's axes e_k as columns.
fn tensor(e: mat3x3<real>, s: vec3<real>) -> Symmetric {
    return Symmetric(
        s.x * e[0] * e[0] + s.y * e[1] * e[1] + s.z * e[2] * e[2],
        s.x * e[0].yzx * e[0].zxy + s.y * e[1].yzx * e[1].zxy + s.z * e[2].yzx * e[2].zxy,
    );
}

fn added(G: Symmetric, H: Symmetric) -> Symmetric {
    return Symmetric(G.d + H.d, G.o + H.o);
}

// G v
fn applied(G: Symmetric, v: vec3<real>) -> vec3<real> {
    return G.d * v + G.o.zxy * v.yzx + G.o.yzx * v.zxy;
}

// det(G) G^-1
fn adjugate(G: Symmetric) -> Symmetric {
    return Symmetric(G.d.yzx * G.d.zxy - G.o * G.o, G.o.yzx * G.o.zxy - G.d * G.o);
}

// det(G), from G and its adjugate.
fn determinant_of(G: Symmetric, adjugate: Symmetric) -> real {
    return G.d.x * adjugate.d.x + G.o.y * adjugate.o.y + G.o.z * adjugate.o.z;
}

// The v with v x w = (G K - K G) w for every w.
fn commutator(G: Symmetric, K: Symmetric) -> vec3<real> {
    return cross(G.o, K.o) + G.o * (K.d.yzx - K.d.zxy) - K.o * (G.d.yzx - G.d.zxy);
}
