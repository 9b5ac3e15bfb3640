// What becomes of a velocity in the collision of its cell, in Andersen's with the velocity `thermal` that was drawn. `collisions`: for each cell what collide.wgsl left.
var<storage, read> collisions: array<vec4<f32>>;

#if andersen
// Andersen's thermostat, Noguchi, Kikuchi and Gompper, EPL 78, 10005 (2007), eq. 3:
// v' = u + v_ran - sum v_ran / N.
fn collided(v: vec3<f32>, cell: u32, thermal: vec3<f32>) -> vec3<f32> {
    let u = collisions[${rows}u * cell].xyz;
    let drift = collisions[${rows}u * cell + 1u].xyz;
    return u + thermal - drift;
}
#elif dimension == 2
// Malevanets and Kapral, J. Chem. Phys. 110, 8605 (1999), eq. 2: v' = u + R(+-alpha) (v - u), here times the thermostat's factor.
fn collided(v: vec3<f32>, cell: u32) -> vec3<f32> {
    let state = collisions[${rows}u * cell];
#if spin
    if (state.z <= 0.0) {
        return v;
    }
#endif
    let w = v.xy - state.xy;
    return vec3<f32>(state.xy + state.z * (${cos} * w + state.w * vec2<f32>(-w.y, w.x)), 0.0);
}
#else
// Malevanets and Kapral, J. Chem. Phys. 110, 8605 (1999), eq. 2: v' = u + R(n, alpha) (v - u), here times the thermostat's
// factor, where R turns by alpha about the axis n.
#include "turned.wgsl"

fn collided(v: vec3<f32>, cell: u32) -> vec3<f32> {
    let u = collisions[${rows}u * cell];
#if spin
    if (u.w <= 0.0) {
        return v;
    }
#endif
    return u.xyz + u.w * turned(v - u.xyz, collisions[${rows}u * cell + 1u]);
}
#endif

#if spin
// What the conservation of angular momentum adds at the place `r` in a cell, from its middle: omega x (r - middle).
fn spun(cell: u32, r: vec3<f32>) -> vec3<f32> {
    let omega = collisions[${rows}u * cell + 2u].xyz;
    let middle = collisions[${rows}u * cell + 3u].xyz;
    return cross(omega, r - middle);
}
#endif
