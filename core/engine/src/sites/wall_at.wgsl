// The distance from the wall, linear between sites, and its gradient.
struct Wall {
    distance: real,
    gradient: vec${dimension}<real>,
}

fn wall_at(${declared_positions}) -> Wall {
#include "corners.wgsl"
#for corner in corners
    let d${corner.index} = real(wall_distance[(directory[${corner.place}] << ${block_bits}u) | ${corner.local}]);
#endfor
    let d00 = d0 + fx * (d1 - d0);
    let d10 = d2 + fx * (d3 - d2);
    let x0 = (d1 - d0) + fy * ((d3 - d2) - (d1 - d0));
#if dimension == 2
    return Wall(d00 + fy * (d10 - d00), vec2<real>(x0, d10 - d00));
#else
    let d01 = d4 + fx * (d5 - d4);
    let d11 = d6 + fx * (d7 - d6);
    let x1 = (d5 - d4) + fy * ((d7 - d6) - (d5 - d4));
    let low = d00 + fy * (d10 - d00);
    let high = d01 + fy * (d11 - d01);
    let y0 = d10 - d00;
    return Wall(low + fz * (high - low), vec3<real>(x0 + fz * (x1 - x0), y0 + fz * ((d11 - d01) - y0), high - low));
#endif
}
