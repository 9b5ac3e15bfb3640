// Drag and torque from the fluid (Bisson et al., Commun. Comput. Phys. 11, 48, 2012, eqs. 2.4, 2.5), along the body's axes:
//   F = -gamma_T (V - u~),   T = -gamma_R (Omega - omega~)
// with V and Omega at the end of the kick. u~ and omega~ belong to the linear flow that fits the region's nodes best, weighted
// as they are: u~ + G r. omega~ is half its curl and, with Jeffery's coefficients, what the strain turns a free ellipsoid by
// (Proc. R. Soc. A 102, 161, 1922); nodes in a plane give the turn of a disc there. Both are means of this step and the one
// before: the lattice has momentum that changes sign from step to step and is not damped, which drag would feed. Drag is implicit
// in what it does to the body, and in what it does to the fluid of the region beyond what the last one did. With the other
// forces, constant ones included, they kick momenta. The fluid gets -F and -T back: at each node
//   f = w / W (g + alpha x (r - c)),   g = -F,   J alpha = -T - c x g
// where c and J are the centre and the inertia of the weights, so that force and torque arrive whole.
// With a message, bodies that other ranks may have ghosts of, the last ones, come first: their ghosts' sums are in it, and another tells those what
// they answer and how they move on.
#include "prelude.wgsl"

var<storage, read> position: array<vec2<i32>>;
var<storage, read> orientation: array<real>;
var<storage, read> kind: array<u32>;
var<storage, read> kinds: array<Kind>;
var<storage, read_write> velocity: array<real>;
var<storage, read_write> spin: array<real>;
var<storage, read_write> force: array<real>;
var<storage, read_write> torque: array<real>;
var<storage, read> contact: array<i32>;
#if pushed
var<storage, read> push: array<i32>;
#endif
var<storage, read> gone: array<u32>;
#if in_fluid
var<storage, read_write> sums: array<i32>;
var<storage, read_write> answer: array<real>;
var<storage, read_write> seen: array<real>;
var<storage, read_write> drag: array<real>;
var<storage, read> coming: array<i32>;
var<storage, read_write> going: array<real>;
var<storage, read> first_place: array<u32>;
var<storage, read> next_place: array<u32>;
#endif
#if in_fluid

fn work_on(k: u32) {
    let items_with_ghosts = groups_of_ghosts() * ${workgroup}u;
    let with_ghosts = k < items_with_ghosts;
    if (with_ghosts && k >= span.ghosts) {
        return;
    }
    let i = select(k - items_with_ghosts, span.first + k, with_ghosts);
    // The first of the body's places in messages, counted from 1, where it has any.
    var place = 0u;
    if (with_ghosts) {
        place = first_place[i];
    }
    if (place != 0u) {
#for s in range(sum_count)
        var sum_${s} = sums[${s}u * span.stride + i];
#endfor
        for (var p = place; p != 0u; p = next_place[p - 1u]) {
            let at = ${sum_count}u * (p - 1u);
#for s in range(sum_count)
            sum_${s} += coming[at + ${s}u];
#endfor
        }
#for s in range(sum_count)
        sums[${s}u * span.stride + i] = sum_${s};
#endfor
    }
    kicked(i);
    for (var p = place; p != 0u; p = next_place[p - 1u]) {
        let at = ${told_words}u * (p - 1u);
        for (var a = 0u; a < 9u; a++) {
            going[at + a] = answer[a * span.stride + i];
        }
        for (var a = 0u; a < 3u; a++) {
            going[at + 9u + a] = velocity[a * span.stride + i];
            going[at + 12u + a] = spin[a * span.stride + i];
        }
    }
}
#else

fn work_on(k: u32) {
    kicked(span.first + k);
}
#endif

