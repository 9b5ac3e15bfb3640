// The region of a body: nodes near it, weighted by the rescaled kernel of Peskin (Acta Numerica 11, 479, 2002, eq. 6.27) along
// each of the body's own axes, of half width xi. A node at d from the site below the body's centre is at r = d - f from the centre.
struct Region {
    site: vec3<i32>,
    f: vec3<real>,
    // The box around it, and the d that lie in the box.
    half: vec3<real>,
    first: vec3<i32>,
    last: vec3<i32>,
    // The body's axes by components in space, in half widths; a row along x is in slab k between -1 and 1 of x e_x + b.
    ex: vec3<real>,
    ey: vec3<real>,
    ez: vec3<real>,
    inverse: vec3<real>,
    norm: real,
}

// The part of a row along x that is in the region, with b.
struct Row {
    b: vec3<real>,
    first: i32,
    last: i32,
}

var<storage, read> position: array<vec2<i32>>;
var<storage, read> kind: array<u32>;
var<storage, read> kinds: array<Kind>;

fn region_of(i: u32) -> Region {
    let xi = kinds[kind[i]].xi;
    let e = matrix_of(quaternion(i));
    var region: Region;
#for axis in axes
    let p${axis.name} = position[${axis.index}u * span.stride + i];
    let f${axis.name} = fraction(p${axis.name}.y);
    let half${axis.name} = abs(e[0].${axis.name}) * xi.x + abs(e[1].${axis.name}) * xi.y + abs(e[2].${axis.name}) * xi.z;
    region.site.${axis.name} = p${axis.name}.x;
    region.f.${axis.name} = f${axis.name};
    region.half.${axis.name} = half${axis.name};
    region.first.${axis.name} = i32(ceil(f${axis.name} - half${axis.name}));
    region.last.${axis.name} = i32(floor(f${axis.name} + half${axis.name}));
    region.e${axis.name} = vec3<real>(e[0].${axis.name}, e[1].${axis.name}, e[2].${axis.name}) / xi;
#endfor
    let least = vec3<real>(real(1e-6));
    region.inverse = real(1.0) / select(region.ex, least, abs(region.ex) < least);
    region.norm = kinds[kind[i]].norm;
    return region;
}

// A little wider than the region, against rounding.
fn row_of(region: Region, dy: i32, dz: i32) -> Row {
    let b = (real(dy) - region.f.y) * region.ey + (real(dz) - region.f.z) * region.ez;
    let low = -b * region.inverse - abs(region.inverse);
    let high = -b * region.inverse + abs(region.inverse);
    let from_x = max(max(low.x, max(low.y, low.z)), -region.half.x) - real(0.001);
    let to_x = min(min(high.x, min(high.y, high.z)), region.half.x) + real(0.001);
    let first = max(region.first.x, i32(ceil(region.f.x + from_x)));
    let last = min(region.last.x, i32(floor(region.f.x + to_x)));
    return Row(b, first, last);
}

// The weight of a node of a row, zero outside of the region.
fn weight(region: Region, row: Row, dx: i32) -> real {
    let y = abs((real(dx) - region.f.x) * region.ex + row.b);
    let inside = max(y.x, max(y.y, y.z)) < real(1.0);
    return select(real(0.0), region.norm * kernel(y.x) * kernel(y.y) * kernel(y.z), inside);
}
