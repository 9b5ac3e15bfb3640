// Free rotation by a symplectic splitting (Dullweber, Leimkuhler and McLachlan, J. Chem. Phys. 107, 5840, 1997):
//   R_x(dt/2) R_y(dt/2) R_z(dt) R_y(dt/2) R_x(dt/2)
// R_k turns the body about its axis k by the angle L_k dt / I_k, here by that whose half has the tangent t = L_k dt / (2 I_k):
// also the flow of a function of L_k alone, so symplectic, and of the same order.
//
// Quaternions q = (w, x, y, z) are vec4s with w in the first place; they turn the body's frame into space. L is in the body's
// frame.
struct Rotation {
    q: vec4<real>,
    L: vec3<real>,
}

// (a, b) turned by the angle whose half has the tangent t, as three shears, which keep the area whatever their rounding.
fn turned(a: real, b: real, t: real) -> vec2<real> {
    let s = real(2.0) * t / (real(1.0) + t * t);
    let sheared = a + t * b;
    let second = b - s * sheared;
    return vec2<real>(sheared + t * second, second);
}

fn about_x(now: Rotation, t: real) -> Rotation {
    let L = turned(now.L.y, now.L.z, t);
    let q = now.q;
    return Rotation(q + t * vec4<real>(-q.y, q.x, q.w, -q.z), vec3<real>(now.L.x, L));
}

fn about_y(now: Rotation, t: real) -> Rotation {
    let L = turned(now.L.z, now.L.x, t);
    let q = now.q;
    return Rotation(q + t * vec4<real>(-q.z, -q.w, q.x, q.y), vec3<real>(L.y, now.L.y, L.x));
}

fn about_z(now: Rotation, t: real) -> Rotation {
    let L = turned(now.L.x, now.L.y, t);
    let q = now.q;
    return Rotation(q + t * vec4<real>(-q.w, q.z, -q.y, q.x), vec3<real>(L, now.L.z));
}

// A step dt with principal moments of inertia I.
fn free_rotation(q: vec4<real>, L: vec3<real>, I: vec3<real>, dt: real) -> Rotation {
    let per = real(0.25) * dt / I;
    var now = Rotation(q, L);
    now = about_x(now, per.x * now.L.x);
    now = about_y(now, per.y * now.L.y);
    now = about_z(now, real(2.0) * per.z * now.L.z);
    now = about_y(now, per.y * now.L.y);
    now = about_x(now, per.x * now.L.x);
    now.q /= sqrt(dot(now.q, now.q));
    return now;
}

// The body's axes in space, as columns: takes vectors of the body's frame into space.
fn matrix_of(q: vec4<real>) -> mat3x3<real> {
    let w = q.x;
    let x = q.y;
    let y = q.z;
    let z = q.w;
    return mat3x3<real>(
        real(1.0) - real(2.0) * (y * y + z * z), real(2.0) * (x * y + w * z), real(2.0) * (x * z - w * y),
        real(2.0) * (x * y - w * z), real(1.0) - real(2.0) * (x * x + z * z), real(2.0) * (y * z + w * x),
        real(2.0) * (x * z + w * y), real(2.0) * (y * z - w * x), real(1.0) - real(2.0) * (x * x + y * y),
    );
}
