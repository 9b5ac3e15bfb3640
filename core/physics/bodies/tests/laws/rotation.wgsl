alias real = ${real};

struct Span {
    count: u32,
}
var<immediate> span: Span;

${declarations}
var<storage, read_write> answers: array<real>;
#include "rotation.wgsl"
#include "main.wgsl"

// A body: q, L, I, dt, number of steps, the E and |L| to compare with. Answers: q, L, axes, the largest departures of E, |L|
// and |q|.
fn work_on(k: u32) {
    let at = 14u * k;
    var now = Rotation(
        vec4<real>(bodies[at], bodies[at + 1u], bodies[at + 2u], bodies[at + 3u]),
        vec3<real>(bodies[at + 4u], bodies[at + 5u], bodies[at + 6u]),
    );
    let I = vec3<real>(bodies[at + 7u], bodies[at + 8u], bodies[at + 9u]);
    let dt = bodies[at + 10u];
    let steps = u32(bodies[at + 11u]);
    let per_energy = real(1.0) / bodies[at + 12u];
    let per_size = real(1.0) / bodies[at + 13u];
    var departure = vec3<real>();
    for (var step = 0u; step < steps; step += 1u) {
        now = free_rotation(now.q, now.L, I, dt);
        let energy = real(0.5) * dot(now.L, now.L / I) * per_energy;
        let size = sqrt(dot(now.L, now.L)) * per_size;
        let norm = sqrt(dot(now.q, now.q));
        departure = max(departure, abs(vec3<real>(energy, size, norm) - vec3<real>(1.0)));
    }
    let e = matrix_of(now.q);
    let out = 19u * k;
    for (var i = 0u; i < 4u; i += 1u) {
        answers[out + i] = now.q[i];
    }
    for (var i = 0u; i < 3u; i += 1u) {
        answers[out + 4u + i] = now.L[i];
        for (var j = 0u; j < 3u; j += 1u) {
            answers[out + 7u + 3u * i + j] = e[i][j];
        }
        answers[out + 16u + i] = departure[i];
    }
}
