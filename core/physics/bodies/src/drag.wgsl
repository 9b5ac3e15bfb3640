// Drag and torque from the fluid (Bisson et al., Commun. Comput. Phys. 11, 48, 2012, eqs. 2.4, 2.5), along the body's axes:
//   F = -gamma_T (V - u~),   T = -gamma_R (Omega - omega~)
// with V and Omega at the end of the kick, u~ and omega~ of flow_fit.wgsl. Both are means of this step and the one before:
// the lattice has momentum that changes sign from step to step and is not damped, which drag would feed. Drag is implicit in
// what it does to the body, and in what it does to the fluid of the region beyond what the last one did. The fluid gets -F
// and -T back: at each node
//   f = w / W (g + alpha x (r - c)),   g = -F,   J alpha = -T - c x g
// where c and J are the centre and the inertia of the weights, so that force and torque arrive whole.
var<storage, read> sums: array<i32>;
var<storage, read_write> answer: array<real>;
var<storage, read_write> seen: array<real>;
var<storage, read_write> drag: array<real>;

// Force in space, and torque about the body's axes.
struct Drag {
    F: vec3<real>,
    T: vec3<real>,
}

// The drag on a body which other forces and torques act on; stores what the fluid gets, and this step's flow and drag for
// the next one.
fn drag_on(i: u32, flow: FlowFit, own: Kind, e: mat3x3<real>, F_other: vec3<real>, T_other: vec3<real>) -> Drag {
    let V = vector_of_velocity(i);
    let L = vector_of_spin(i);
    let u_mean = real(0.5) * (flow.u + vec3<real>(seen[i], seen[span.stride + i], seen[2u * span.stride + i]));
    let omega_seen = vec3<real>(seen[3u * span.stride + i], seen[4u * span.stride + i], seen[5u * span.stride + i]);
    let omega_mean = real(0.5) * (flow.omega + omega_seen);
    let F_before = vec3<real>(drag[i], drag[span.stride + i], drag[2u * span.stride + i]);
    let T_before = vec3<real>(drag[3u * span.stride + i], drag[4u * span.stride + i], drag[5u * span.stride + i]);

    let kick = real(span.kick);
    // What the region's velocities give way by to a force or a torque, twice over: drag acts on the mean of two steps, and later.
    let gives = real(2.0) * own.response;
    let squares_of_region = own.xi * own.xi;
    let turns = gives / (real(${variance}) * (squares_of_region.yzx + squares_of_region.zxy));
    let slip = turned_back(e, V + (kick / own.mass) * F_other - u_mean - gives * F_before);
    let F = e * (-own.gamma_T * slip / (real(1.0) + own.gamma_T * (kick / own.mass + gives)));
    let spin_slip = (L + kick * T_other) / own.I - omega_mean - turns * T_before;
    var T = -own.gamma_R * spin_slip / (real(1.0) + own.gamma_R * (kick / own.I + turns));

    let g = -F;
    let lever = cross(flow.c, g);
    var alpha = vec3<real>();
    if (flow.turns) {
        alpha = applied(flow.J_cofactors, -(e * T) - lever) / flow.J_determinant;
    } else {
        T = -turned_back(e, lever);
    }
    answer_with(i, flow.per * g, flow.per * alpha, flow.c);

    for (var a = 0u; a < 3u; a++) {
        seen[a * span.stride + i] = flow.u[a];
        seen[(3u + a) * span.stride + i] = flow.omega[a];
        drag[a * span.stride + i] = F[a];
        drag[(3u + a) * span.stride + i] = T[a];
    }
    return Drag(F, T);
}

fn answer_with(i: u32, g: vec3<real>, alpha: vec3<real>, c: vec3<real>) {
    for (var a = 0u; a < 3u; a++) {
        answer[a * span.stride + i] = g[a];
        answer[(3u + a) * span.stride + i] = alpha[a];
        answer[(6u + a) * span.stride + i] = c[a];
    }
}