fn kicked(i: u32) {
    // What left stands still until it is dropped, and answers nothing.
    if (gone[i] != 0u) {
        for (var a = 0u; a < 3u; a++) {
            velocity[a * span.stride + i] = real(0.0);
            spin[a * span.stride + i] = real(0.0);
        }
#if in_fluid
        answer_with(i, vec3<real>(), vec3<real>(), vec3<real>());
#endif
        return;
    }
    let own = kinds[kind[i]];
    let e = matrix_of(quaternion(i));

#if in_fluid
    let W = real(sums[i]) * real(1.0 / ${scale.weight});
    if (!(W >= real(${least_weight}))) {
        break_body(i, ${damage.wall}u);
        answer_with(i, vec3<real>(), vec3<real>(), vec3<real>());
        return;
    }
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

    let to_velocity = per * real(1.0 / ${scale.velocity});
    let mean = to_velocity * summed(i, 10u);
    let cofactors = adjugate(M);
    let determinant = determinant_of(M, cofactors);
    // J = tr(M) - M
    let J = Symmetric(vec3<real>(M.d.x + M.d.y + M.d.z) - M.d, -M.o);
    let J_cofactors = adjugate(J);
    let J_determinant = determinant_of(J, J_cofactors);
    var u = mean;
    var omega = vec3<real>();
    var stretch = vec3<real>();
    // <u_k d> - <u_k> <d>
    let Kx = to_velocity * summed(i, 13u) - mean.x * d;
    let Ky = to_velocity * summed(i, 16u) - mean.y * d;
    let Kz = to_velocity * summed(i, 19u) - mean.z * d;
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
    let u_mean = real(0.5) * (u + vec3<real>(seen[i], seen[span.stride + i], seen[2u * span.stride + i]));
    let omega_mean = real(0.5) * (omega_b + vec3<real>(seen[3u * span.stride + i], seen[4u * span.stride + i], seen[5u * span.stride + i]));
#endif

#if pushed
    let F_other = own.F + contact_from(i, 0u) + real(${push.force}) * push_from(i, 0u);
    let T_other = turned_back(e, own.T + contact_from(i, 3u) + real(${push.torque}) * push_from(i, 3u));
#else
    let F_other = own.F + contact_from(i, 0u);
    let T_other = turned_back(e, own.T + contact_from(i, 3u));
#endif
    var V = vector_of_velocity(i);
    var L = vector_of_spin(i);

#if in_fluid
    let kick = real(span.kick);
    let F_before = vec3<real>(drag[i], drag[span.stride + i], drag[2u * span.stride + i]);
    let T_before = vec3<real>(drag[3u * span.stride + i], drag[4u * span.stride + i], drag[5u * span.stride + i]);
    // What the region's velocities give way by to a force or a torque, twice over: drag acts on the mean of two steps, and later.
    let gives = real(2.0) * own.response;
    let squares_of_region = own.xi * own.xi;
    let turns = gives / (real(${variance}) * (squares_of_region.yzx + squares_of_region.zxy));
    let slip = turned_back(e, V + (kick / own.mass) * F_other - u_mean - gives * F_before);
    let F_drag = e * (-own.gamma_T * slip / (real(1.0) + own.gamma_T * (kick / own.mass + gives)));
    let spin_slip = (L + kick * T_other) / own.I - omega_mean - turns * T_before;
    var T_drag = -own.gamma_R * spin_slip / (real(1.0) + own.gamma_R * (kick / own.I + turns));

    let g = -F_drag;
    let lever = cross(c, g);
    var alpha = vec3<real>();
    if (J_determinant > own.least) {
        alpha = applied(J_cofactors, -(e * T_drag) - lever) / J_determinant;
    } else {
        T_drag = -turned_back(e, lever);
    }
    answer_with(i, per * g, per * alpha, c);

    for (var a = 0u; a < 3u; a++) {
        seen[a * span.stride + i] = u[a];
        seen[(3u + a) * span.stride + i] = omega_b[a];
        drag[a * span.stride + i] = F_drag[a];
        drag[(3u + a) * span.stride + i] = T_drag[a];
    }

    let F = F_drag + F_other;
    let T = T_drag + T_other;
#else
    let F = F_other;
    let T = T_other;
#endif
    V += (real(span.kick) / own.mass) * F;
    L += real(span.kick) * T;
    let T_space = e * T;
    for (var a = 0u; a < 3u; a++) {
        velocity[a * span.stride + i] = V[a];
        spin[a * span.stride + i] = L[a];
        force[a * span.stride + i] = F[a];
        torque[a * span.stride + i] = T_space[a];
    }
    if (!(dot(V, V) <= real(${fastest_squared})) || !(dot(L, L) < real(1e30))) {
        break_body(i, ${damage.speed}u);
    }
}

// Components of contact from the first on.
fn contact_from(i: u32, first: u32) -> vec3<real> {
    let sum = vec3<i32>(
        contact[first * span.stride + i],
        contact[(first + 1u) * span.stride + i],
        contact[(first + 2u) * span.stride + i],
    );
    if (any(sum == vec3<i32>(OVERFLOW))) {
        break_body(i, ${damage.crowd}u);
    }
    return vec3<real>(sum) * real(1.0 / ${contact.scale});
}

#if pushed

// Components of what points of soft surfaces do, from the first on.
fn push_from(i: u32, first: u32) -> vec3<real> {
    let sum = vec3<i32>(
        push[first * span.stride + i],
        push[(first + 1u) * span.stride + i],
        push[(first + 2u) * span.stride + i],
    );
    if (any(sum == vec3<i32>(OVERFLOW))) {
        break_body(i, ${damage.crowd}u);
    }
    return vec3<real>(sum);
}
#endif

// Into the body's frame.
fn turned_back(e: mat3x3<real>, v: vec3<real>) -> vec3<real> {
    return vec3<real>(dot(e[0], v), dot(e[1], v), dot(e[2], v));
}
#if in_fluid

fn summed(i: u32, first: u32) -> vec3<real> {
    return vec3<real>(
        real(sums[first * span.stride + i]),
        real(sums[(first + 1u) * span.stride + i]),
        real(sums[(first + 2u) * span.stride + i]),
    );
}

fn answer_with(i: u32, g: vec3<real>, alpha: vec3<real>, c: vec3<real>) {
    for (var a = 0u; a < 3u; a++) {
        answer[a * span.stride + i] = g[a];
        answer[(3u + a) * span.stride + i] = alpha[a];
        answer[(6u + a) * span.stride + i] = c[a];
    }
}
#endif
