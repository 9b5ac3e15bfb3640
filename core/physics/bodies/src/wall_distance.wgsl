    // The distance from the wall is linear between sites; its gradient is the wall's normal.
#include "corners.wgsl"
    let near = real(wall_distance[(directory[kx0 + ky0 + kz0] << ${block_bits}u) | lx0 | ly0 | lz0]);
    if (near < own.radius + real(${reach + 2})) {
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
            let push = wall(d, slope / sqrt(steep), e, own.shape.squares);
            F += whole(push.F);
            T += whole(push.T);
        }
    }
