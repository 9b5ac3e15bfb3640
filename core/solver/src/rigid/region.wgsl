    // The region of body i: nodes near it, weighted by the rescaled kernel of Peskin (Acta Numerica 11, 479, 2002, eq. 6.27) along
    // each of the body's own axes, of half width xi. Rows along x are cut to the region; each of ${lanes} invocations side by
    // side takes every ${lanes}th node of a row. Each of this rank's nodes there is visited: its number n, its weight w, and where it
    // is as seen from the centre, r.
    let xi = own.xi;
#for axis in axes
    let p${axis.name} = position[${axis.index}u * span.stride + i];
    let f${axis.name} = fraction(p${axis.name}.y);
    let half${axis.name} = abs(e[0].${axis.name}) * xi.x + abs(e[1].${axis.name}) * xi.y + abs(e[2].${axis.name}) * xi.z;
    let first${axis.name} = i32(ceil(f${axis.name} - half${axis.name}));
    let last${axis.name} = i32(floor(f${axis.name} + half${axis.name}));
#endfor
    // The body's axes by components in space, in half widths; a row along x is in slab k between -1 and 1 of x e_x + b.
    let ex = vec3<real>(e[0].x, e[1].x, e[2].x) / xi;
    let ey = vec3<real>(e[0].y, e[1].y, e[2].y) / xi;
    let ez = vec3<real>(e[0].z, e[1].z, e[2].z) / xi;
    let inverse = real(1.0) / select(ex, vec3<real>(real(1e-6)), abs(ex) < vec3<real>(real(1e-6)));
    let reach = abs(inverse);
    for (var dz = firstz; dz <= lastz; dz++) {
        let sz = wrapped_z(pz.x + dz);
        let rz = real(dz) - fz;
        for (var dy = firsty; dy <= lasty; dy++) {
            let ry = real(dy) - fy;
            let b = ry * ey + rz * ez;
            let middle = -b * inverse;
            let low = middle - reach;
            let high = middle + reach;
            // A little wider, against rounding; whether a node is in the region is seen below.
            let from_x = max(max(low.x, max(low.y, low.z)), -halfx) - real(0.001);
            let to_x = min(min(high.x, min(high.y, high.z)), halfx) + real(0.001);
            let begin = max(firstx, i32(ceil(fx + from_x))) + lane;
            let end = min(lastx, i32(floor(fx + to_x)));
            if (begin > end) {
                continue;
            }
            let sy = wrapped_y(py.x + dy);
            let place = place_z(sz) + place_y(sy);
            let local = (u32(sz & 7) << 6u) | (u32(sy & 7) << 3u);
            for (var dx = begin; dx <= end; dx += ${lanes}) {
                let r = vec3<real>(real(dx) - fx, ry, rz);
                let y = abs(r.x * ex + b);
                if (max(y.x, max(y.y, y.z)) < real(1.0)) {
                    let sx = wrapped_x(px.x + dx);
                    let n = sites[(directory[place + place_x(sx)] << ${block_bits}u) | local | u32(sx & 7)];
                    if (n < FLUID) {
                        let w = own.norm * kernel(y.x) * kernel(y.y) * kernel(y.z);
#include visit
                    }
                }
            }
        }
    }
