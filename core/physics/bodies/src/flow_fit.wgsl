// The linear flow u~ + G r that fits the nodes of a body's region best, weighted as they are, from the region's sums
// (gather.wgsl). omega~ is half the curl of it and, with Jeffery's coefficients, what the strain turns a free ellipsoid by
// (Proc. R. Soc. A 102, 161, 1922); nodes in a plane give the turn of a disc there.
struct FlowFit {
    // One over the sum W of the weights.
    per: real,
    // The centre of the weights, from the body's centre.
    c: vec3<real>,
    // Whether the weights spread enough along all axes for their inertia J = tr(M) - M to be inverted, M the second moments.
    turns: bool,
    J_cofactors: Symmetric,
    J_determinant: real,
    u: vec3<real>,
    // About the body's axes.
    omega: vec3<real>,
}

fn flow_fit(i: u32, W: real, own: Kind, e: mat3x3<real>) -> FlowFit {
    let per = real(1.0) / W;
    // Moments count from the site below the body's centre, c from the centre.
    let to_length = per * real(1.0 / ${scale.weight});
    let d = to_length * summed(i, 1u);
    var M = Symmetric(to_length * summed(i, 4u), to_length * summed(i, 7u));
    M.d -= d * d;
    M.o -= d.yzx * d.zxy;
    let c = d - vec3<real>(
#for axis in axes
        fraction(position[${axis.index}u * span.stride + i].y),
#endfor
    );
    let J = Symmetric(vec3<real>(M.d.x + M.d.y + M.d.z) - M.d, -M.o);
    let J_cofactors = adjugate(J);
    let J_determinant = determinant_of(J, J_cofactors);

    let to_velocity = per * real(1.0 / ${scale.velocity});
    let mean = to_velocity * summed(i, 10u);
    // <u_k d> - <u_k> <d>
    let Kx = to_velocity * summed(i, 13u) - mean.x * d;
    let Ky = to_velocity * summed(i, 16u) - mean.y * d;
    let Kz = to_velocity * summed(i, 19u) - mean.z * d;
    let cofactors = adjugate(M);
    let determinant = determinant_of(M, cofactors);
    var u = mean;
    var omega = vec3<real>();
    var stretch = vec3<real>();
    if (determinant > own.least) {
        // Rows of G.
        let inverse = real(1.0) / determinant;
        let Gx = inverse * applied(cofactors, Kx);
        let Gy = inverse * applied(cofactors, Ky);
        let Gz = inverse * applied(cofactors, Kz);
        u -= vec3<real>(dot(Gx, c), dot(Gy, c), dot(Gz, c));
        let half = real(0.5);
        omega = half * vec3<real>(Gz.y - Gy.z, Gx.z - Gz.x, Gy.x - Gx.y);
        let E = Symmetric(vec3<real>(Gx.x, Gy.y, Gz.z), half * vec3<real>(Gz.y + Gy.z, Gx.z + Gz.x, Gy.x + Gx.y));
        stretch = vec3<real>(dot(e[1], applied(E, e[2])), dot(e[2], applied(E, e[0])), dot(e[0], applied(E, e[1])));
    } else if (J_determinant > own.least) {
        // Nodes in a plane see no gradient across it; a rigid disc would turn so.
        omega = applied(J_cofactors, vec3<real>(Kz.y - Ky.z, Kx.z - Kz.x, Ky.x - Kx.y)) / J_determinant;
        u -= cross(omega, c);
    }
    let omega_b = turned_back(e, omega) + own.Lambda * stretch;
    return FlowFit(per, c, J_determinant > own.least, J_cofactors, J_determinant, u, omega_b);
}

// Components of the region's sums from `first` on.
fn summed(i: u32, first: u32) -> vec3<real> {
    return vec3<real>(
        real(sums[first * span.stride + i]),
        real(sums[(first + 1u) * span.stride + i]),
        real(sums[(first + 2u) * span.stride + i]),
    );
}
