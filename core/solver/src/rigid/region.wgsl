// The region of body i: nodes near it, weighted by the rescaled kernel of Peskin (Acta Numerica 11, 479, 2002, eq. 6.27) along
// each of the body's own axes, of half width xi. For each of this rank's nodes there, `at_node(n, w, r)`: its number, its weight,
// and where it is as seen from the centre.
fn over_region(i: u32, kind: Kind, e: mat3x3<real>) {
#for axis in axes
    let p${axis.name} = position[${axis.index}u * span.stride + i];
    let f${axis.name} = fraction(p${axis.name}.y);
    let half${axis.name} = abs(e[0].${axis.name}) * kind.xi.x + abs(e[1].${axis.name}) * kind.xi.y + abs(e[2].${axis.name}) * kind.xi.z;
    let first${axis.name} = i32(ceil(f${axis.name} - half${axis.name}));
    let last${axis.name} = i32(floor(f${axis.name} + half${axis.name}));
#endfor
    // The body's axes by components in space; a row along x is in slab k between -xi and xi of x e_x + b.
    let ex = vec3<real>(e[0].x, e[1].x, e[2].x);
    let ey = vec3<real>(e[0].y, e[1].y, e[2].y);
    let ez = vec3<real>(e[0].z, e[1].z, e[2].z);
    let per_xi = real(1.0) / kind.xi;
    let inverse = real(1.0) / select(ex, vec3<real>(real(1e-6)), abs(ex) < vec3<real>(real(1e-6)));
    let reach = kind.xi * abs(inverse);
    for (var dz = firstz; dz <= lastz; dz++) {
        let sz = wrapped_z(pz.x + dz);
        let rz = real(dz) - fz;
        for (var dy = firsty; dy <= lasty; dy++) {
            let sy = wrapped_y(py.x + dy);
            let ry = real(dy) - fy;
            let place = place_z(sz) + place_y(sy);
            let local = (u32(sz & 7) << 6u) | (u32(sy & 7) << 3u);
            let b = ry * ey + rz * ez;
            let middle = -b * inverse;
            let low = middle - reach;
            let high = middle + reach;
            // A little wider, against rounding; whether a node is in the region is seen below.
            let from_x = max(max(low.x, max(low.y, low.z)), -halfx) - real(0.001);
            let to_x = min(min(high.x, min(high.y, high.z)), halfx) + real(0.001);
            for (var dx = max(firstx, i32(ceil(fx + from_x))); dx <= min(lastx, i32(floor(fx + to_x))); dx++) {
                let r = vec3<real>(real(dx) - fx, ry, rz);
                // In the body's frame, in half widths.
                let y = abs(r.x * ex + b) * per_xi;
                if (max(y.x, max(y.y, y.z)) < real(1.0)) {
                    let sx = wrapped_x(px.x + dx);
                    let n = sites[(directory[place + place_x(sx)] << ${block_bits}u) | local | u32(sx & 7)];
                    if (n < FLUID) {
                        at_node(n, kind.norm * kernel(y.x) * kernel(y.y) * kernel(y.z), r);
                    }
                }
            }
        }
    }
}

// The kernel at a distance of s half widths, times 8.
fn kernel(s: real) -> real {
    let outer = s > real(0.5);
    // q(s) + q(1 - s) with the same root: the outer branch is the inner one, mirrored.
    let t = select(s, real(1.0) - s, outer);
    let root = sqrt(max(real(1.0) + real(8.0) * t - real(16.0) * t * t, real(0.0)));
    return select(real(3.0) - real(4.0) * s + root, real(5.0) - real(4.0) * s - root, outer);
}
