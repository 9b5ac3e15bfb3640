// Forces and torques of walls on bodies, added to what bodies do to each other.
#include "prelude.wgsl"

var<storage, read> position: array<vec2<i32>>;
var<storage, read> orientation: array<real>;
var<storage, read> kind: array<u32>;
var<storage, read> kinds: array<Kind>;
var<storage, read_write> contact: array<i32>;
var<storage, read> directory: array<u32>;
var<storage, read> wall_distance: array<f32>;

fn work_on(k: u32) {
    let i = span.first + k;
    let own = kind[i];
#for axis in axes
    let p${axis.name} = position[${axis.index}u * span.stride + i];
#endfor
    // The distance from the wall is linear between sites; its gradient is the wall's normal.
#include "corners.wgsl"
    let near = real(wall_distance[(directory[kx0 + ky0 + kz0] << ${block_bits}u) | lx0 | ly0 | lz0]);
    if (near < kinds[own].radius + real(${reach + 2})) {
#for corner in corners
        let d${corner.index} = real(wall_distance[(directory[${corner.place}] << ${block_bits}u) | ${corner.local}]);
#endfor
        let x00 = mix(d0, d1, fx);
        let x10 = mix(d2, d3, fx);
        let x01 = mix(d4, d5, fx);
        let x11 = mix(d6, d7, fx);
        let d = mix(mix(x00, x10, fy), mix(x01, x11, fy), fz);
        let slope = vec3<real>(
            mix(mix(d1 - d0, d3 - d2, fy), mix(d5 - d4, d7 - d6, fy), fz),
            mix(x10 - x00, x11 - x01, fz),
            mix(x01, x11, fy) - mix(x00, x10, fy),
        );
        let steep = dot(slope, slope);
        if (steep > real(0.01)) {
            let e = matrix_of(quaternion(i));
            let push = wall(d, slope / sqrt(steep), e, kinds[own].shape.squares);
            for (var a = 0u; a < 3u; a++) {
                add(a * span.stride + i, whole(push.F[a]));
                add((3u + a) * span.stride + i, whole(push.T[a]));
            }
        }
    }
}

fn whole(x: real) -> i32 {
    return i32(round(clamp(x, real(-${contact.largest}), real(${contact.largest})) * real(${contact.scale})));
}

// Adds x to a sum; to one that does not fit nothing, and one that would not fit says so.
fn add(at: u32, x: i32) {
    let before = contact[at];
    let sum = before + x;
    let lost = before == OVERFLOW || ((before ^ sum) & (x ^ sum)) < 0;
    contact[at] = select(sum, OVERFLOW, lost);
}
