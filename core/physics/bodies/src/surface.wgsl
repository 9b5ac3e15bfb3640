// Contact of an ellipsoid with a point that stands for an area A of a soft surface: a pressure P along the normal n of the
// ellipsoid where it is nearest to the point, as walls push vertices of cells:
//   F = P A (a^2 + 2 a^4) n,   a = 1 - d / range below d = range, 0 beyond
// with d the distance of the point from the ellipsoid, negative within. F acts on the point, -F on the body where it is nearest
// to the point, which is along n from it: the torque about the body's centre is -r x F, r the way from there to the point. A force
// beyond the largest one stays that.
//
// The nearest point to y in the frame of the axes (Eberly, Distance from a Point to an Ellipse, an Ellipsoid, or a
// Hyperellipsoid, 2013) has x_k = s_k^2 y_k / (s_k^2 + t), with t the largest root of
//   g(t) = sum_k (s_k y_k / (s_k^2 + t))^2 - 1
// g falls and is convex where t is above minus the least s_k^2, so that Newton's steps from a place with g >= 0 come to the root
// from below, none goes beyond it.
struct Nearest {
    // Unit normal there, in the frame of the axes.
    n: vec3<real>,
    // Distance of the point.
    d: real,
}

// How near a plane of symmetry a point may be, over the semi-axis across: in one, points deep within have two nearest points.
const OFF_PLANE: real = real(1e-3);
// From the starts below g is at most 2, and each step at least squares what is left of it.
const NEWTON_STEPS: u32 = 8u;

fn nearest_to(y: vec3<real>, squares: vec3<real>) -> Nearest {
    let s = sqrt(squares);
    let p = max(abs(y), OFF_PLANE * s);
    // At each of these one term is 1.
    let starts = s * p - squares;
    var t = max(max(starts.x, starts.y), starts.z);
    for (var k = 0u; k < NEWTON_STEPS; k++) {
        let q = s * p / (squares + t);
        t += real(0.5) * (dot(q, q) - real(1.0)) / dot(q * q, real(1.0) / (squares + t));
    }
    let per = p / (squares + t);
    let side = select(vec3<real>(real(-1.0)), vec3<real>(real(1.0)), y >= vec3<real>());
    let n = side * (per / sqrt(dot(per, per)));
    return Nearest(n, dot(y - side * (squares * per), n));
}

struct Touch {
    // On the point; the body gets the opposite.
    F: vec3<real>,
    // On the body.
    T: vec3<real>,
}

// A point at r from the centre of a body with squared semi-axes `squares`, e holds its axes as columns; `strength` is P A.
fn touch(r: vec3<real>, e: mat3x3<real>, squares: vec3<real>, strength: real) -> Touch {
    let nearest = nearest_to(vec3<real>(dot(e[0], r), dot(e[1], r), dot(e[2], r)), squares);
    let a = max(real(1.0) - nearest.d * real(${surface.per_range}), real(0.0));
    let square = a * a;
    let push = min(strength * (square + real(2.0) * square * square), real(${surface.largest}));
    let F = push * (e * nearest.n);
    return Touch(F, -cross(r, F));
}
